#include <fmt/format.h>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kPhases[] = {"fwd", "bwd"};

/// Distinct rows cannot outnumber the rows there are or the accesses made.
tl::expected<Count, OpError> distinct_rows(const OpInput& input, Count otherwise, Count limit,
                                           std::string_view what) {
  const Count distinct = input.count("distinct", otherwise);
  if (distinct > limit)
    return refuse("distinct",
                  fmt::format("{} distinct rows, but only {} {}", distinct.to_string(),
                              limit.to_string(), what),
                  "distinct counts the different rows that are touched");
  return distinct;
}

// ---------------------------------------------------------------- embedding
constexpr ParamSpec kEmbeddingParams[] = {
    {.name = "tokens", .doc = "lookups"},
    {.name = "vocab", .doc = "rows of the table"},
    {.name = "hidden", .doc = "values per row"},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "lookup, or the dense gradient of the table",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "distinct",
     .required = false,
     .doc = "different rows looked up; real text repeats far more than the default",
     .default_value = "min(tokens, vocab)"},
};
constexpr OperandSpec kEmbeddingOperands[] = {
    {.name = "table",
     .doc = "embedding table, or its gradient",
     .traffic = "table dtable",
     .partial = true},
    {.name = "ids", .doc = "token ids", .default_dtype = "int64"},
    {.name = "y",
     .doc = "looked-up rows, or their gradient",
     .default_dtype = "=table",
     .traffic = "y dy"},
};
constexpr ParamAlias kEmbeddingAliases[] = {{"vocab_size", "vocab"}, {"hidden_size", "hidden"}};

Counted embedding(const OpInput& input) {
  const Count tokens = input.count("tokens"), vocab = input.count("vocab"),
              hidden = input.count("hidden");
  const Count most = min(tokens, vocab);
  const auto distinct =
      distinct_rows(input, most, most, tokens < vocab ? "tokens" : "rows in the table");
  if (!distinct) return tl::unexpected(distinct.error());
  const Count ids = bytes(tokens, input.dtype("ids")),
              rows = bytes(tokens * hidden, input.dtype("y"));
  if (input.choice("phase", "fwd") == "fwd") {
    Work work(Work::Headline::vector, Pipe{});
    work.read("ids", ids)
        .read("table", bytes(*distinct * hidden, input.dtype("table")))
        .write("y", rows);
    return work;
  }
  // A dense gradient writes every row of the table; a repeated row costs an addition per repeat.
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  work.vector((tokens - *distinct) * hidden);
  work.read("ids", ids)
      .read("dy", rows)
      .write("dtable", bytes(vocab * hidden, input.dtype("table")));
  return work;
}

// ---------------------------------------------------------------- gather, scatter_add
constexpr ParamSpec kGatherParams[] = {
    {.name = "indices", .doc = "rows moved"},
    {.name = "width", .doc = "values per row"},
    {.name = "distinct", .doc = "different rows that the indices name"},
};
constexpr OperandSpec kGatherOperands[] = {
    {.name = "src", .doc = "source rows", .partial = true},
    {.name = "idx", .doc = "indices", .default_dtype = "int64"},
    {.name = "dst", .doc = "destination rows", .default_dtype = "=src"},
};
constexpr OperandSpec kScatterOperands[] = {
    {.name = "src", .doc = "source rows"},
    {.name = "idx", .doc = "indices", .default_dtype = "int64"},
    {.name = "dst", .doc = "destination rows", .default_dtype = "=src", .partial = true},
};

Counted gather(const OpInput& input) {
  const Count n = input.count("indices"), width = input.count("width");
  const auto distinct = distinct_rows(input, n, n, "indices");
  if (!distinct) return tl::unexpected(distinct.error());
  Work work(Work::Headline::vector, Pipe{});
  work.read("idx", bytes(n, input.dtype("idx")))
      .read("src", bytes(*distinct * width, input.dtype("src")));
  work.write("dst", bytes(n * width, input.dtype("dst")));
  return work;
}

