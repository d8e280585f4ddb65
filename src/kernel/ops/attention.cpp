#include <fmt/format.h>

#include "kernel/ops/attention_mask.hpp"
#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kMasks[] = {"full", "causal", "window"};

AttentionMask::Kind mask_kind(std::string_view name) {
  return name == "causal"   ? AttentionMask::Kind::causal
         : name == "window" ? AttentionMask::Kind::window
                            : AttentionMask::Kind::full;
}

// ---------------------------------------------------------------- attention
constexpr std::string_view kPhases[] = {"fwd", "bwd"};
constexpr std::string_view kImplementations[] = {"flash", "standard"};
constexpr ParamSpec kParams[] = {
    {.name = "heads_q", .doc = "query heads"},
    {.name = "heads_kv",
     .doc = "key/value heads; divides heads_q (grouped-query attention)",
     .minimum = 1},
    {.name = "head_dim", .doc = "values per query and key head"},
    {.name = "head_dim_v",
     .required = false,
     .doc = "values per value head",
     .default_value = "head_dim"},
    {.name = "batch",
     .required = false,
     .doc = "sequences of seq_q queries and seq_k keys",
     .default_value = "1"},
    {.name = "seq_q",
     .required = false,
     .doc = "queries per sequence (1 in decode); needed without seqs"},
    {.name = "seq_k", .required = false, .doc = "keys per sequence; needed without seqs"},
    {.name = "seqs",
     .type = ParamType::count_lists,
     .required = false,
     .doc = "sequences of different lengths instead of batch, seq_q and seq_k: one [queries, keys] "
            "each"},
    {.name = "mask",
     .type = ParamType::choice,
     .required = false,
     .doc = "which keys a query sees; queries and keys are aligned at the last of both",
     .default_value = "full",
     .choices = kMasks},
    {.name = "left",
     .required = false,
     .doc = "window: keys before its own that a query sees; -1: all",
     .default_value = "-1",
     .minimum = -1},
    {.name = "right",
     .required = false,
     .doc = "window: keys after its own that a query sees (0: causal); -1: all",
     .default_value = "-1",
     .minimum = -1},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward, or backward with the scores recomputed",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "impl",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward: flash keeps scores on chip; standard runs three kernels that write and read "
            "them, without skipping what is masked",
     .default_value = "flash",
     .choices = kImplementations},
    {.name = "save_lse",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward, flash: the fp32 log-sum-exp of every row is written for the backward pass",
     .default_value = "false"},
    {.name = "page_size",
     .required = false,
     .doc = "tokens per page of a paged cache: its int32 block table is read; 0: not paged",
     .default_value = "0"},
};
constexpr OperandSpec kOperands[] = {
    {.name = "q", .doc = "queries, and their gradient", .traffic = "q dq"},
    {.name = "k",
     .doc = "keys, and their gradient",
     .default_dtype = "=q",
     .traffic = "k dk",
     .partial = true},
    {.name = "v",
     .doc = "values, and their gradient",
     .default_dtype = "=k",
     .traffic = "v dv",
     .partial = true},
    {.name = "o", .doc = "output, and its gradient", .default_dtype = "=q", .traffic = "o do"},
    {.name = "s",
     .doc = "scores and probabilities in memory, with impl standard",
     .default_dtype = "=q",
     .traffic = "s p"},
};
constexpr ParamAlias kAliases[] = {
    {"heads", "heads_q heads_kv"},
    {"num_heads", "heads_q"},
    {"num_attention_heads", "heads_q"},
    {"kv_heads", "heads_kv"},
    {"num_kv_heads", "heads_kv"},
    {"num_key_value_heads", "heads_kv"},
    {"head_dim_k", "head_dim"},
    {"B", "batch"},
    {"batch_size", "batch"},
    {"seq", "seq_q seq_k"},
    {"seq_len", "seq_q seq_k"},
    {"context", "seq_k"},
    {"causal", "mask", "causal"},
    {"is_causal", "mask", "causal"},
};

/// Sums over the sequences of a launch.
struct Totals {
  Count sequences, pairs, rows, keys;  ///< pairs, rows and keys that are visible
  Count q_rows, k_rows;                ///< all queries and keys
  Count active_q, active_k;  ///< queries of sequences with keys, keys of sequences with queries
  Count rectangle;           ///< queries times keys
  Count pages;
};

