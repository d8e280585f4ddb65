#include <charconv>

#include "ingest/mapping/families.hpp"
#include "roofline/base/text.hpp"

/// Operations that are no framework's operators: rows of CUTLASS's profiler, work that
/// an author declared.
namespace roofline::mapping {
namespace {

std::optional<std::uint64_t> number(const Operation& operation, std::string_view key) {
  return attribute_number(operation, key);
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
  if (!what.empty() && what.find("gemm") == std::string::npos) return no(unmapped::kNotModelled);
  if (what.find("sparse") != std::string::npos || what.find("spgemm") != std::string::npos)
    return no(unmapped::kNotModelled);
  const auto m = number(operation, "m"), n = number(operation, "n"), k = number(operation, "k");
  if (!m || !n || !k) return no(unmapped::kNoShapes);
  const auto type_of = [&](std::string_view key) {
    return dtype_name(operation.attribute(key).substr(0, operation.attribute(key).find(':')));
  };
  auto a = type_of("a"), b = type_of("b");
  const auto c = type_of("c"), d = type_of("d");
  if (!a || !b || (!c && !d)) return no(unmapped::kNoDtype);
  const auto on_tensor = operation.attribute("op_class").find("tensor") != std::string_view::npos;
  if (on_tensor && a == "fp32") a = "tf32";
  if (on_tensor && b == "fp32") b = "tf32";
  Description gemm("gemm");
  gemm.count("m", *m).count("n", *n).count("k", *k);
  if (const auto batch = number(operation, "batch"); batch && *batch > 1)
    gemm.count("batch", *batch);
  gemm.dtype("a", *a).dtype("b", *b).dtype("d", d ? *d : *c);
  const auto beta = operation.attribute("beta");
  if (!beta.empty() && beta != "0" && beta != "0.0") gemm.text("beta", "1");
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
