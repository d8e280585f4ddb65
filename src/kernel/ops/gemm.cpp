#include <fmt/format.h>

#include "kernel/ops/activation_cost.hpp"
#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr ParamAlias kMnkAliases[] = {{"M", "m"}, {"N", "n"}, {"K", "k"}};

/// Arithmetic of scaling the old output by beta and adding it, for n results.
Count beta_flops(double beta, Count n) { return beta == 0 ? Count(0) : beta == 1 ? n : n * 2; }

// ---------------------------------------------------------------- gemm
constexpr std::string_view kQuantizeKinds[] = {"none", "static_tensor", "dynamic_row"};
constexpr ParamSpec kGemmParams[] = {
    {.name = "m", .doc = "rows of A and D"},
    {.name = "n", .doc = "columns of B and D"},
    {.name = "k", .doc = "columns of A, rows of B"},
    {.name = "batch", .required = false, .doc = "independent products", .default_value = "1"},
    {.name = "alpha",
     .type = ParamType::number,
     .required = false,
     .doc = "factor of A*B",
     .default_value = "1"},
    {.name = "beta",
     .type = ParamType::number,
     .required = false,
     .doc = "factor of C; C is read only when it is not 0",
     .default_value = "0"},
    {.name = "bias",
     .type = ParamType::flag,
     .required = false,
     .doc = "plus a vector of n",
     .default_value = "false"},
    {.name = "activation",
     .type = ParamType::choice,
     .required = false,
     .doc = "applied to every result",
     .default_value = "none",
     .choices = kPlainActivationNames},
    {.name = "residual",
     .type = ParamType::flag,
     .required = false,
     .doc = "plus a tensor of D's shape and dtype",
     .default_value = "false"},
    {.name = "quantize",
     .type = ParamType::choice,
     .required = false,
     .doc = "D is scaled before it is narrowed: by one given scale, or by a scale per row that is "
            "found and written",
     .default_value = "none",
     .choices = kQuantizeKinds},
    {.name = "a_broadcast",
     .type = ParamType::flag,
     .required = false,
     .doc = "one A for the whole batch",
     .default_value = "false"},
    {.name = "b_broadcast",
     .type = ParamType::flag,
     .required = false,
     .doc = "one B for the whole batch",
     .default_value = "false"},
    {.name = "split_k",
     .required = false,
     .doc = "slices of k that are summed through an fp32 workspace in memory",
     .default_value = "1",
     .minimum = 1},
};
constexpr OperandSpec kGemmOperands[] = {
    {.name = "a", .doc = "left matrix"},
    {.name = "b", .doc = "right matrix (weights)", .default_dtype = "=a"},
    {.name = "d", .doc = "result, and residual", .default_dtype = "=a", .traffic = "d residual"},
    {.name = "c", .doc = "old output, with beta", .default_dtype = "=d"},
    {.name = "bias", .doc = "bias vector", .default_dtype = "=d"},
};
constexpr ParamAlias kGemmAliases[] = {
    {"M", "m"}, {"N", "n"}, {"K", "k"}, {"B", "batch"}, {"batch_size", "batch"}};

