#include <algorithm>

#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Attention of PyTorch, of the flash-attn package and of AITER. Sources of the signatures:
/// aten/src/ATen/native/native_functions.yaml; flash_attn/flash_attn_interface.py;
/// aiter/ops/mha.py.
namespace roofline::mapping {
namespace {

/// How q, k and v lie, and where their call says what is masked.
struct Layout {
  std::size_t first = 0;     ///< argument that is q
  bool heads_second = true;  ///< [batch, heads, sequence, dim]; else [batch, sequence, heads, dim]
  std::size_t causal = 0;    ///< argument: a truth
  std::optional<std::size_t> bias;     ///< argument: what is added to all scores, a mask as well
  std::optional<std::size_t> lengths;  ///< argument: the ends of packed sequences
  bool backward = false, saves_lse = false;
  bool mask_code = false;     ///< `causal` is 0 (none), 1 (from the top left) or 2 (bottom right)
  bool bottom_right = false;  ///< a causal mask is aligned at the last query and key
  std::optional<std::size_t> window;  ///< arguments: keys to the left and right, -1 for all
  /// Arguments: the most queries and keys of a sequence, where `lengths` are the ends of packed
  /// ones. They tell all lengths where they are equal.
  std::optional<std::size_t> longest;
};

/// Sequences that lie one behind the other: [tokens, heads, dim], or [1, tokens, heads, dim].
struct Packed {
  std::uint64_t sequences = 0, queries = 0, keys = 0;
};

/// nullopt: their lengths differ, which are not told then.
std::optional<Packed> packed_of(const Arguments& args, const Layout& layout, std::uint64_t queries,
                                std::uint64_t keys) {
  if (!layout.lengths || !layout.longest || args.rank(*layout.lengths) != 1) return std::nullopt;
  const auto ends = args.elements(*layout.lengths);
  const auto most_queries = args.whole(*layout.longest),
             most_keys = args.whole(*layout.longest + 1);
  if (ends < 2 || !most_queries || !most_keys || *most_queries < 1 || *most_keys < 1)
    return std::nullopt;
  const Packed packed{ends - 1, static_cast<std::uint64_t>(*most_queries),
                      static_cast<std::uint64_t>(*most_keys)};
  // None is longer than the longest, so that all are as long where the sum is that of as many.
  const auto is_sum = [&](std::uint64_t each, std::uint64_t all) {
    return all % packed.sequences == 0 && all / packed.sequences == each;
  };
  return is_sum(packed.queries, queries) && is_sum(packed.keys, keys) ? std::optional(packed)
                                                                      : std::nullopt;
}

struct Heads {
  std::uint64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, dim = 0, dim_v = 0;
  std::string_view type;
};

/// With a bias for each pair of a query and a key. Where it is a mask its values are not told: the
/// kernels multiply what it hides as well.
Mapped biased_attention(const Arguments& args, std::size_t bias, bool backward, const Heads& h) {
  const auto bias_type = args.dtype(bias);
  if (!bias_type) return no(unmapped::kNoDtype);
  if (!args.strides_known(bias)) return no(unmapped::kNoArguments);  // it may be expanded
  const Sizes q = {h.batch, h.heads, h.queries, h.dim}, k = {h.batch, h.kv_heads, h.keys, h.dim},
              v = {h.batch, h.kv_heads, h.keys, h.dim_v},
              o = {h.batch, h.heads, h.queries, h.dim_v};
  OwnWork work;
  work.read("q", q, h.type).read("k", k, h.type).read("v", v, h.type);
  work.read("bias", args.stored_shape(bias), *bias_type);
  if (backward) {
    work.read("o", o, h.type).read("do", o, h.type);
    work.read("lse", {h.batch, h.heads, h.queries}, "fp32");
    work.write("dq", q, h.type).write("dk", k, h.type).write("dv", v, h.type);
  } else {
    work.write("o", o, h.type);
  }
  const auto pairs = fmt::format("{}*{}*{}*{}", h.batch, h.heads, h.queries, h.keys);
  const auto each = backward ? fmt::format("2*(3*{}+2*{})", h.dim, h.dim_v)
                             : fmt::format("2*({}+{})", h.dim, h.dim_v);
  auto op = work.matmul(pairs + '*' + each, h.type);
  return std::move(op.text("sfu_ops", '"' + pairs + '"'));
}

Mapped attention(const Arguments& args, const Layout& layout) {
  const auto q = layout.first, k = q + 1, v = q + 2;
  const auto rank = args.rank(q);
  if ((rank != 4 && rank != 3) || args.rank(k) != rank || args.rank(v) != rank)
    return no(unmapped::kNoShapes);
  std::optional<Packed> packed;
  if (rank == 3 || (layout.lengths && args.is_tensor(*layout.lengths))) {
    const bool one = rank == 4 && args.shape(q)[0] == 1 && !layout.heads_second;
    if (rank == 3 || one)
      packed = packed_of(args, layout, args.shape(q)[rank - 3], args.shape(k)[rank - 3]);
    if (!packed) return no(unmapped::kLengths);
  }
  const bool biased = layout.bias && args.is_tensor(*layout.bias);
  const auto type = args.dtype(q);
  if (!type) return no(unmapped::kNoDtype);
  if (!args.told(layout.causal)) return no(unmapped::kNoArguments);
  bool causal = args.truth(layout.causal), top_left = !layout.bottom_right;
  if (layout.mask_code) {
    const auto code = args.whole(layout.causal);
    if (!code || *code < 0 || *code > 2) return no(unmapped::kNoArguments);
    causal = *code != 0;
    top_left = *code == 1;
  }
  if (layout.window) {
    const auto left = args.whole(*layout.window), right = args.whole(*layout.window + 1);
    if (!left || !right) return no(unmapped::kNoArguments);
    // A causal mask is a window without keys to the right as well.
    if (*left >= 0 || (*right >= 0 && !(causal && *right == 0))) return no(unmapped::kNotModelled);
  }
  const std::size_t heads = layout.heads_second ? 1 : 2, sequence = layout.heads_second ? 2 : 1;
  auto sq = args.shape(q), sk = args.shape(k), sv = args.shape(v), stored_k = args.stored_shape(k);
  if (packed) {
    const auto unpacked = [&](const Sizes& shape, std::uint64_t length) {
      return Sizes{packed->sequences, length, shape[rank - 2], shape[rank - 1]};
    };
    sq = unpacked(sq, packed->queries);
    sk = unpacked(sk, packed->keys);
    sv = unpacked(sv, packed->keys);
    stored_k = unpacked(stored_k, packed->keys);
  }
  if (sq[0] != sk[0] || sq[3] != sk[3] || sk[sequence] != sv[sequence] || sk[heads] == 0)
    return no(unmapped::kContradiction);
  std::uint64_t keys = sk[sequence];
  if (causal && top_left && sq[sequence] != keys) {
    // Query i sees keys 0 to i: those past the last query are seen by none.
    if (sq[sequence] > keys) return no(unmapped::kNotModelled);
    keys = sq[sequence];
  }
  // Heads of keys that were repeated by expanding are in memory once.
  const auto kv_heads = stored_k[heads] == 1 && sk[heads] > 1 ? std::uint64_t{1} : sk[heads];
  if (biased) {
    if (causal || packed || sq[heads] == 0) return no(unmapped::kNotModelled);
    return biased_attention(args, *layout.bias, layout.backward,
                            {.batch = sq[0],
                             .heads = sq[heads],
                             .kv_heads = kv_heads,
                             .queries = sq[sequence],
                             .keys = keys,
                             .dim = sq[3],
                             .dim_v = sv[3],
                             .type = *type});
  }
  Description op("attention");
  op.count("batch", sq[0]).count("heads_q", sq[heads]).count("heads_kv", kv_heads);
  op.count("head_dim", sq[3]).count("head_dim_v", sv[3]);
  op.count("seq_q", sq[sequence]).count("seq_k", keys);
  op.word("mask", causal ? "causal" : "full");
  if (layout.backward) op.word("phase", "bwd");
  if (layout.saves_lse) op.flag("save_lse", true);
  return std::move(op.dtype("q", *type));
}

// The log-sum-exp that these also write is 4 bytes a row, and counted where it is always written.
Mapped sdpa(const Arguments& args) { return attention(args, {.causal = 5, .bias = 3}); }
Mapped sdpa_flash(const Arguments& args) {
  return attention(args, {.causal = 4, .saves_lse = true});
}
Mapped sdpa_efficient(const Arguments& args) { return attention(args, {.causal = 6, .bias = 3}); }
/// Whether a window that need not be told leaves keys out; -1 is all. A causal one has none to the
/// right as it is.
bool is_window(const Arguments& args, std::size_t left) {
  return args.told(left) && args.whole(left).value_or(0) >= 0;
}
bool are_windows(const Arguments& args, std::size_t left, std::size_t causal) {
  const auto right = args.whole(left + 1);
  const bool plain = args.truth(causal) && right && *right == 0;
  return is_window(args, left) || (!plain && is_window(args, left + 1));
}
// (q, k, v, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, return_debug_mask, scale,
// window_size_left, window_size_right, seqused_k, alibi_slopes, block_table, ...)
Mapped flash(const Arguments& args) {
  if (are_windows(args, 11, 8)) return no(unmapped::kNotModelled);
  if (args.is_tensor(13) || args.is_tensor(15)) return no(unmapped::kLengths);
  return attention(
      args, {.heads_second = false, .causal = 8, .lengths = 3, .saves_lse = true, .longest = 5});
}
// (q, k, v, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p,
// custom_mask_type, compute_log_sumexp, scale, seqlen_k, window_size)
Mapped efficient(const Arguments& args) {
  if (args.is_tensor(12)) return no(unmapped::kLengths);
  if (is_window(args, 13)) return no(unmapped::kNotModelled);
  return attention(args, {.heads_second = false,
                          .causal = 9,
                          .bias = 3,
                          .lengths = 4,
                          .mask_code = true,
                          .longest = 6});
}
// (grad_out, q, k, v, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal,
// ...)
Mapped flash_backward(const Arguments& args) {
  if (are_windows(args, 15, 11)) return no(unmapped::kNotModelled);
  return attention(args, {.first = 1,
                          .heads_second = false,
                          .causal = 11,
                          .lengths = 6,
                          .backward = true,
                          .longest = 8});
}
Mapped sdpa_flash_backward(const Arguments& args) {
  return attention(args, {.first = 1, .causal = 11, .lengths = 6, .backward = true});
}

// (grad_out, q, k, v, bias, out, cu_seqlens_q, cu_seqlens_k, max_q, max_k, logsumexp, dropout_p,
// seed, offset, custom_mask_type, ...)
Mapped efficient_backward(const Arguments& args) {
  if (is_window(args, 18)) return no(unmapped::kNotModelled);
  return attention(args, {.first = 1,
                          .heads_second = false,
                          .causal = 14,
                          .bias = 4,
                          .lengths = 6,
                          .backward = true,
                          .mask_code = true,
                          .longest = 8});
}
// (grad_out, q, k, v, bias, out, logsumexp, seed, offset, dropout_p, grad_input_mask, is_causal)
Mapped sdpa_efficient_backward(const Arguments& args) {
  return attention(args, {.first = 1, .causal = 11, .bias = 4, .backward = true});
}
// (q, k, v, bias, cum_seq_q, cum_seq_k, max_q, max_k, compute_log_sumexp, dropout_p, is_causal,
// ...)
Mapped cudnn(const Arguments& args) {
  return attention(args, {.causal = 10, .bias = 3, .lengths = 4});
}
// (grad_out, q, k, v, out, logsumexp, seed, offset, bias, cum_seq_q, cum_seq_k, max_q, max_k,
// dropout_p, is_causal)
Mapped cudnn_backward(const Arguments& args) {
  return attention(args, {.first = 1, .causal = 14, .bias = 8, .lengths = 9, .backward = true});
}

// (q, k, v, dropout_p, scale, causal, window_left, window_right, ...)
Mapped flash_attn(const Arguments& args) {
  return attention(
      args,
      {.heads_second = false, .causal = 5, .saves_lse = true, .bottom_right = true, .window = 6});
}
// (q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p, scale, causal,
// window_left, window_right, softcap, alibi_slopes, return_softmax, block_table, ...)
Mapped flash_attn_packed(const Arguments& args) {
  constexpr std::size_t kBlockTable = 15;
  if (args.is_tensor(kBlockTable)) return no(unmapped::kLengths);
  return attention(args, {.heads_second = false,
                          .causal = 9,
                          .lengths = 3,
                          .saves_lse = true,
                          .bottom_right = true,
                          .window = 10,
                          .longest = 5});
}
// (dout, q, k, v, out, lse, dq, dk, dv, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
// dropout_p, scale, causal, window_left, window_right, ...)
Mapped flash_attn_packed_backward(const Arguments& args) {
  return attention(args, {.first = 1,
                          .heads_second = false,
                          .causal = 15,
                          .lengths = 9,
                          .backward = true,
                          .bottom_right = true,
                          .window = 16,
                          .longest = 11});
}
// (q, k, v, new k, new v, qv, out, ...): what else is a tensor before the scale, at 23, is of
// ragged or cached keys; then causal and the window. Source: flash-attention, hopper/flash_api.cpp.
Mapped flash_attn_3(const Arguments& args) {
  constexpr std::size_t kOut = 6, kQueryScale = 20;
  for (std::size_t i = 3; i < kQueryScale; ++i)
    if (i != kOut && args.is_tensor(i)) return no(unmapped::kLengths);
  return attention(
      args,
      {.heads_second = false, .causal = 24, .saves_lse = true, .bottom_right = true, .window = 25});
}
// The same arguments; the log-sum-exp is written on demand, and never counted.
Mapped aiter(const Arguments& args) {
  return attention(args, {.heads_second = false, .causal = 5, .bottom_right = true, .window = 6});
}
// (dout, q, k, v, out, lse, dq, dk, dv, dropout_p, scale, causal, window_left, window_right, ...)
Mapped flash_attn_backward(const Arguments& args) {
  return attention(args, {.first = 1,
                          .heads_second = false,
                          .causal = 11,
                          .backward = true,
                          .bottom_right = true,
                          .window = 12});
}
// (dout, q, k, v, out, lse, dropout_p, scale, causal, window_left, window_right, ...)
Mapped aiter_backward(const Arguments& args) {
  return attention(args, {.first = 1,
                          .heads_second = false,
                          .causal = 8,
                          .backward = true,
                          .bottom_right = true,
                          .window = 9});
}

constexpr Row kLibraryRows[] = {
    {"flash_attn::_flash_attn_forward", &flash_attn},
    {"flash_attn::_flash_attn_backward", &flash_attn_backward},
    {"flash_attn::_flash_attn_varlen_forward", &flash_attn_packed},
    {"flash_attn::_flash_attn_varlen_backward", &flash_attn_packed_backward},
    {"flash_attn_3::fwd", &flash_attn_3},
    {"aiter::wrapper_fmha_v3_fwd", &aiter},
    {"aiter::fmha_v3_fwd", &aiter},
    {"aiter::mha_fwd", &aiter},
    {"aiter::fmha_v3_bwd", &aiter_backward},
    {"aiter::mha_bwd", &aiter_backward},
};

constexpr Row kRows[] = {
    {"scaled_dot_product_attention", &sdpa},
    {"_scaled_dot_product_flash_attention", &sdpa_flash},
    {"_scaled_dot_product_efficient_attention", &sdpa_efficient},
    {"_scaled_dot_product_cudnn_attention", &sdpa_efficient},
    {"_flash_attention_forward", &flash},
    {"_efficient_attention_forward", &efficient},
    {"_flash_attention_backward", &flash_backward},
    {"_scaled_dot_product_flash_attention_backward", &sdpa_flash_backward},
    {"_efficient_attention_backward", &efficient_backward},
    {"_scaled_dot_product_efficient_attention_backward", &sdpa_efficient_backward},
    {"_cudnn_attention_forward", &cudnn},
    {"_cudnn_attention_backward", &cudnn_backward},
    {"_scaled_dot_product_cudnn_attention_backward", &cudnn_backward},
};

}  // namespace

std::span<const Row> attentions() { return kRows; }
std::span<const Row> attention_libraries() { return kLibraryRows; }

}  // namespace roofline::mapping
