#include <fmt/format.h>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr ParamAlias kSizeAliases[] = {{"N", "n"}};

// ---------------------------------------------------------------- fft
constexpr ParamSpec kFftParams[] = {
    {.name = "n", .doc = "length of each transform, a power of two", .minimum = 1},
    {.name = "batch", .required = false, .doc = "transforms", .default_value = "1"},
    {.name = "real",
     .type = ParamType::flag,
     .required = false,
     .doc = "real input, n/2 + 1 complex outputs",
     .default_value = "false"},
};
constexpr OperandSpec kFftOperands[] = {
    {.name = "x", .doc = "complex64 or complex128; fp32 or fp64 with real", .traffic = "x y"},
};
constexpr ParamAlias kFftAliases[] = {{"N", "n"}, {"B", "batch"}};

/// The convention of FFTW's benchmarks, 5 n log2 n for complex and half of it for real data; split
/// radix does fewer.
Counted fft(const OpInput& input) {
  const Count n = input.count("n", 1), batch = input.count("batch", 1);
  int log2 = 0;
  while (log2 < 126 && (static_cast<__int128>(1) << log2) < n.value()) ++log2;
  if (Count::from_int128(static_cast<__int128>(1) << log2) != n)
    return refuse("n", fmt::format("{} is not a power of two", n.to_string()),
                  "the count 5 n log2 n is for powers of two");
  const bool real = input.flag("real", false);
  const auto x = input.dtype("x");
  const bool fits = real ? x == DType::fp32 || x == DType::fp64 : describe(x).is_complex;
  if (!fits)
    return refuse("x",
                  fmt::format("a {} transform of {}", real ? "real" : "complex", describe(x).name),
                  real ? "real transforms take fp32 or fp64"
                       : "take complex64 or complex128, or set `real: true`");
  Work work(Work::Headline::vector, vector_pipe(x));
  work.vector(floor_div(batch * 5 * n * log2, real ? 2 : 1));
  work.read("x", bytes(batch * n, x));
  const auto complex = x == DType::fp32 ? DType::complex64 : DType::complex128;
  work.write("y", real ? bytes(batch * (floor_div(n, 2) + 1), complex) : bytes(batch * n, x));
  return work;
}

// ---------------------------------------------------------------- spmv_csr
constexpr ParamSpec kSpmvParams[] = {
    {.name = "rows", .doc = "rows of the matrix, length of y"},
    {.name = "cols", .doc = "columns of the matrix, length of x"},
    {.name = "nnz", .doc = "stored values"},
    {.name = "x_touched",
     .required = false,
     .doc = "different elements of x that are read",
     .default_value = "min(cols, nnz)"},
    {.name = "beta",
     .type = ParamType::number,
     .required = false,
     .doc = "factor of the old y, which is read only when it is not 0",
     .default_value = "0"},
};
constexpr OperandSpec kSpmvOperands[] = {
    {.name = "val", .doc = "matrix values and both vectors", .traffic = "val x y", .partial = true},
    {.name = "idx",
     .doc = "column indices and row pointers",
     .default_dtype = "int32",
     .traffic = "col rowptr"},
};
constexpr ParamAlias kSpmvAliases[] = {{"m", "rows"}, {"n", "cols"}, {"M", "rows"}, {"N", "cols"}};

