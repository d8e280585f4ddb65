#include <algorithm>
#include <optional>

#include "kernel/brackets.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"

namespace roofline {
namespace {

constexpr int kDeepest = 8;                // of one argument in another
constexpr std::size_t kLongestTypes = 24;  // of the arguments that are shown with a functor

/// Types of elements, and what holds or hands them on: any instance has one.
constexpr std::string_view kOrdinary[] = {"void",
                                          "bool",
                                          "char",
                                          "short",
                                          "int",
                                          "long",
                                          "float",
                                          "double",
                                          "half",
                                          "__half",
                                          "__half2",
                                          "half2",
                                          "float2",
                                          "float4",
                                          "double2",
                                          "int2",
                                          "int4",
                                          "uint4",
                                          "size_t",
                                          "int8_t",
                                          "uint8_t",
                                          "int16_t",
                                          "int32_t",
                                          "uint32_t",
                                          "int64_t",
                                          "uint64_t",
                                          "half_t",
                                          "bfloat16_t",
                                          "tfloat32_t",
                                          "Half",
                                          "BFloat16",
                                          "complex",
                                          "bfloat16",
                                          "nv_bfloat16",
                                          "__nv_bfloat16",
                                          "__nv_bfloat162",
                                          "__hip_bfloat16",
                                          "bf16",
                                          "fp16",
                                          "_Float16",
                                          "__nv_fp8_e4m3",
                                          "__nv_fp8_e5m2",
                                          "__hip_fp8_e4m3",
                                          "float_e4m3_t",
                                          "float_e5m2_t",
                                          "float8_e4m3_t",
                                          "Float8_e4m3fn",
                                          "Float8_e5m2",
                                          "OpaqueType",
                                          "decltype",
                                          "array",
                                          "Array",
                                          "tuple",
                                          "pair",
                                          "Tensor",
                                          "allocator",
                                          "integral_constant",
                                          "OffsetCalculator",
                                          "TrivialOffsetCalculator",
                                          "LoadWithoutCast",
                                          "StoreWithoutCast",
                                          "LoadWithCast",
                                          "StoreWithCast",
                                          "TensorListMetadata",
                                          "TensorListScalarListMetadata",
                                          "FusedOptimizerTensorListMetadata",
                                          "CUDAGeneratorImpl",
                                          "cublasGemvTensorStridedBatched",
                                          "KernelParams",
                                          "default_config"};
constexpr std::string_view kOrdinaryEnds[] = {"Policy",   "traits",   "Traits",    "Params",
                                              "ParamsEx", "Iterator", "TileState", "config"};
/// What passes on to the functor or function that is its own template argument.
constexpr std::string_view kWrappers[] = {
    "BinaryFunctor",        "AUnaryFunctor",      "BUnaryFunctor",          "ReduceOp",
    "func_wrapper_t",       "gpu_kernel_impl",    "gpu_kernel_impl_nocast", "enable_sm90",
    "enable_sm90_or_later", "enable_sm80_to_sm89"};

template <std::size_t N>
bool is_one_of(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string_view last_part(std::string_view name) {
  const auto at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

/// Whether a template argument is a number or an ordinary type, which tell nothing of what is done.
bool is_ordinary(std::string_view argument) {
  while (argument.ends_with('*') || argument.ends_with('&') || argument.ends_with(' '))
    argument.remove_suffix(1);
  for (const std::string_view word : {"const ", "unsigned ", "signed ", "volatile ", "struct "})
    if (argument.starts_with(word)) return is_ordinary(argument.substr(word.size()));
  if (argument.ends_with(" const")) return is_ordinary(argument.substr(0, argument.size() - 6));
  if (argument.empty() || argument == "true" || argument == "false") return true;
  if (const auto equals = argument.find('=');  // "int=4" of nvprof
      equals < argument.find_first_of("(<"))
    return is_ordinary(argument.substr(0, equals));
  const char first = argument.front();
  if (first == '(' || first == '-' || first == '&' || first == '{' ||
      (first >= '0' && first <= '9'))
    return true;
  const auto name = canonical_name(argument);
  const auto part = last_part(name.empty() ? argument : std::string_view(name));
  return is_one_of(kOrdinary, part) || argument.starts_with("long ") ||
         part.starts_with("Policy") ||
         std::any_of(std::begin(kOrdinaryEnds), std::end(kOrdinaryEnds),
                     [&](std::string_view end) { return part.ends_with(end); });
}

/// The template list of what is called `name` in `text`, without its brackets; empty: there is
/// none.
std::string_view template_list(std::string_view text, std::string_view name) {
  const auto part = last_part(name);
  if (part.empty()) return {};
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ':' || text[at - 1] == ' ';
    const auto open = at + part.size();
    if (!begins || open >= text.size() || text[open] != '<') continue;
    const auto end = after_bracket(text, open);
    return text.substr(open + 1, end - open - (text[end - 1] == '>' ? 2 : 1));
  }
  return {};
}

std::string told_by(std::string_view text, std::string_view name, int depth);

/// A functor, or the function whose lambda an argument is.
std::string described(std::string_view argument, int depth) {
  std::size_t at = 0;
  while (at < argument.size() && argument[at] != '(')
    at = argument[at] == '<' ? after_bracket(argument, at) : at + 1;
  const bool is_local = at < argument.size();  // something of a function
  auto owner = argument.substr(0, at);
  for (const std::string_view call : {"::operator", "::operator "})
    if (owner.ends_with(call)) owner.remove_suffix(call.size());
  const auto name = canonical_name(owner);
  if (is_one_of(kWrappers, last_part(name)))
    if (auto inner = told_by(owner, name, depth + 1); !inner.empty()) return inner;
  std::string shown(last_part(name));
  const auto types = template_list(owner, name);
  if (!is_local && !types.empty() && types.size() <= kLongestTypes)
    shown += '<' + std::string(trimmed(types)) + '>';
  return shown;
}

std::string told_by(std::string_view text, std::string_view name, int depth) {
  if (depth > kDeepest) return {};
  for (const auto argument : list_items(template_list(text, name)))
    if (!is_ordinary(argument)) return described(argument, depth);
  return {};
}

}  // namespace

std::string instance_name(std::string_view name) {
  auto text = demangle(name);
  auto canonical = canonical_name(text);
  if (text.starts_with("_Z")) return canonical;
  for (const std::string_view unnamed :
       {"(anonymous namespace)::", "<unnamed>::", "{anonymous}::", "`anonymous namespace'::"})
    for (auto at = text.find(unnamed); at != std::string::npos; at = text.find(unnamed, at))
      text.erase(at, unnamed.size());
  if (const auto argument = told_by(text, canonical, 0); !argument.empty())
    canonical += '<' + argument + '>';
  return canonical;
}

}  // namespace roofline
