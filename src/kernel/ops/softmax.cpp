#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kPhases[] = {"fwd", "bwd"};

// ---------------------------------------------------------------- softmax
constexpr ParamSpec kSoftmaxParams[] = {
    {.name = "rows", .doc = "independent rows"},
    {.name = "cols", .doc = "values per row"},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward or backward pass",
     .default_value = "fwd",
     .choices = kPhases},
};
constexpr OperandSpec kSoftmaxOperands[] = {
    {.name = "input", .doc = "x; y and dy in the backward pass", .traffic = "x dy"},
    {.name = "output",
     .doc = "y; dx in the backward pass",
     .default_dtype = "=input",
     .traffic = "y dx"},
};

/// Forward per row: max n-1, subtract n, sum n-1, scale n; n exponentials and a reciprocal.
/// Backward per row: y*dy n, sum n-1, subtract n, times y n.
Counted softmax(const OpInput& input) {
  const Count rows = input.count("rows"), cols = input.count("cols");
  const bool forward = input.choice("phase", "fwd") == "fwd", some = cols > Count(0);
  const Count in = bytes(rows * cols, input.dtype("input")),
              out = bytes(rows * cols, input.dtype("output"));
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (forward) {
    if (some) work.vector(rows * (Count(4) * cols - 2)).sfu(rows * (cols + 1));
    work.read("x", in).write("y", out);
  } else {
    if (some) work.vector(rows * (Count(4) * cols - 1));
    work.read("y", in).read("dy", in).write("dx", out);
  }
  return work;
}

// ---------------------------------------------------------------- cross_entropy
constexpr ParamSpec kCrossEntropyParams[] = {
    {.name = "rows", .doc = "tokens"},
    {.name = "vocab", .doc = "logits per token"},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward or backward pass",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "save_lse",
     .type = ParamType::flag,
     .required = false,
     .doc = "the forward pass writes the fp32 log-sum-exp of every row for the backward pass",
     .default_value = "false"},
};
constexpr OperandSpec kCrossEntropyOperands[] = {
    {.name = "logits", .doc = "logits, and their gradient", .traffic = "logits dlogits"},
    {.name = "labels", .doc = "class of each row", .default_dtype = "int64"},
    {.name = "loss", .doc = "the scalar mean", .default_dtype = "fp32"},
};
constexpr ParamAlias kCrossEntropyAliases[] = {
    {"tokens", "rows"}, {"vocab_size", "vocab"}, {"classes", "vocab"}};

/// Mean loss. Forward per row: max V-1, subtract V, sum V-1, two to finish; V exponentials and a
/// logarithm; then a mean over rows. Backward per row: subtract and scale.
Counted cross_entropy(const OpInput& input) {
  const Count rows = input.count("rows"), vocab = input.count("vocab");
  const Count logits = bytes(rows * vocab, input.dtype("logits")),
              labels = bytes(rows, input.dtype("labels"));
  const Count lse = bytes(rows, DType::fp32);
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (input.choice("phase", "fwd") == "fwd") {
    if (rows > Count(0) && vocab > Count(0))
      work.vector(rows * (Count(3) * vocab) + rows).sfu(rows * (vocab + 1));
    work.read("logits", logits).read("labels", labels).write("loss", bytes(1, input.dtype("loss")));
    if (input.flag("save_lse", false)) work.write("lse", lse);
  } else {
    work.vector(rows * (Count(2) * vocab + 1)).sfu(rows * vocab);
    work.read("logits", logits).read("labels", labels).read("lse", lse).write("dlogits", logits);
  }
  return work;
}

}  // namespace

constexpr OpEntry kSoftmax = {
    .name = "softmax",
    .family = "softmax",
    .doc = "Softmax over the rows of a matrix, forward or backward",
    .params = kSoftmaxParams,
    .operands = kSoftmaxOperands,
    .aliases = {},
    .work = "r rows of n: fwd vector r(4n-2), sfu r(n+1); bwd vector r(4n-1)",
    .bytes = "fwd r*n*(s_in + s_out); bwd r*n*(2*s_in + s_out)",
    .intensity = "fwd (5n-1)/(2*n*s); bwd (4n-1)/(3*n*s)",
    .source =
        "docs/model.md, section 1; passes that re-read or rescale a row are extra, not compulsory",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: vocabulary_softmax
    op: softmax
    rows: 8192
    cols: 128256
    dtypes: {input: bf16, output: fp32}
)yaml",
    .model = &softmax,
};

constexpr OpEntry kCrossEntropy = {
    .name = "cross_entropy",
    .family = "softmax",
    .doc = "Mean cross entropy over rows of logits, forward or backward",
    .params = kCrossEntropyParams,
    .operands = kCrossEntropyOperands,
    .aliases = kCrossEntropyAliases,
    .work = "T rows of V: fwd vector 3TV + T, sfu T(V+1); bwd vector T(2V+1), sfu TV",
    .bytes = "fwd TV*s + T labels + the loss (+ 4T with save_lse); bwd 2TV*s + T labels + 4T",
    .intensity = "fwd about 4/s; bwd about 3/(2*s)",
    .source = "docs/model.md, section 1; fused with the projection before it, the logits disappear",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: loss
    op: cross_entropy
    rows: 8192
    vocab: 128256
    save_lse: true
    dtype: bf16
)yaml",
    .model = &cross_entropy,
};

}  // namespace roofline::op_models