void add_sequences(Totals& totals, Count copies, Count q, Count k, const AttentionMask& mask,
                   Count page_size) {
  const auto seen = visible(q, k, mask);
  totals.sequences += copies;
  totals.pairs += copies * seen.pairs;
  totals.rows += copies * seen.rows;
  totals.keys += copies * seen.keys;
  totals.q_rows += copies * q;
  totals.k_rows += copies * k;
  if (k != Count(0)) totals.active_q += copies * q;
  if (q != Count(0)) totals.active_k += copies * k;
  totals.rectangle += copies * q * k;
  if (page_size > Count(0)) totals.pages += copies * ceil_div(k, page_size);
}

tl::expected<Totals, OpError> totals_of(const OpInput& input, const ValueList* seqs,
                                        const AttentionMask& mask, Count page_size) {
  Totals totals;
  if (!seqs) {
    for (const auto* name : {"seq_q", "seq_k"})
      if (!input.has(name))
        return refuse(name, fmt::format("{} is missing", name),
                      "give seq_q and seq_k, or seqs: [[queries, keys], ...]");
    add_sequences(totals, input.count("batch", 1), input.count("seq_q"), input.count("seq_k"), mask,
                  page_size);
    return totals;
  }
  for (const auto* name : {"seq_q", "seq_k"})
    if (input.has(name))
      return refuse(name, fmt::format("{} and seqs contradict each other", name),
                    "give one of the two");
  if (input.has("batch") && input.count("batch") != Count(seqs->size()))
    return refuse("batch",
                  fmt::format("a batch of {}, but {} entries in seqs",
                              input.count("batch").to_string(), seqs->size()),
                  "leave `batch` out: seqs lists every sequence");
  for (const auto& item : *seqs) {
    const auto* pair = std::get_if<ValueList>(&item.data);
    if (!pair || pair->size() != 2)
      return refuse("seqs", fmt::format("a sequence has {} numbers", pair ? pair->size() : 0),
                    "each sequence is [queries, keys]");
    add_sequences(totals, 1, count_of((*pair)[0]), count_of((*pair)[1]), mask, page_size);
  }
  return totals;
}

struct Heads {
  Count q, kv, dim_k, dim_v;
};

/// Scores stay on chip. A row of n visible keys: scale n, max n-1, subtract n, sum n-1, and dim_v
/// to normalise; n exponentials and a reciprocal.
void flash_forward(const OpInput& input, const Totals& t, const Heads& h, Work& work) {
  work.matmul(h.q * t.pairs * (h.dim_k + h.dim_v) * 2);
  work.vector(h.q * (t.pairs * 4 - t.rows * 2 + t.rows * h.dim_v)).sfu(h.q * (t.pairs + t.rows));
  work.read("q", bytes(t.q_rows * h.q * h.dim_k, input.dtype("q")));
  work.read("k", bytes(t.keys * h.kv * h.dim_k, input.dtype("k")));
  work.read("v", bytes(t.keys * h.kv * h.dim_v, input.dtype("v")));
  work.write("o", bytes(t.q_rows * h.q * h.dim_v, input.dtype("o")));
  if (input.flag("save_lse", false)) {
    work.write("lse", bytes(t.q_rows * h.q, DType::fp32));
    work.sfu(h.q * t.rows).vector(h.q * t.rows);
  }
}

/// Three kernels: scores and probabilities are each written and read, and both products run over
/// the full rectangle.
void standard_forward(const OpInput& input, const Totals& t, const Heads& h, Work& work) {
  const auto scores_dtype = input.has_dtype("s") ? input.dtype("s") : input.dtype("q");
  const Count scores = bytes(t.rectangle * h.q, scores_dtype);
  work.matmul(h.q * t.rectangle * (h.dim_k + h.dim_v) * 2);
  work.vector(h.q * (t.rectangle * 5 - t.active_q * 2)).sfu(h.q * (t.rectangle + t.active_q));
  work.read("q", bytes(t.q_rows * h.q * h.dim_k, input.dtype("q")));
  work.read("k", bytes(t.active_k * h.kv * h.dim_k, input.dtype("k")));
  work.write("s", scores).read("s", scores).write("p", scores).read("p", scores);
  work.read("v", bytes(t.active_k * h.kv * h.dim_v, input.dtype("v")));
  work.write("o", bytes(t.q_rows * h.q * h.dim_v, input.dtype("o")));
}

