#include "ingest/mapping/kernel_types.hpp"

#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "roofline/base/text.hpp"

namespace roofline::mapping {
namespace {

struct Mark {
  std::string_view part, dtype;
};
/// Of the names of cuBLAS, cuDNN, CUTLASS, rocBLAS and of PyTorch's own kernels, in lower case.
constexpr Mark kMarks[] = {
    {"bfloat16", "bf16"}, {"bf16", "bf16"},  {"half", "fp16"},   {"fp16", "fp16"},
    {"hgemm", "fp16"},    {"h884", "fp16"},  {"h1688", "fp16"},  {"h16816", "fp16"},
    {"f16f16", "fp16"},   {"_f16_", "fp16"}, {"double", "fp64"}, {"dgemm", "fp64"},
    {"f64f64", "fp64"},
};
constexpr std::string_view kNarrower[] = {"float8", "fp8",   "e4m3", "e5m2", "int8",
                                          "i8i8",   "igemm", "imma", "_b8_", "complex"};
constexpr std::string_view kSingle[] = {"float",   "sgemm", "scudnn", "f32f32",
                                        "tf32f32", "_f32_", "sgemv"};

template <std::size_t N>
bool any_in(std::string_view name, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](auto word) { return name.find(word) != std::string_view::npos; });
}

/// Operators whose tensors are all of one type: no tables of indices, no conversions, no masks.
constexpr std::string_view kOfOneType[] = {
    "mm",
    "addmm",
    "bmm",
    "baddbmm",
    "linear",
    "matmul",
    "mv",
    "add",
    "sub",
    "rsub",
    "mul",
    "div",
    "neg",
    "abs",
    "relu",
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "silu",
    "gelu",
    "pow",
    "reciprocal",
    "addcmul",
    "addcdiv",
    "threshold_backward",
    "gelu_backward",
    "silu_backward",
    "tanh_backward",
    "sigmoid_backward",
    "native_layer_norm",
    "layer_norm",
    "rms_norm",
    "convolution",
    "_convolution",
    "cudnn_convolution",
    "miopen_convolution",
    "batch_norm",
    "native_batch_norm",
    "cudnn_batch_norm",
    "miopen_batch_norm",
    "sum",
    "mean",
    "_softmax",
    "softmax",
};

}  // namespace

std::optional<std::string_view> operand_dtype_of(std::string_view kernel_name) {
  const auto name = lower_case(kernel_name);
  if (any_in(name, kNarrower)) return std::nullopt;
  std::optional<std::string_view> found;
  for (const auto& mark : kMarks) {
    if (name.find(mark.part) == std::string::npos) continue;
    if (found && *found != mark.dtype) return std::nullopt;
    found = mark.dtype;
  }
  if (!found && any_in(name, kSingle)) found = "fp32";
  return found;
}

std::optional<std::pair<std::string_view, std::string_view>> two_types_in(
    std::string_view kernel_name, std::string_view mark) {
  const auto at = kernel_name.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto types = kernel_name.substr(at + mark.size());
  const auto comma = types.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto rest = types.substr(comma + 1);
  const auto first = dtype_name(types.substr(0, comma)),
             second = dtype_name(rest.substr(0, rest.find_first_of(",>")));
  if (!first || !second) return std::nullopt;
  return std::pair(*first, *second);
}

std::optional<Operation> with_kernel_types(const Operation& operation,
                                           std::string_view kernel_name) {
  constexpr std::string_view kPrefix = "aten::";
  if (!operation.name.starts_with(kPrefix)) return std::nullopt;
  auto name = std::string_view(operation.name).substr(kPrefix.size());
  name = name.substr(0, name.find('.'));
  if (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
  if (std::find(std::begin(kOfOneType), std::end(kOfOneType), name) == std::end(kOfOneType))
    return std::nullopt;
  bool tensors = false;
  for (const auto& operand : operation.operands) {
    if (operand.tensor && !operand.type.empty()) return std::nullopt;
    tensors = tensors || operand.tensor;
  }
  const auto dtype = tensors ? operand_dtype_of(kernel_name) : std::nullopt;
  if (!dtype) return std::nullopt;
  auto typed = operation;
  for (auto& operand : typed.operands)
    if (operand.tensor) operand.type = *dtype;
  return typed;
}

}  // namespace roofline::mapping
