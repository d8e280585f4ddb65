#include "ingest/mapping/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "roofline/base/text.hpp"

namespace roofline::mapping {
namespace {

constexpr std::pair<std::string_view, std::string_view> kDtypes[] = {
    {"bfloat16", "bf16"},
    {"c10::bfloat16", "bf16"},
    {"bf16", "bf16"},
    {"half", "fp16"},
    {"c10::half", "fp16"},
    {"float16", "fp16"},
    {"fp16", "fp16"},
    {"f16", "fp16"},
    {"float", "fp32"},
    {"float32", "fp32"},
    {"fp32", "fp32"},
    {"f32", "fp32"},
    {"tf32", "tf32"},
    {"double", "fp64"},
    {"float64", "fp64"},
    {"fp64", "fp64"},
    {"f64", "fp64"},
    {"long int", "int64"},
    {"long", "int64"},
    {"int64", "int64"},
    {"long long", "int64"},
    {"__int64", "int64"},
    {"int", "int32"},
    {"int32", "int32"},
    {"s32", "int32"},
    {"short", "int16"},
    {"short int", "int16"},
    {"int16", "int16"},
    {"char", "int8"},
    {"signed char", "int8"},
    {"int8", "int8"},
    {"s8", "int8"},
    {"byte", "uint8"},
    {"unsigned char", "uint8"},
    {"uint8", "uint8"},
    {"u8", "uint8"},
    {"bool", "boolean"},
    {"c10::complex<float>", "complex64"},
    {"cf32", "complex64"},
    {"c10::complex<double>", "complex128"},
    {"cf64", "complex128"},
    {"c10::float8_e4m3fn", "fp8_e4m3"},
    {"float8_e4m3fn", "fp8_e4m3"},
    {"c10::float8_e4m3fnuz", "fp8_e4m3"},
    {"fe4m3", "fp8_e4m3"},
    {"c10::float8_e5m2", "fp8_e5m2"},
    {"float8_e5m2", "fp8_e5m2"},
    {"c10::float8_e5m2fnuz", "fp8_e5m2"},
    {"fe5m2", "fp8_e5m2"},
    {"c10::float8_e8m0fnu", "ue8m0"},
    {"c10::float4_e2m1fn_x2", "fp4_e2m1"},
};

/// Names of FP32 matrix kernels that run on the FP32 pipe, and of those that use tensor cores.
constexpr std::string_view kVectorNames[] = {"sgemm", "simt",   "ffma",
                                             "gemv",  "gemmsn", "dot_kernel"};
constexpr std::string_view kTensorNames[] = {"tf32",  "tensorop", "s1688", "s16816",
                                             "xmma",  "sm80_",    "sm90_", "sm100_",
                                             "nvjet", "ampere_",  "wgmma"};

template <std::size_t N>
bool any_in(std::string_view name, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](auto word) { return name.find(word) != std::string_view::npos; });
}

/// Numbers between brackets, one level deep: "[1, 2]", or "(1, 2)" as Python prints them.
std::optional<Sizes> parse_list(std::string_view text) {
  text = trimmed(text);
  const auto closed_by = [&](char open, char close) {
    return text.size() >= 2 && text.front() == open && text.back() == close;
  };
  if (!closed_by('[', ']') && !closed_by('(', ')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Sizes sizes;
  while (!trimmed(text).empty()) {
    const auto comma = text.find(',');
    const auto word = trimmed(text.substr(0, comma));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    sizes.push_back(value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return sizes;
}

}  // namespace

bool Arguments::is_tensor(std::size_t i) const { return !shape(i).empty(); }

const Sizes& Arguments::shape(std::size_t i) const {
  static const Sizes kNone;
  const auto* operand = at(i);
  return operand && operand->tensor ? operand->shape : kNone;
}

std::uint64_t Arguments::elements(std::size_t i) const { return product(shape(i)); }

bool Arguments::strides_known(std::size_t i) const {
  return is_tensor(i) && at(i)->strides.size() == rank(i);
}

Sizes Arguments::stored_shape(std::size_t i) const {
  auto sizes = shape(i);
  if (strides_known(i))
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (at(i)->strides[axis] == 0) sizes[axis] = std::min<std::uint64_t>(sizes[axis], 1);
  return sizes;
}

std::optional<std::string_view> Arguments::dtype(std::size_t i) const {
  const auto* operand = at(i);
  return operand ? dtype_name(operand->type) : std::nullopt;
}

std::optional<std::string_view> Arguments::matrix_dtype(std::size_t i) const {
  const auto type = dtype(i);
  return type ? std::optional(matrix_dtype_of(*type, kernel_name_)) : std::nullopt;
}

bool Arguments::told(std::size_t i) const { return !value(i).empty(); }

std::string_view Arguments::value(std::size_t i) const {
  const auto* operand = at(i);
  return operand ? std::string_view(operand->value) : std::string_view();
}

std::optional<Sizes> Arguments::list(std::size_t i) const { return parse_list(value(i)); }

std::optional<std::vector<Sizes>> Arguments::lists(std::size_t i) const {
  auto text = trimmed(value(i));
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<Sizes> lists;
  while (!trimmed(text).empty()) {
    const auto open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return std::nullopt;
    auto sizes = parse_list(text.substr(open, close - open + 1));
    if (!sizes) return std::nullopt;
    lists.push_back(std::move(*sizes));
    text.remove_prefix(close + 1);
  }
  return lists;
}

std::optional<long long> Arguments::whole(std::size_t i) const {
  const auto text = trimmed(value(i));
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(number)
             : std::nullopt;
}

std::string_view matrix_dtype_of(std::string_view dtype, std::string_view kernel_name) {
  if (dtype != "fp32") return dtype;
  const auto name = lower_case(kernel_name);
  return any_in(name, kTensorNames) && !any_in(name, kVectorNames) ? "tf32" : "fp32";
}

std::uint64_t product(const Sizes& sizes, std::size_t from, std::size_t to) {
  std::uint64_t all = 1;
  for (std::size_t i = from; i < std::min(to, sizes.size()); ++i) {
    if (sizes[i] != 0 && all > std::numeric_limits<std::uint64_t>::max() / sizes[i])
      return std::numeric_limits<std::uint64_t>::max();
    all *= sizes[i];
  }
  return all;
}
std::uint64_t product(const Sizes& sizes, std::size_t from) {
  return product(sizes, from, sizes.size());
}

std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b) {
  Sizes result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto from_end = [&](const Sizes& s) {
      return i < s.size() ? s[s.size() - 1 - i] : std::uint64_t{1};
    };
    const auto x = from_end(a), y = from_end(b);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::optional<std::string_view> dtype_name(std::string_view foreign) {
  const auto key = lower_case(trimmed(foreign));
  for (const auto& [theirs, ours] : kDtypes)
    if (key == theirs) return ours;
  return std::nullopt;
}

std::string_view promoted(std::string_view a, std::string_view b) {
  if (a == b) return a;
  constexpr std::string_view kOrder[] = {"boolean", "uint8",    "int8",      "int16",     "int32",
                                         "int64",   "fp8_e5m2", "fp8_e4m3",  "fp16",      "bf16",
                                         "fp32",    "fp64",     "complex64", "complex128"};
  const auto place = [&](std::string_view name) {
    return std::find(std::begin(kOrder), std::end(kOrder), name) - std::begin(kOrder);
  };
  if ((a == "fp16" && b == "bf16") || (a == "bf16" && b == "fp16")) return "fp32";
  return place(a) > place(b) ? a : b;
}

}  // namespace roofline::mapping