/// Five products per visible pair (the scores are computed again), gradients of whole tensors
/// written.
void backward(const OpInput& input, const Totals& t, const Heads& h, Work& work) {
  const Count q = bytes(t.q_rows * h.q * h.dim_k, input.dtype("q")),
              o = bytes(t.q_rows * h.q * h.dim_v, input.dtype("o"));
  work.matmul(h.q * t.pairs * (h.dim_k * 3 + h.dim_v * 2) * 2);
  work.vector(h.q * (t.pairs * 5 + t.rows * (h.dim_v * 2 - 1))).sfu(h.q * t.pairs);
  work.read("q", q).read("k", bytes(t.keys * h.kv * h.dim_k, input.dtype("k")));
  work.read("v", bytes(t.keys * h.kv * h.dim_v, input.dtype("v"))).read("o", o).read("do", o);
  work.read("lse", bytes(t.q_rows * h.q, DType::fp32)).write("dq", q);
  work.write("dk", bytes(t.k_rows * h.kv * h.dim_k, input.dtype("k")));
  work.write("dv", bytes(t.k_rows * h.kv * h.dim_v, input.dtype("v")));
}

Counted attention(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "q", "k");
  if (!pipe) return tl::unexpected(pipe.error());
  Heads heads{input.count("heads_q"), input.count("heads_kv", 1), input.count("head_dim"), 0};
  heads.dim_v = input.count("head_dim_v", heads.dim_k);
  if (const Count group = floor_div(heads.q, heads.kv); group * heads.kv != heads.q)
    return refuse("heads_q",
                  fmt::format("{} query heads do not divide among {} key/value heads",
                              heads.q.to_string(), heads.kv.to_string()),
                  "heads_q is a multiple of heads_kv");

  const AttentionMask mask{mask_kind(input.choice("mask", "full")), input.count("left", -1),
                           input.count("right", -1)};
  for (const auto* side : {"left", "right"})
    if (mask.kind != AttentionMask::Kind::window && input.count(side, -1) >= Count(0))
      return refuse(side, fmt::format("{} applies to `mask: window` only", side),
                    "a causal window of w tokens is `mask: window` with left: w-1 and right: 0");

  const auto* seqs = list_of(input, "seqs");
  if (seqs && seqs->empty()) seqs = nullptr;
  const auto totals = totals_of(input, seqs, mask, input.count("page_size"));
  if (!totals) return tl::unexpected(totals.error());

  Work work(Work::Headline::matmul, *pipe);
  if (input.choice("phase", "fwd") == "bwd") {
    backward(input, *totals, heads, work);
  } else if (input.choice("impl", "flash") == "standard") {
    standard_forward(input, *totals, heads, work);
  } else {
    flash_forward(input, *totals, heads, work);
  }
  if (input.count("page_size") > Count(0)) {
    work.read("block_table", bytes(totals->pages, DType::int32));
    work.read("seqlens", bytes(totals->sequences, DType::int32));
  }
  if (seqs)
    work.read("cu_seqlens",
              bytes(totals->sequences + 1, DType::int32) * 2);  // of queries and of keys
  work.fact("pairs_per_head", totals->pairs);
  return work;
}

// ---------------------------------------------------------------- mla_decode
constexpr std::string_view kMlaMasks[] = {"full", "causal"};
constexpr ParamSpec kMlaParams[] = {
    {.name = "batch", .required = false, .doc = "sequences", .default_value = "1"},
    {.name = "heads", .doc = "query heads; all share one latent key/value row per token"},
    {.name = "seq_q",
     .required = false,
     .doc = "query tokens per sequence: 1, or more with speculation",
     .default_value = "1"},
    {.name = "context", .doc = "cached tokens per sequence"},
    {.name = "latent",
     .required = false,
     .doc = "compressed values per cached token",
     .default_value = "512"},
    {.name = "rope",
     .required = false,
     .doc = "rotary values per cached token",
     .default_value = "64"},
    {.name = "mask",
     .type = ParamType::choice,
     .required = false,
     .doc = "which cached tokens a query sees",
     .default_value = "full",
     .choices = kMlaMasks},
    {.name = "token_bytes",
     .required = false,
     .doc = "bytes of a cached token where it is no plain tensor, such as 656: 512 fp8 + 4 fp32 + "
            "64 bf16; 0: by dtype",
     .default_value = "0"},
};
constexpr OperandSpec kMlaOperands[] = {
    {.name = "q", .doc = "absorbed queries"},
    {.name = "kv", .doc = "latent cache", .default_dtype = "=q", .partial = true},
    {.name = "o", .doc = "latent output", .default_dtype = "=q"},
};
constexpr ParamAlias kMlaAliases[] = {
    {"B", "batch"},
    {"batch_size", "batch"},
    {"heads_q", "heads"},
    {"num_heads", "heads"},
    {"num_attention_heads", "heads"},
    {"seq_k", "context"},
    {"kv_lora_rank", "latent"},
    {"qk_rope_head_dim", "rope"},
    {"causal", "mask", "causal"},
};