Counted spmv_csr(const OpInput& input) {
  const Count rows = input.count("rows"), cols = input.count("cols"), nnz = input.count("nnz");
  if (const Count cells = rows * cols; nnz > cells && !cells.overflowed())
    return refuse(
        "nnz", fmt::format("{} values in a matrix of {} cells", nnz.to_string(), cells.to_string()),
        "nnz is at most rows*cols");
  const Count most = min(cols, nnz), touched = input.count("x_touched", most);
  if (touched > most)
    return refuse("x_touched",
                  fmt::format("{} elements of x, but at most {} are needed", touched.to_string(),
                              most.to_string()),
                  "x_touched is at most cols and at most nnz");
  const auto val = input.dtype("val"), idx = input.dtype("idx");
  const double beta = input.number("beta", 0);
  const Count y = bytes(rows, val);
  Work work(Work::Headline::vector, vector_pipe(val));
  work.vector(nnz * 2);
  work.read("val", bytes(nnz, val))
      .read("col", bytes(nnz, idx))
      .read("rowptr", bytes(rows + 1, idx));
  work.read("x", bytes(touched, val)).write("y", y);
  if (beta != 0) work.read("y", y).vector(beta == 1 ? rows : rows * 2);
  return work;
}

// ---------------------------------------------------------------- stencil
constexpr std::string_view kCoefficients[] = {"per_point", "two"};
constexpr ParamSpec kStencilParams[] = {
    {.name = "grid",
     .type = ParamType::counts,
     .doc = "sizes of the interior, one to any number of axes"},
    {.name = "radius", .doc = "points on either side along each axis (a star)"},
    {.name = "steps",
     .required = false,
     .doc = "sweeps, each through memory",
     .default_value = "1"},
    {.name = "coefficients",
     .type = ParamType::choice,
     .required = false,
     .doc = "one per point, or one for the centre and one for the rest",
     .default_value = "per_point",
     .choices = kCoefficients},
};
constexpr OperandSpec kStencilOperands[] = {
    {.name = "x",
     .doc = "grid before (halo included) and after",
     .traffic = "u v",
     .partial = true},
};

/// The faces of the halo are read, its corners are not: a star does not reach them.
Counted stencil(const OpInput& input) {
  static const ValueList kNone;
  const auto* grid = list_of(input, "grid");
  if (!grid) grid = &kNone;
  const Count radius = input.count("radius"), steps = input.count("steps", 1);
  const Count cells = elements(*grid), points = radius * 2 * Count(grid->size()) + 1;
  const Count per_cell =
      input.choice("coefficients", "per_point") == "per_point" ? points * 2 - 1 : points + 1;
  Count halo = 0;
  if (cells != Count(0))
    for (const auto& size : *grid) halo += radius * 2 * floor_div(cells, count_of(size));
  Work work(Work::Headline::vector, vector_pipe(input.dtype("x")));
  work.vector(cells * per_cell * steps);
  work.read("u", steps * bytes(cells + halo, input.dtype("x")))
      .write("v", steps * bytes(cells, input.dtype("x")));
  return work;
}

// ---------------------------------------------------------------- nbody
constexpr ParamSpec kNbodyParams[] = {{.name = "n", .doc = "bodies"}};
constexpr OperandSpec kNbodyOperands[] = {
    {.name = "x", .doc = "positions with mass, and accelerations", .traffic = "pos_mass acc"},
};

Counted nbody(const OpInput& input) {
  const Count n = input.count("n"), pairs = n * n, vectors = bytes(n * 4, input.dtype("x"));
  Work work(Work::Headline::vector, vector_pipe(input.dtype("x")));
  work.vector(pairs * 18).sfu(pairs * 2);
  work.read("pos_mass", vectors).write("acc", vectors);
  return work;
}

// ---------------------------------------------------------------- monte_carlo
constexpr ParamSpec kMonteCarloParams[] = {
    {.name = "paths", .doc = "independent paths"},
    {.name = "steps", .required = false, .doc = "steps per path", .default_value = "1"},
    {.name = "flops_per_step", .doc = "add, sub, mul, compare per step (FLOP)"},
    {.name = "sfu_per_step",
     .required = false,
     .doc = "exp, log, sqrt, sin ... per step (operations)",
     .default_value = "0"},
    {.name = "outputs", .doc = "values written"},
};
constexpr OperandSpec kMonteCarloOperands[] = {{.name = "out", .doc = "results"}};