/// D = act(alpha*A*B + beta*C + bias) + residual, `batch` times. A first add of every dot product
/// is counted, as BLAS does, so a product is exactly 2mnk. The epilogue's arithmetic is vector
/// work, apart from the headline.
Counted gemm(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "a", "b");
  if (!pipe) return tl::unexpected(pipe.error());
  const auto a = input.dtype("a"), d = input.dtype("d");
  const Count m = input.count("m"), n = input.count("n"), k = input.count("k"),
              batch = input.count("batch", 1);
  const Count per_product = m * n * k, products = per_product * batch, out = m * n * batch,
              rows = m * batch;
  const bool some = out > Count(0);
  const double beta = input.number("beta", 0);
  const bool bias = input.flag("bias", false), residual = input.flag("residual", false);
  const auto& activation = activation_cost(input.choice("activation", "none"));
  const auto quantize = input.choice("quantize", "none");

  Work work(Work::Headline::matmul, *pipe);
  work.matmul(products * (describe(a).is_complex ? 8 : 2));
  Count vector = beta_flops(beta, out) + out * activation.vector, sfu = out * activation.sfu;
  if (input.number("alpha", 1) != 1) vector += out;
  if (bias) vector += out;
  if (residual) vector += out;

  const bool multiplies = products != Count(0);
  work.read("a", multiplies
                     ? bytes(m * k * (input.flag("a_broadcast", false) ? Count(1) : batch), a)
                     : Count(0));
  work.read("b", multiplies ? bytes(k * n * (input.flag("b_broadcast", false) ? Count(1) : batch),
                                    input.dtype("b"))
                            : Count(0));
  if (beta != 0) work.read("c", bytes(out, input.has_dtype("c") ? input.dtype("c") : d));
  if (bias)
    work.read("bias",
              bytes(some ? n : Count(0), input.has_dtype("bias") ? input.dtype("bias") : d));
  if (residual) work.read("residual", bytes(out, d));
  if (quantize == "static_tensor") {
    vector += out;
    work.read("d_scale", bytes(1, DType::fp32));
  } else if (quantize == "dynamic_row") {
    if (some) {
      vector += max(0, out - rows) + rows +
                out;  // largest magnitude of each row, its scale, one multiply per value
      sfu += rows;
    }
    work.write("d_scale", bytes(some ? rows : Count(0), DType::fp32));
  }
  work.write("d", bytes(out, d));
  if (const Count slices = input.count("split_k", 1); slices > Count(1)) {
    const Count partials = bytes(out * slices, DType::fp32);
    work.write("workspace", partials).read("workspace", partials);
    vector += (slices - 1) * out;
  }
  work.vector(vector_pipe(d).type, vector).sfu(sfu);
  return work;
}

// ---------------------------------------------------------------- grouped_gemm
constexpr ParamSpec kGroupedParams[] = {
    {.name = "groups", .type = ParamType::count_lists, .doc = "one [m, n, k] per product"},
};
constexpr OperandSpec kGroupedOperands[] = {
    {.name = "a", .doc = "left matrices", .partial = true},
    {.name = "b",
     .doc = "right matrices (weights); those of empty groups are not read",
     .default_dtype = "=a",
     .partial = true},
    {.name = "d", .doc = "results", .default_dtype = "=a"},
};

/// Products of different sizes in one launch. A group without rows reads no weights.
Counted grouped_gemm(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "a", "b");
  if (!pipe) return tl::unexpected(pipe.error());
  const auto a = input.dtype("a"), b = input.dtype("b"), d = input.dtype("d");
  Work work(Work::Headline::matmul, *pipe);
  work.read("a", 0).read("b", 0);
  Count with_work = 0;
  static const ValueList kNone;
  const auto* groups = list_of(input, "groups");
  for (const auto& item : groups ? *groups : kNone) {
    const auto* group = std::get_if<ValueList>(&item.data);
    if (!group || group->size() != 3)
      return refuse("groups", fmt::format("a group has {} numbers", group ? group->size() : 0),
                    "each group is [m, n, k]");
    const Count m = count_of((*group)[0]), n = count_of((*group)[1]), k = count_of((*group)[2]);
    const Count products = m * n * k;
    work.matmul(products * 2);
    if (products != Count(0)) {
      work.read("a", bytes(m * k, a)).read("b", bytes(k * n, b));
      with_work += 1;
    }
    work.write("d", bytes(m * n, d));
  }
  work.fact("groups_with_work", with_work);
  return work;
}

// ---------------------------------------------------------------- gemv
constexpr ParamSpec kGemvParams[] = {
    {.name = "m", .doc = "rows of A, length of y"},
    {.name = "k", .doc = "columns of A, length of x"},
    {.name = "beta",
     .type = ParamType::number,
     .required = false,
     .doc = "factor of the old y, which is read only when it is not 0",
     .default_value = "0"},
};
constexpr OperandSpec kGemvOperands[] = {
    {.name = "a", .doc = "matrix (weights)"},
    {.name = "x", .doc = "vector", .default_dtype = "=a"},
    {.name = "y", .doc = "result", .default_dtype = "=x"},
};
constexpr ParamAlias kGemvAliases[] = {{"M", "m"}, {"K", "k"}};