/// The up-projections are absorbed into the queries and the output: scores over latent + rope
/// values, values over latent ones, and one row of latent + rope values per cached token serves all
/// heads.
Counted mla_decode(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "q", "q");
  if (!pipe) return tl::unexpected(pipe.error());
  const Count batch = input.count("batch", 1), heads = input.count("heads"),
              queries = input.count("seq_q", 1);
  const Count context = input.count("context"), latent = input.count("latent", 512),
              rope = input.count("rope", 64);
  const auto kind = mask_kind(input.choice("mask", "full"));
  const Count pairs = visible(queries, context, {kind}).pairs,
              head_queries = batch * queries * heads;
  Work work(Work::Headline::matmul, *pipe);
  work.matmul(batch * heads * pairs * (latent * 2 + rope) * 2);
  if (context > Count(0)) {
    work.vector(batch * heads * max(0, pairs * 4 - queries * 2 + queries * latent));
    work.sfu(batch * heads * (pairs + queries));
  }
  work.read("q", bytes(head_queries * (latent + rope), input.dtype("q")));
  work.write("o", bytes(head_queries * latent, input.dtype("o")));
  const Count token_bytes = input.count("token_bytes");
  work.read("kv", token_bytes > Count(0)
                      ? batch * context * token_bytes
                      : bytes(batch * context * (latent + rope), input.dtype("kv")));
  return work;
}

}  // namespace

constexpr OpEntry kAttention = {
    .name = "attention",
    .family = "attention",
    .doc =
        "Scaled dot-product attention: grouped heads, masks, ragged batches, paged caches, forward "
        "or backward",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "per query head and visible pair: fwd matmul 2(dk+dv), sfu 1; bwd matmul 2(3dk+2dv), sfu "
        "1; pairs: full Sq*Sk, causal Sq(Sk-Sq) + Sq(Sq+1)/2; standard: all pairs",
    .bytes =
        "Q and O whole, K and V of the keys seen; save_lse + 4*Hq*Sq; standard + 4*Hq*Sq*Sk*s; bwd "
        "+ O, dO, LSE read and dQ, dK, dV written; paged + 4 per page and sequence; seqs + "
        "8(sequences + 1)",
    .intensity = "causal prefill, bf16, G = Hq/Hkv: (S+1)/2 * G/(G+1); decode: c*G/(c+G), near G",
    .source =
        "Dao et al. 2022 and 2023 (FlashAttention); pairs exact as in cudnn-frontend, "
        "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: prefill
    op: attention
    batch: 1
    heads_q: 64
    heads_kv: 8
    head_dim: 128
    seq_q: 8192
    seq_k: 8192
    mask: causal
    dtype: bf16
)yaml",
    .model = &attention,
};

constexpr OpEntry kMlaDecode = {
    .name = "mla_decode",
    .family = "attention",
    .doc = "Multi-head latent attention in decode, up-projections absorbed",
    .params = kMlaParams,
    .operands = kMlaOperands,
    .aliases = kMlaAliases,
    .work = "per head and visible pair: matmul 2(2*latent + rope), sfu 1",
    .bytes =
        "queries H(latent+rope), output H*latent, and latent+rope values (or token_bytes) per "
        "cached token",
    .intensity = "H(2*latent+rope)/(latent+rope) * 2/s_kv: bf16, H = 128: 241.8",
    .source = "DeepSeek-V2 report 2024; FlashMLA for the 656-byte cache row",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: latent_attention
    op: mla_decode
    batch: 128
    heads: 128
    seq_q: 1
    context: 4096
    latent: 512
    rope: 64
    dtype: bf16
)yaml",
    .model = &mla_decode,
};

}  // namespace roofline::op_models