Counted monte_carlo(const OpInput& input) {
  const Count steps = input.count("paths") * input.count("steps", 1);
  Work work(Work::Headline::vector, vector_pipe(input.dtype("out")));
  work.vector(steps * input.count("flops_per_step")).sfu(steps * input.count("sfu_per_step"));
  work.write("out", bytes(input.count("outputs"), input.dtype("out")));
  return work;
}

}  // namespace

constexpr OpEntry kFft = {
    .name = "fft",
    .family = "hpc",
    .doc = "Fast Fourier transforms of a power-of-two length, complex or real",
    .params = kFftParams,
    .operands = kFftOperands,
    .aliases = kFftAliases,
    .work = "vector 5*batch*n*log2(n), half of it for real input",
    .bytes = "complex 2*batch*n*s; real batch*n*s + batch*(n/2+1)*2s",
    .intensity = "complex64: 5*log2(n)/16",
    .source = "FFTW benchmark methodology (Frigo and Johnson)",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: transform
    op: fft
    n: 1048576
    batch: 16
    dtype: complex64
)yaml",
    .model = &fft,
};

constexpr OpEntry kSpmvCsr = {
    .name = "spmv_csr",
    .family = "hpc",
    .doc = "Sparse matrix times vector, compressed rows",
    .params = kSpmvParams,
    .operands = kSpmvOperands,
    .aliases = kSpmvAliases,
    .work = "vector 2*nnz (+ rows with beta = 1, + 2*rows with another beta)",
    .bytes = "nnz*(s + s_idx) + (rows+1)*s_idx + x_touched*s + rows*s",
    .intensity = "fp64, int32: under 2/12",
    .source = "Williams et al. 2007; docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: poisson
    op: spmv_csr
    rows: 1000000
    cols: 1000000
    nnz: 6940000
    dtypes: {val: fp64, idx: int32}
)yaml",
    .model = &spmv_csr,
};

constexpr OpEntry kStencil = {
    .name = "stencil",
    .family = "hpc",
    .doc = "Star stencil over a grid of any number of axes",
    .params = kStencilParams,
    .operands = kStencilOperands,
    .aliases = {},
    .work =
        "p = 2*radius*axes + 1 points: vector (2p-1) per cell and step, p+1 with two coefficients",
    .bytes = "(cells + halo faces)*s read + cells*s written, per step",
    .intensity = "7 points, fp64: 13/16",
    .source = "Datta et al. 2008; docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: heat
    op: stencil
    grid: [512, 512, 512]
    radius: 1
    dtype: fp64
)yaml",
    .model = &stencil,
};

constexpr OpEntry kNbody = {
    .name = "nbody",
    .family = "hpc",
    .doc = "All-pairs gravity",
    .params = kNbodyParams,
    .operands = kNbodyOperands,
    .aliases = kSizeAliases,
    .work = "vector 18*n^2, sfu 2*n^2 (the pair of a body with itself included)",
    .bytes = "8*n*s",
    .intensity = "20*n/(8*s)",
    .source = "GPU Gems 3, chapter 31: 20 FLOP per interaction",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: gravity
    op: nbody
    n: 16384
    dtype: fp32
)yaml",
    .model = &nbody,
};

constexpr OpEntry kMonteCarlo = {
    .name = "monte_carlo",
    .family = "hpc",
    .doc = "Independent random paths without input",
    .params = kMonteCarloParams,
    .operands = kMonteCarloOperands,
    .aliases = {},
    .work = "vector paths*steps*flops_per_step, sfu paths*steps*sfu_per_step",
    .bytes = "outputs*s",
    .intensity = "paths*steps*(flops + sfu)/(outputs*s): unbounded",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: option_paths
    op: monte_carlo
    paths: 1048576
    steps: 252
    flops_per_step: 9
    sfu_per_step: 3
    outputs: 1048576
    dtype: fp32
)yaml",
    .model = &monte_carlo,
};

}  // namespace roofline::op_models