Counted scatter_add(const OpInput& input) {
  const Count n = input.count("indices"), width = input.count("width");
  const auto distinct = distinct_rows(input, n, n, "indices");
  if (!distinct) return tl::unexpected(distinct.error());
  const Count touched = bytes(*distinct * width, input.dtype("dst"));
  Work work(Work::Headline::vector, vector_pipe(input.dtype("dst")));
  work.vector(n * width);
  work.read("idx", bytes(n, input.dtype("idx"))).read("src", bytes(n * width, input.dtype("src")));
  work.read("dst", touched).write("dst", touched);
  return work;
}

// ---------------------------------------------------------------- kv_append
constexpr ParamSpec kKvAppendParams[] = {
    {.name = "tokens", .doc = "new tokens"},
    {.name = "heads_kv", .doc = "key/value heads"},
    {.name = "head_dim", .doc = "values per key head"},
    {.name = "head_dim_v",
     .required = false,
     .doc = "values per value head",
     .default_value = "head_dim"},
};
constexpr OperandSpec kKvAppendOperands[] = {
    {.name = "src", .doc = "new keys and values", .traffic = "kv_new"},
    {.name = "cache",
     .doc = "cache, which may be narrower",
     .default_dtype = "=src",
     .partial = true},
};
constexpr ParamAlias kKvAppendAliases[] = {
    {"kv_heads", "heads_kv"}, {"num_kv_heads", "heads_kv"}, {"num_key_value_heads", "heads_kv"},
    {"heads", "heads_kv"},    {"head_dim_k", "head_dim"},
};

Counted kv_append(const OpInput& input) {
  const Count tokens = input.count("tokens"), dim = input.count("head_dim");
  const Count n = tokens * input.count("heads_kv") * (dim + input.count("head_dim_v", dim));
  Work work(Work::Headline::vector, Pipe{});
  work.read("kv_new", bytes(n, input.dtype("src"))).write("cache", bytes(n, input.dtype("cache")));
  work.read("slots", bytes(tokens, DType::int64));
  return work;
}

// ---------------------------------------------------------------- rope
constexpr ParamSpec kRopeParams[] = {
    {.name = "tokens", .doc = "tokens"},
    {.name = "heads_q", .doc = "query heads"},
    {.name = "heads_kv", .doc = "key heads"},
    {.name = "rotary_dim", .doc = "values per head that are rotated; the rest is not touched"},
    {.name = "table",
     .type = ParamType::flag,
     .required = false,
     .doc =
         "cos and sin (rotary_dim/2 each per token) are read; false: computed from int64 positions",
     .default_value = "true"},
};
constexpr OperandSpec kRopeOperands[] = {
    {.name = "x", .doc = "queries and keys, rotated in place", .traffic = "q k", .partial = true},
    {.name = "table", .doc = "cos and sin", .default_dtype = "fp32", .traffic = "cos sin"},
};
constexpr ParamAlias kRopeAliases[] = {
    {"heads", "heads_q heads_kv"},      {"num_heads", "heads_q"},
    {"num_attention_heads", "heads_q"}, {"kv_heads", "heads_kv"},
    {"num_kv_heads", "heads_kv"},       {"num_key_value_heads", "heads_kv"},
    {"head_dim", "rotary_dim"},
};

/// Four multiplications and two additions per rotated pair; tables are read once per token, not per
/// head.
Counted rope(const OpInput& input) {
  const Count tokens = input.count("tokens"), dim = input.count("rotary_dim");
  const Count heads_q = input.count("heads_q"), heads_kv = input.count("heads_kv");
  const Count angles = tokens * floor_div(dim, 2);
  const Count q = bytes(tokens * heads_q * dim, input.dtype("x")),
              k = bytes(tokens * heads_kv * dim, input.dtype("x"));
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  work.vector(angles * (heads_q + heads_kv) * 6);
  work.read("q", q).write("q", q).read("k", k).write("k", k);
  if (input.flag("table", true)) {
    const Count table = bytes(angles, input.dtype("table"));
    work.read("cos", table).read("sin", table);
  } else {
    work.vector(angles).sfu(angles * 2);  // position * frequency, then sine and cosine
    work.read("positions", bytes(tokens, DType::int64));
  }
  return work;
}

}  // namespace

