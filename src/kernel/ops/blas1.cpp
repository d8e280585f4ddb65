#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

/// FLOPs per element, for real and complex vectors, and what is read and written.
struct Routine {
  std::string_view name;
  int real_flops, complex_flops;
  std::string_view reads, writes;  ///< one letter per vector; r: a scalar result
};
constexpr Routine kRoutines[] = {
    {"copy", 0, 0, "x", "y"},          {"scal", 1, 6, "x", "x"},
    {"stream_scale", 1, 1, "x", "y"},  {"stream_add", 1, 1, "xy", "z"},
    {"stream_triad", 2, 2, "xy", "z"}, {"axpy", 2, 8, "xy", "y"},
    {"dot", 2, 8, "xy", "r"},          {"nrm2", 2, 4, "x", "r"},
};
constexpr auto kKinds = [] {
  std::array<std::string_view, std::size(kRoutines)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kRoutines[i].name;
  return names;
}();

constexpr ParamSpec kParams[] = {
    {.name = "n", .doc = "elements per vector"},
    {.name = "kind",
     .type = ParamType::choice,
     .doc = "the BLAS or STREAM routine; STREAM counts are for real vectors",
     .choices = kKinds},
};
constexpr OperandSpec kOperands[] = {{.name = "x", .doc = "all vectors", .traffic = "x y z r"}};
constexpr ParamAlias kAliases[] = {{"N", "n"}};

DType magnitude(DType dtype) {
  return dtype == DType::complex64 ? DType::fp32 : dtype == DType::complex128 ? DType::fp64 : dtype;
}

/// The first addition of a dot product or norm is counted, as in BLAS: 2n.
Counted blas1(const OpInput& input) {
  const Count n = input.count("n");
  const auto x = input.dtype("x");
  const auto kind = input.choice("kind", "copy");
  const auto* routine = &kRoutines[0];
  for (const auto& row : kRoutines)
    if (row.name == kind) routine = &row;
  const bool norm = routine->name == "nrm2";
  Work work(Work::Headline::vector, vector_pipe(x));
  work.vector(n * (describe(x).is_complex ? routine->complex_flops : routine->real_flops));
  if (norm && n > Count(0)) work.sfu(1);
  const auto size = [&](char operand) {
    return operand == 'r' ? bytes(1, norm ? magnitude(x) : x) : bytes(n, x);
  };
  for (const char& operand : routine->reads) work.read({&operand, 1}, size(operand));
  for (const char& operand : routine->writes) work.write({&operand, 1}, size(operand));
  return work;
}

}  // namespace

constexpr OpEntry kBlas1 = {
    .name = "blas1",
    .family = "hpc",
    .doc = "Level-1 BLAS and STREAM: copy, scale, add, triad, axpy, dot, norm",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "vector: copy 0, scal and stream_scale n, stream_add n, stream_triad, axpy, dot, nrm2 2n "
        "(sfu 1); complex: scal 6n, axpy and dot 8n, nrm2 4n",
    .bytes =
        "copy, scal, stream_scale 2ns; stream_add, stream_triad, axpy 3ns; dot 2ns + s; nrm2 ns + "
        "s",
    .intensity = "triad 2/(3s), fp64 1/12; dot 1/s, fp64 1/8",
    .source =
        "STREAM (McCalpin): 16 and 24 bytes per iteration, no write-allocate; BLAS operation "
        "counts",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: triad
    op: blas1
    n: 80000000
    kind: stream_triad
    dtype: fp64
)yaml",
    .model = &blas1,
};

}  // namespace roofline::op_models