Counted gemv(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "a", "x");
  if (!pipe) return tl::unexpected(pipe.error());
  const Count m = input.count("m"), k = input.count("k");
  const double beta = input.number("beta", 0);
  const Count y = bytes(m, input.dtype("y"));
  Work work(Work::Headline::matmul, *pipe);
  work.matmul(m * k * 2);
  work.read("a", bytes(m * k, input.dtype("a")));
  work.read("x", bytes(m == Count(0) ? m : k, input.dtype("x"))).write("y", y);
  if (beta != 0) work.read("y", y);
  work.vector(vector_pipe(input.dtype("y")).type, beta_flops(beta, m));
  return work;
}

// ---------------------------------------------------------------- sparse24_gemm
constexpr ParamSpec kSparseParams[] = {
    {.name = "m", .doc = "rows of A and D"},
    {.name = "n", .doc = "columns of B and D"},
    {.name = "k", .doc = "columns of A before pruning; a multiple of 4"},
};
constexpr OperandSpec kSparseOperands[] = {
    {.name = "a", .doc = "sparse matrix, half of its values kept", .traffic = "a_values"},
    {.name = "b", .doc = "dense matrix", .default_dtype = "=a"},
    {.name = "d", .doc = "result", .default_dtype = "=a"},
};

/// Two of every four values of A along k are kept, with a 2-bit index each. FLOPs are those
/// executed (mnk): hold them against the dense peak, or twice that against the sparse one.
Counted sparse24_gemm(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "a", "b");
  if (!pipe) return tl::unexpected(pipe.error());
  const Count m = input.count("m"), n = input.count("n"), k = input.count("k"),
              products = m * n * k;
  if (floor_div(k, 4) * 4 != k)
    return refuse("k", fmt::format("{} is not a multiple of 4", k.to_string()),
                  "2:4 sparsity keeps two of every four values along k; pad k");
  const Count kept = n == Count(0) ? Count(0) : floor_div(m * k, 2);
  Work work(Work::Headline::matmul, *pipe);
  work.matmul(products);
  work.read("a_values", bytes(kept, input.dtype("a"))).read("a_meta", ceil_div(kept * 2, 8));
  work.read("b", bytes(m == Count(0) ? m : k * n, input.dtype("b")))
      .write("d", bytes(m * n, input.dtype("d")));
  work.fact("dense_equivalent_flops", products * 2);
  return work;
}

// ---------------------------------------------------------------- syrk
constexpr ParamSpec kSyrkParams[] = {
    {.name = "n", .doc = "rows of A, order of C"},
    {.name = "k", .doc = "columns of A"},
};
constexpr OperandSpec kSyrkOperands[] = {
    {.name = "a", .doc = "matrix"},
    {.name = "c", .doc = "one triangle of the result", .default_dtype = "=a", .partial = true},
};
constexpr ParamAlias kSyrkAliases[] = {{"N", "n"}, {"K", "k"}};

Counted syrk(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "a", "a");
  if (!pipe) return tl::unexpected(pipe.error());
  const Count n = input.count("n"), k = input.count("k"), twice_triangle = n * (n + 1);
  Work work(Work::Headline::matmul, *pipe);
  work.matmul(twice_triangle * k);
  work.read("a", bytes(n * k, input.dtype("a")))
      .write("c", bytes(floor_div(twice_triangle, 2), input.dtype("c")));
  return work;
}

}  // namespace

