#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>

#include "ingest/hlo/calls.hpp"
#include "ingest/json_cursor.hpp"
#include "roofline/ingest/mapping.hpp"

/// Attention that XLA hands to a library: cuDNN's (`__cudnn$fmhaSoftmax`; the fields of its
/// configuration are those of CudnnfMHABackendConfig in xla/service/gpu/backend_configs.proto) and
/// Transformer Engine's (`te_fused_attn_forward_ffi`; its attributes are those of
/// transformer_engine/jax/csrc/extensions/attention.cpp, its numbers of masks those of
/// NVTE_Mask_Type in transformer_engine/common/include/transformer_engine/fused_attn.h).
namespace roofline::hlo {
namespace {

using Counted = tl::expected<Work, std::string_view>;

Counted no(std::string_view reason) { return tl::unexpected<std::string_view>(reason); }

struct Attention {
  std::uint64_t batch = 0, heads = 0, queries = 0, keys = 0, dim = 0, value_dim = 0;
  bool causal = false, backward = false;
};

/// docs/model.md, section 1: for each head and visible pair 2(dk + dv), backward 2(3dk + 2dv) with
/// the scores computed again, and one exponential.
Counted count(const Attention& a, const CallOperands& operands, const Shape& result) {
  if (a.causal && a.queries != a.keys) return no(unmapped::kNotModelled);
  const auto path = product_path(*operands[0].shape->type, *operands[0].shape->type);
  if (path.empty()) return no(unmapped::kNotModelled);
  const auto square = times(a.queries, a.keys);
  const auto visible = a.causal ? plus(square, a.queries) / 2 : square;
  const auto pairs = times(visible, times(a.batch, a.heads));
  const auto each = a.backward ? plus(times(6, a.dim), times(4, a.value_dim))
                               : times(2, plus(a.dim, a.value_dim));
  auto work = traffic(operands, results_of(result));
  work.add(path, times(pairs, each));
  work.add("sfu", pairs);
  return work;
}

/// "name = 16 : i64" of MLIR's attributes.
std::optional<long long> attribute(std::string_view attributes, std::string_view name) {
  for (std::size_t at = 0; (at = attributes.find(name, at)) != std::string_view::npos; ++at) {
    constexpr std::string_view kEquals = " = ";
    const bool begins = at > 0 && (attributes[at - 1] == ' ' || attributes[at - 1] == '{');
    const auto rest = attributes.substr(at + name.size());
    if (!begins || !rest.starts_with(kEquals)) continue;
    long long value = 0;
    const auto* end = rest.data() + rest.size();
    if (std::from_chars(rest.data() + kEquals.size(), end, value).ec != std::errc())
      return std::nullopt;
    return value;
  }
  return std::nullopt;
}

}  // namespace

Counted count_transformer_engine(const Instruction& call, const CallOperands& operands) {
  const auto config = call.more().backend_config;
  const auto number = [&](std::string_view name) { return attribute(config, name).value_or(0); };
  const auto size = [&](std::string_view name) {
    return static_cast<std::uint64_t>(std::max(number(name), 0LL));
  };
  Attention a;
  a.backward = call.more().target.find("backward") != std::string_view::npos;
  a.batch = size("input_batch");
  a.heads = size("attn_heads");
  a.queries = size("q_max_seqlen");
  a.keys = size("kv_max_seqlen");
  a.dim = size("qk_head_dim");
  a.value_dim = size("v_head_dim");
  const auto mask = attribute(config, "mask_type"), layout = attribute(config, "qkv_layout");
  if (operands.empty() || !mask || !layout || a.batch == 0 || a.heads == 0 || a.queries == 0 ||
      a.keys == 0 || a.dim == 0 || a.value_dim == 0)
    return no(unmapped::kNoArguments);
  // NVTE_Mask_Type: none, padding, causal, causal with padding, and the last two from the end.
  constexpr long long kNone = 0, kCausal = 2, kCausalFromEnd = 4;
  constexpr long long kFirstRagged = 10;  // NVTE_T3HD of NVTE_QKV_Layout
  a.causal = *mask == kCausal || *mask == kCausalFromEnd;
  if ((*mask != kNone && !a.causal) || *layout >= kFirstRagged) return no(unmapped::kLengths);
  const auto left = attribute(config, "window_size_left").value_or(-1),
             right = attribute(config, "window_size_right").value_or(-1);
  if (number("bias_type") != 0 || left >= 0 || (right >= 0 && !(a.causal && right == 0)))
    return no(unmapped::kNotModelled);
  return count(a, operands, call.shape);
}

Counted count_cudnn_attention(const Instruction& call, const CallOperands& operands) {
  auto target = call.more().target;
  Attention a;
  std::string mask;
  std::vector<std::uint64_t> scores;
  double window = 0;
  JsonCursor json(call.more().backend_config);
  const std::function<void()> fields = [&] {
    json.object([&](std::string_view key) {
      if (key == "cudnn_fmha_backend_config" || key == "intermediate_tensor_shape") {
        fields();
      } else if (key == "mask_type") {
        json.text(mask);
      } else if (key == "sliding_window_length") {
        window = json_number(json);
      } else if (key == "dimensions") {
        json.array([&] { scores.push_back(json_count(json)); });
      } else {
        json.skip();
      }
    });
  };
  fields();
  if (json.failed() || scores.size() != 4 || operands.size() < 3) return no(unmapped::kNoArguments);
  if (mask != "NO_MASK" && mask != "CAUSAL") return no(unmapped::kLengths);
  constexpr std::string_view kBackward = "Backward";
  a.backward = target.ends_with(kBackward);
  if (a.backward) target.remove_suffix(kBackward.size());
  if (window != 0 || (target != "__cudnn$fmhaSoftmax" && target != "__cudnn$fmhaSoftmaxDropout"))
    return no(unmapped::kNotModelled);
  a.causal = mask == "CAUSAL";
  a.batch = scores[0];
  a.heads = scores[1];
  a.queries = scores[2];
  a.keys = scores[3];
  const auto rows = times(times(a.batch, a.heads), a.queries);
  const auto queries = operands[0].shape->elements();
  if (rows == 0 || queries % rows != 0 ||
      operands[1].shape->elements() != operands[2].shape->elements())
    return no(unmapped::kNotModelled);
  a.dim = a.value_dim = queries / rows;
  return count(a, operands, call.shape);
}

}  // namespace roofline::hlo
