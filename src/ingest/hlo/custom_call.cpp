#include <algorithm>
#include <charconv>
#include <string>

#include "ingest/hlo/calls.hpp"
#include "ingest/json_cursor.hpp"
#include "roofline/ingest/mapping.hpp"

/// What XLA hands to cuBLAS, hipBLASLt, cuDNN and MIOpen. The names of the calls and of the fields
/// of their configurations are those of xla/service/gpu: cublas_cudnn.h, backend_configs.proto.
namespace roofline::hlo {
namespace {

using Counted = tl::expected<Work, std::string_view>;

Counted no(std::string_view reason) { return tl::unexpected<std::string_view>(reason); }

struct Gemm {
  std::vector<std::uint64_t> lhs_contract;
  double alpha = 1, alpha_imag = 0, beta = 0;
  std::string epilogue = "DEFAULT";
  bool found = false;
};
void read_gemm(JsonCursor& json, Gemm& gemm) {
  json.object([&](std::string_view key) {
    if (key == "gemm_backend_config") {
      read_gemm(json, gemm);
    } else if (key == "alpha_real") {
      gemm.alpha = json_number(json);
    } else if (key == "alpha_imag") {
      gemm.alpha_imag = json_number(json);
    } else if (key == "beta") {
      gemm.beta = json_number(json);
    } else if (key == "epilogue") {
      json.text(gemm.epilogue);
    } else if (key == "dot_dimension_numbers") {
      gemm.found = true;
      json.object([&](std::string_view dimension) {
        if (dimension != "lhs_contracting_dimensions") {
          json.skip();
          return;
        }
        json.array([&] { gemm.lhs_contract.push_back(json_count(json)); });
      });
    } else {
      json.skip();
    }
  });
}

struct Convolution {
  double result_scale = 1, side_scale = 0;
  std::string activation = "kNone";
};
void read_convolution(JsonCursor& json, Convolution& convolution) {
  json.object([&](std::string_view key) {
    if (key == "cudnn_conv_backend_config")
      read_convolution(json, convolution);
    else if (key == "conv_result_scale")
      convolution.result_scale = json_number(json);
    else if (key == "side_input_scale")
      convolution.side_scale = json_number(json);
    else if (key == "activation_mode")
      json.text(convolution.activation);
    else
      json.skip();
  });
}

struct Activation {
  std::string_view name;
  unsigned vector = 0, sfu = 0;
};
/// docs/model.md, section 1: GELU is that with tanh.
constexpr Activation kEpilogues[] = {
    {"DEFAULT", 0, 0}, {"BIAS", 1, 0},      {"RELU", 1, 0},     {"BIAS_RELU", 2, 0},
    {"GELU", 8, 1},    {"BIAS_GELU", 9, 1}, {"GELU_AUX", 8, 1}, {"BIAS_GELU_AUX", 9, 1},
    {"SILU", 2, 2},    {"BIAS_SILU", 3, 2},
};
constexpr Activation kActivations[] = {
    {"kNone", 0, 0}, {"kRelu", 1, 0}, {"kRelu6", 2, 0}, {"kLeakyRelu", 2, 0}, {"", 0, 0},
};
template <std::size_t N>
const Activation* activation(const Activation (&rows)[N], std::string_view name) {
  const auto* at = std::find_if(std::begin(rows), std::end(rows),
                                [&](const Activation& row) { return row.name == name; });
  return at == std::end(rows) ? nullptr : at;
}

// D = epilogue(alpha * A * B + beta * C + bias), with scales where A and B are FP8.
Counted count_gemm(const Instruction& call, const CallOperands& operands) {
  Gemm gemm;
  JsonCursor json(call.more().backend_config);
  read_gemm(json, gemm);
  const auto results = results_of(call.shape);
  if (json.failed() || !gemm.found || operands.size() < 2 || results.empty())
    return no(unmapped::kNoArguments);
  const auto &a = *operands[0].shape, &b = *operands[1].shape;
  const auto path = product_path(*a.type, *b.type);
  const auto* epilogue = activation(kEpilogues, gemm.epilogue);
  if (path.empty() || !epilogue || gemm.alpha_imag != 0) return no(unmapped::kNotModelled);
  std::uint64_t inner = 1;
  for (const auto axis : gemm.lhs_contract) {
    if (axis >= a.sizes.size()) return no(unmapped::kContradiction);
    inner = times(inner, a.sizes[static_cast<std::size_t>(axis)]);
  }
  auto work = traffic(operands, results);
  const auto out = results.front().elements();
  const auto each = epilogue->vector + (gemm.alpha != 1 ? 1u : 0u) +
                    (gemm.beta == 0   ? 0u
                     : gemm.beta == 1 ? 1u
                                      : 2u);
  work.add(path, times(2, times(out, inner)));
  work.add("vector.fp32", times(each, out));
  work.add("sfu", times(epilogue->sfu, out));
  return work;
}

// The arrays by their part in the forward pass: x * w -> y, whichever of them is computed. A padded
// tap counts, as in docs/model.md, section 1.
Counted count_convolution(const Instruction& call, const CallOperands& operands,
                          std::string_view kind) {
  const auto results = results_of(call.shape);
  if (operands.size() < 2 || results.empty()) return no(unmapped::kNoShapes);
  const auto *first = operands[0].shape, *second = operands[1].shape;
  const Shape *x = first, *w = second, *y = &results.front();
  if (kind == "BackwardInput") {
    y = first;
    x = &results.front();
  } else if (kind == "BackwardFilter") {
    y = second;
    w = &results.front();
  }
  Convolution convolution;
  JsonCursor json(call.more().backend_config);
  read_convolution(json, convolution);
  const auto* act = activation(kActivations, convolution.activation);
  const auto path = product_path(*first->type, *second->type);
  if (json.failed() || !act || path.empty()) return no(unmapped::kNotModelled);
  const auto inner = convolution_taps(call.more(), *w);
  const auto touched = convolution_touched(call.more(), *x, *w, *y);
  if (!inner || !touched) return no(unmapped::kContradiction);
  auto work = traffic(operands, results);
  if (x != &results.front()) {
    const auto needed = times(*touched, x->type->bits) / 8;
    work.read_bytes -= x->bytes() - std::min(x->bytes(), needed);
  }
  work.add(path, times(2, times(y->elements(), *inner)));
  if (kind.starts_with("BiasActivation")) {
    const auto side = operands.size() > 3 ? (convolution.side_scale == 1 ? 1u : 2u) : 0u;
    const auto scale = convolution.result_scale == 1 ? 0u : 1u;
    work.add("vector.fp32", times(1u + side + scale + act->vector, y->elements()));
  }
  return work;
}

}  // namespace

double json_number(JsonCursor& json) {
  if (json.peek() != '"') return json.real().value_or(0);
  std::string text;
  json.text(text);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t json_count(JsonCursor& json) {
  const double value = json_number(json);
  return value >= 0 && value < 9e18 ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
}

std::vector<Shape> results_of(const Shape& shape) {
  if (!shape.tuple) return {shape};
  auto parts = shape.parts;
  if (parts.size() > 1 && (parts.back().type->name == "s8" || parts.back().type->name == "u8") &&
      parts.back().sizes.size() == 1)
    parts.pop_back();
  return parts;
}

Work traffic(const CallOperands& operands, const std::vector<Shape>& results) {
  Work work;
  for (const auto& operand : operands) {
    if (operand.repeated || operand.shape->bytes() == 0) continue;
    work.read_bytes = plus(work.read_bytes, operand.shape->bytes());
    work.inputs.push_back(*operand.shape);
  }
  for (const auto& result : results) work.written_bytes = plus(work.written_bytes, result.bytes());
  return work;
}

std::optional<std::uint64_t> convolution_taps(const Details& details, const Shape& kernel) {
  const auto& sizes = kernel.sizes;
  if (details.kernel_output >= sizes.size()) return std::nullopt;
  std::uint64_t taps = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (i != details.kernel_output) taps = times(taps, sizes[i]);
  return taps;
}

std::optional<std::uint64_t> convolution_touched(const Details& details, const Shape& input,
                                                 const Shape& kernel, const Shape& output) {
  const auto axes = details.input_spatial.size();
  if (details.kernel_spatial.size() != axes || details.output_spatial.size() != axes ||
      details.window.size() != axes)
    return std::nullopt;
  auto touched = input.elements();
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 24;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto at = [&](const Shape& shape, std::uint64_t axis) {
      return axis < shape.sizes.size() ? shape.sizes[static_cast<std::size_t>(axis)] : 0;
    };
    const auto in = at(input, details.input_spatial[i]),
               taps = at(kernel, details.kernel_spatial[i]),
               out = at(output, details.output_spatial[i]);
    const auto& window = details.window[i];
    if (in == 0 || in > kLongest || taps > kLongest || out > kLongest ||
        times(out, taps) > kLongest)
      return std::nullopt;
    std::vector<bool> used(static_cast<std::size_t>(in), false);
    std::uint64_t count = 0;
    for (std::uint64_t o = 0; o < out; ++o)
      for (std::uint64_t t = 0; t < taps; ++t) {
        const auto place =
            static_cast<std::int64_t>(o * window.stride + t * window.dilation) - window.low;
        if (place < 0 || static_cast<std::uint64_t>(place) >= in ||
            used[static_cast<std::size_t>(place)])
          continue;
        used[static_cast<std::size_t>(place)] = true;
        ++count;
      }
    touched = touched / in * count;
  }
  return touched;
}

Counted count_custom_call(const Instruction& call, const CallOperands& operands) {
  auto target = call.more().target;
  if (target.starts_with("te_fused_attn_")) return count_transformer_engine(call, operands);
  if (target.starts_with("__cudnn$fmha")) return count_cudnn_attention(call, operands);
  if (target == "__cublas$gemm" || target == "__cublas$lt$matmul" ||
      target == "__cublas$lt$matmul$f8")
    return count_gemm(call, operands);
  constexpr std::string_view kConvolution = "__cudnn$conv";
  if (target.starts_with(kConvolution)) {
    target.remove_prefix(kConvolution.size());
    for (const std::string_view kind :
         {"Forward", "BackwardInput", "BackwardFilter", "BiasActivationForward"})
      if (target == kind) return count_convolution(call, operands, kind);
  }
  return no(unmapped::kNotModelled);
}

}  // namespace roofline::hlo