constexpr OpEntry kGemm = {
    .name = "gemm",
    .family = "gemm",
    .doc = "D[m,n] = act(alpha*A[m,k]*B[k,n] + beta*C + bias) + residual, one or a batch",
    .params = kGemmParams,
    .operands = kGemmOperands,
    .aliases = kGemmAliases,
    .work =
        "matmul 2mnk*batch (complex 8mnk); vector per result: alpha != 1: 1, beta = 1: 1, other "
        "beta: 2, bias 1, activation, residual 1, static scale 1, scale per row about 2",
    .bytes =
        "batch*(mk*s_a + kn*s_b + mn*s_d); C, bias and residual when used; split_k s: + 8*mn*s of "
        "fp32 partials",
    .intensity = "equal s: 2mnk/(s(mk+kn+mn)); square 2n/(3s); m = 1: about 2/s",
    .source =
        "Williams, Waterman, Patterson 2009 for the model; 2mnk as in BLAS, PyTorch and CUTLASS",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: up_projection
    op: gemm
    m: 4096
    n: 16384
    k: 4096
    bias: true
    activation: gelu_tanh
    dtype: bf16
)yaml",
    .model = &gemm,
};

constexpr OpEntry kGroupedGemm = {
    .name = "grouped_gemm",
    .family = "gemm",
    .doc = "Matrix products of different sizes in one launch",
    .params = kGroupedParams,
    .operands = kGroupedOperands,
    .aliases = {},
    .work = "matmul: sum of 2mnk",
    .bytes = "sum of mk*s_a + kn*s_b + mn*s_d; a group with an empty size reads nothing",
    .intensity = "that of the sums",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: expert_gate
    op: grouped_gemm
    groups: [[1, 4096, 7168], [0, 4096, 7168], [17, 4096, 7168], [300, 4096, 7168]]
    dtypes: {a: fp8_e4m3, b: fp8_e4m3, d: bf16}
)yaml",
    .model = &grouped_gemm,
};

constexpr OpEntry kGemv = {
    .name = "gemv",
    .family = "gemm",
    .doc = "y[m] = A[m,k]*x[k] + beta*y",
    .params = kGemvParams,
    .operands = kGemvOperands,
    .aliases = kGemvAliases,
    .work = "matmul 2mk; vector beta = 1: m, other beta: 2m",
    .bytes = "mk*s_a + k*s_x + m*s_y (+ m*s_y with beta)",
    .intensity = "2mk/(s(mk+m+k)), about 2/s",
    .source =
        "docs/model.md, section 1; held against the tensor peak, which leaves the verdict (memory) "
        "unchanged",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: decode_projection
    op: gemv
    m: 8192
    k: 8192
    dtype: bf16
)yaml",
    .model = &gemv,
};

constexpr OpEntry kSparse24Gemm = {
    .name = "sparse24_gemm",
    .family = "gemm",
    .doc = "D[m,n] = A[m,k]*B[k,n] with A 2:4 sparse along k",
    .params = kSparseParams,
    .operands = kSparseOperands,
    .aliases = kMnkAliases,
    .work = "matmul mnk executed (2mnk dense equivalent)",
    .bytes = "mk/2*s_a + mk/8 metadata + kn*s_b + mn*s_d",
    .intensity = "mnk/(s(mk/2+kn+mn) + mk/8)",
    .source = "Mishra et al. 2021: two of four values kept, 2 index bits per kept value",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: pruned_projection
    op: sparse24_gemm
    m: 4096
    n: 4096
    k: 4096
    dtype: bf16
)yaml",
    .model = &sparse24_gemm,
};

constexpr OpEntry kSyrk = {
    .name = "syrk",
    .family = "gemm",
    .doc = "One triangle of C[n,n] = A[n,k]*transpose(A)",
    .params = kSyrkParams,
    .operands = kSyrkOperands,
    .aliases = kSyrkAliases,
    .work = "matmul n(n+1)k",
    .bytes = "nk*s_a + n(n+1)/2*s_c",
    .intensity = "n(n+1)k/(s(nk + n(n+1)/2))",
    .source = "BLAS level 3; docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: gram_matrix
    op: syrk
    n: 1024
    k: 4096
    dtype: fp32
)yaml",
    .model = &syrk,
};

}  // namespace roofline::op_models