constexpr OpEntry kEmbedding = {
    .name = "embedding",
    .family = "gather",
    .doc = "Table lookup, or the dense gradient of the table",
    .params = kEmbeddingParams,
    .operands = kEmbeddingOperands,
    .aliases = kEmbeddingAliases,
    .work = "fwd none; bwd vector (tokens - distinct)*hidden",
    .bytes =
        "fwd ids + distinct*hidden*s_table + tokens*hidden*s_y; bwd ids + tokens*hidden*s_y + "
        "vocab*hidden*s_table written",
    .intensity = "fwd 0; bwd under 1/s",
    .source = "docs/model.md, section 1: a repeated row is compulsory once",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: token_embedding
    op: embedding
    tokens: 8192
    vocab: 128256
    hidden: 8192
    distinct: 2000
    dtype: bf16
)yaml",
    .model = &embedding,
};

constexpr OpEntry kGather = {
    .name = "gather",
    .family = "gather",
    .doc = "Rows picked by index",
    .params = kGatherParams,
    .operands = kGatherOperands,
    .aliases = {},
    .work = "none",
    .bytes = "indices*s_idx + distinct*width*s_src + indices*width*s_dst",
    .intensity = "0",
    .source =
        "docs/model.md, section 1: a repeated row is compulsory once; scattered 4-byte reads move "
        "32-byte "
        "sectors",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: expert_permute
    op: gather
    indices: 65536
    width: 7168
    distinct: 8192
    dtypes: {idx: int32, src: bf16, dst: bf16}
)yaml",
    .model = &gather,
};

constexpr OpEntry kScatterAdd = {
    .name = "scatter_add",
    .family = "gather",
    .doc = "Rows added into a destination by index",
    .params = kGatherParams,
    .operands = kScatterOperands,
    .aliases = {},
    .work = "vector indices*width",
    .bytes = "indices*s_idx + indices*width*s_src + 2*distinct*width*s_dst",
    .intensity = "under 1/s",
    .source = "docs/model.md, section 1: a destination row is read and written once",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: graph_aggregate
    op: scatter_add
    indices: 5000011
    width: 64
    distinct: 232965
    dtypes: {idx: int32, src: fp32, dst: fp32}
)yaml",
    .model = &scatter_add,
};

constexpr OpEntry kKvAppend = {
    .name = "kv_append",
    .family = "gather",
    .doc = "New keys and values written into their slots of a cache",
    .params = kKvAppendParams,
    .operands = kKvAppendOperands,
    .aliases = kKvAppendAliases,
    .work = "none",
    .bytes =
        "n = tokens*heads_kv*(head_dim + head_dim_v): n*s_src + n*s_cache written + 8*tokens slots",
    .intensity = "0",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: cache_update
    op: kv_append
    tokens: 256
    heads_kv: 8
    head_dim: 128
    dtypes: {src: bf16, cache: fp8_e4m3}
)yaml",
    .model = &kv_append,
};

constexpr OpEntry kRope = {
    .name = "rope",
    .family = "gather",
    .doc = "Rotary position embedding of queries and keys, in place",
    .params = kRopeParams,
    .operands = kRopeOperands,
    .aliases = kRopeAliases,
    .work = "T tokens, H heads in all, d rotated: vector 3THd; without table + Td/2, sfu Td",
    .bytes = "2THd*s + Td*s_table (cos and sin), or + 8T positions",
    .intensity = "about 3/(2*s)",
    .source = "Su et al. 2021 (RoFormer); counted by docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: rotate
    op: rope
    tokens: 8192
    heads_q: 64
    heads_kv: 8
    rotary_dim: 128
    dtypes: {x: bf16, table: fp32}
)yaml",
    .model = &rope,
};

}  // namespace roofline::op_models
