#include <charconv>

#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"
#include "roofline/base/text.hpp"

/// Operations that are no framework's operators: rows of CUTLASS's profiler, work that
/// an author declared.
namespace roofline::mapping {
namespace {

std::optional<std::uint64_t> number(const Operation& operation, std::string_view key) {
  return attribute_number(operation, key);
}

/// "f16:column"
std::optional<std::string_view> type_of(const Operation& operation, std::string_view key) {
  return dtype_name(operation.attribute(key).substr(0, operation.attribute(key).find(':')));
}

bool is_zero(std::string_view text) { return text.empty() || text == "0" || text == "0.0"; }

/// Rows of conv2d and conv3d. Types are of the roles whatever the kind is: of the input, the
/// weights and the output (ConvDescription of CUTLASS's library/descriptions.h).
Mapped map_cutlass_convolution(const Operation& operation) {
  const bool three = operation.attribute("operation") == "conv3d";
  const auto sizes = [&](std::initializer_list<std::string_view> of_two,
                         std::string_view of_depth) -> std::optional<Sizes> {
    Sizes found;
    if (three) {
      const auto depth = number(operation, of_depth);
      if (!depth) return std::nullopt;
      found.push_back(*depth);
    }
    for (const auto key : of_two) {
      const auto size = number(operation, key);
      if (!size) return std::nullopt;
      found.push_back(*size);
    }
    return found;
  };
  const auto in = sizes({"h", "w"}, "d"), window = sizes({"r", "s"}, "t"),
             out = sizes({"p", "q"}, "z"), pad = sizes({"pad_h", "pad_w"}, "pad_d"),
             stride = sizes({"stride_h", "stride_w"}, "stride_d"),
             dilation = sizes({"dilation_h", "dilation_w"}, "dilation_d");
  const auto n = number(operation, "n"), c = number(operation, "c"), k = number(operation, "k");
  const auto groups = number(operation, "groups").value_or(1);
  if (!in || !window || !out || !pad || !stride || !dilation || !n || !c || !k)
    return no(unmapped::kNoShapes);
  if (groups == 0 || *c % groups != 0) return no(unmapped::kContradiction);
  const auto x = type_of(operation, "Activation"), w = type_of(operation, "Filter"),
             y = type_of(operation, "Output");
  if (!x || !w || !y) return no(unmapped::kNoDtype);
  const bool on_tensor = operation.attribute("op_class").find("tensor") != std::string_view::npos;
  const auto product_type = [&](std::string_view type) {
    return on_tensor && type == "fp32" ? std::string_view("tf32") : type;
  };
  const auto shape = [](std::uint64_t first, std::uint64_t second, const Sizes& axes) {
    Sizes all = {first, second};
    all.insert(all.end(), axes.begin(), axes.end());
    return all;
  };
  const auto x_shape = shape(*n, *c, *in), w_shape = shape(*k, *c / groups, *window),
             y_shape = shape(*n, *k, *out);
  const auto kind = operation.attribute("conv_kind");
  const bool adds = !is_zero(operation.attribute("beta"));  // to what the result holds
  if (kind == "fprop" && !adds) {
    Description conv("conv");
    conv.count("batch", *n).count("c_in", *c).count("c_out", *k);
    conv.sizes("in", *in).sizes("kernel", *window);
    conv.sizes("stride", *stride).sizes("pad", *pad).sizes("dilation", *dilation);
    conv.count("groups", groups);
    conv.dtype("x", product_type(*x)).dtype("w", product_type(*w)).dtype("y", *y);
    return conv;
  }
  OwnWork work;
  const auto result = [&](std::string_view name, const Sizes& sizes_of, std::string_view type) {
    if (adds) work.read("c", sizes_of, type);
    work.write(name, sizes_of, type);
  };
  if (kind == "fprop") {
    work.read("x", x_shape, *x).read("w", w_shape, *w);
    result("y", y_shape, *y);
  } else if (kind == "dgrad") {
    work.read("dy", y_shape, *y).read("w", w_shape, *w);
    result("dx", x_shape, *x);
  } else if (kind == "wgrad") {
    work.read("dy", y_shape, *y).read("x", x_shape, *x);
    result("dw", w_shape, *w);
  } else {
    return no(unmapped::kNotModelled);
  }
  const auto operand = kind == "wgrad" ? *x : *w;
  return work.matmul(fmt::format("2*{}*{}", product(y_shape), product(w_shape, 1)),
                     product_type(operand));
}

}  // namespace

std::optional<std::uint64_t> attribute_number(const Operation& operation, std::string_view key) {
  const auto text = operation.attribute(key);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

// Rows of cutlass_profiler: operation gemm, m, n, k, and the types of a, b, c and d.
Mapped map_cutlass(const Operation& operation) {
  const auto what = lower_case(operation.attribute("operation"));
  if (what == "conv2d" || what == "conv3d") return map_cutlass_convolution(operation);
  if (!what.empty() && what.find("gemm") == std::string::npos) return no(unmapped::kNotModelled);
  const bool sparse = what.find("sparse") != std::string::npos || what == "spgemm";
  const auto m = number(operation, "m"), n = number(operation, "n"), k = number(operation, "k");
  if (!m || !n || !k) return no(unmapped::kNoShapes);
  auto a = type_of(operation, "a"), b = type_of(operation, "b");
  const auto c = type_of(operation, "c"), d = type_of(operation, "d");
  if (!a || !b || (!c && !d)) return no(unmapped::kNoDtype);
  const auto on_tensor = operation.attribute("op_class").find("tensor") != std::string_view::npos;
  if (on_tensor && a == "fp32") a = "tf32";
  if (on_tensor && b == "fp32") b = "tf32";
  const auto batch = number(operation, "batch").value_or(1);
  const bool adds = !is_zero(operation.attribute("beta"));
  if (sparse && (batch > 1 || adds)) return no(unmapped::kNotModelled);
  Description gemm(sparse ? "sparse24_gemm" : "gemm");
  gemm.count("m", *m).count("n", *n).count("k", *k);
  if (batch > 1) gemm.count("batch", batch);
  gemm.dtype("a", *a).dtype("b", *b).dtype("d", d ? *d : *c);
  if (adds) gemm.text("beta", "1");
  return gemm;
}

// Proton's metrics and the like: bytes, and FLOPs by the width of their type ("flops8") or by name.
Mapped map_declared(const Operation& operation) {
  const auto bytes = number(operation, "bytes");
  constexpr std::pair<std::string_view, std::string_view> kFlops[] = {{"flops64", "tensor:fp64"},
                                                                      {"flops32", "vector:fp32"},
                                                                      {"flops16", "tensor:bf16"},
                                                                      {"flops8", "tensor:fp8"},
                                                                      {"flops4", "tensor:fp4"}};
  Description op("generic");
  bool any = false;
  for (const auto& [key, pipe] : kFlops) {
    const auto flops = number(operation, key);
    if (!flops) continue;
    if (any)
      return no(unmapped::kNotModelled);  // of several types: which pipe bounds it is not told
    any = true;
    op.count("flops", *flops).word("pipe", pipe);
    if (pipe.starts_with("tensor")) op.word("primary", "matmul");
  }
  if (!any && !bytes) return no(unmapped::kNoShapes);
  if (!any) op.count("flops", 0).word("pipe", "vector:fp32");
  op.text("tensors", "[{\"name\": \"data\", \"shape\": [" + std::to_string(bytes.value_or(0)) +
                         "], \"dtype\": \"uint8\", \"access\": \"read\"}]");
  return op;
}

}  // namespace roofline::mapping
