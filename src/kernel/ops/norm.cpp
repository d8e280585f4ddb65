#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kPhases[] = {"fwd", "bwd"};
constexpr ParamAlias kRowAliases[] = {
    {"tokens", "rows"}, {"hidden", "cols"}, {"hidden_size", "cols"}};
constexpr OperandSpec kRowOperands[] = {
    {.name = "x",
     .doc = "input, its gradient, and the residual stream",
     .traffic = "x dx residual"},
    {.name = "y",
     .doc = "output; dy in the backward pass",
     .default_dtype = "=x",
     .traffic = "y dy"},
    {.name = "weight", .doc = "weight and bias", .default_dtype = "=x", .traffic = "weight bias"},
    {.name = "dweight",
     .doc = "their gradients",
     .default_dtype = "=weight",
     .traffic = "dweight dbias"},
};

// ---------------------------------------------------------------- rmsnorm
constexpr ParamSpec kRmsnormParams[] = {
    {.name = "rows", .doc = "independent rows (tokens)"},
    {.name = "cols", .doc = "values per row"},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward or backward pass",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "weight",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: times a weight per column",
     .default_value = "true"},
    {.name = "residual",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: x is first added to a residual stream, which is updated in place",
     .default_value = "false"},
    {.name = "save_rstd",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: the fp32 reciprocal root of every row is written for the backward pass",
     .default_value = "false"},
};

Counted rmsnorm(const OpInput& input) {
  const Count rows = input.count("rows"), cols = input.count("cols"), n = rows * cols;
  const bool some = rows > Count(0) && cols > Count(0);
  const bool weighted = input.flag("weight", true), residual = input.flag("residual", false);
  const Count x = bytes(n, input.dtype("x")), y = bytes(n, input.dtype("y")),
              rstd = bytes(rows, DType::fp32);
  const Count weight = bytes(rows > Count(0) ? cols : Count(0), input.dtype("weight"));
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (input.choice("phase", "fwd") == "fwd") {
    // Per row: squares and their sum 2n-1, mean and epsilon 2, scale n, weight n, residual n; one
    // rsqrt.
    if (some)
      work.vector(Count(3) * n + rows + (weighted ? n : Count(0)) + (residual ? n : Count(0)))
          .sfu(rows);
    work.read("x", x).write("y", y);
    if (weighted) work.read("weight", weight);
    if (residual) work.read("residual", x).write("residual", x);
    if (input.flag("save_rstd", false)) work.write("rstd", rstd);
    return work;
  }
  // xhat n, t = dy*xhat n, sum(w*t) 2n-1, its mean 1, rstd*(w*dy - xhat*c) 4n; dweight: (rows-1)*n
  // additions.
  if (some) work.vector(Count(8) * n + (rows - 1) * cols);
  work.read("x", x).read("dy", y).read("rstd", rstd).read("weight", weight);
  work.write("dx", x).write("dweight", bytes(cols, input.dtype("dweight")));
  return work;
}

// ---------------------------------------------------------------- layernorm
constexpr ParamSpec kLayernormParams[] = {
    {.name = "rows", .doc = "independent rows (tokens)"},
    {.name = "cols", .doc = "values per row"},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc = "forward or backward pass",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "weight",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: times a weight per column",
     .default_value = "true"},
    {.name = "bias",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: plus a bias per column",
     .default_value = "true"},
    {.name = "save_stats",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: fp32 mean and reciprocal deviation of every row are written for the backward "
            "pass",
     .default_value = "false"},
};

Counted layernorm(const OpInput& input) {
  const Count rows = input.count("rows"), cols = input.count("cols"), n = rows * cols;
  const bool some = rows > Count(0) && cols > Count(0);
  const bool weighted = input.flag("weight", true), biased = input.flag("bias", true);
  const Count x = bytes(n, input.dtype("x")), y = bytes(n, input.dtype("y")),
              stats = bytes(rows, DType::fp32);
  const Count weight = bytes(rows > Count(0) ? cols : Count(0), input.dtype("weight"));
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (input.choice("phase", "fwd") == "fwd") {
    // Per row: sum n-1, mean 1, centre n, squares and their sum 2n-1, variance 1, epsilon 1, scale
    // n, weight n, bias n.
    if (some)
      work.vector(Count(5) * n + rows + (weighted ? n : Count(0)) + (biased ? n : Count(0)))
          .sfu(rows);
    work.read("x", x).write("y", y);
    if (weighted) work.read("weight", weight);
    if (biased) work.read("bias", weight);
    if (input.flag("save_stats", false)) work.write("mean", stats).write("rstd", stats);
    return work;
  }
  // xhat 2n, dy*w n, sum n-1, sum(dy*w*xhat) 2n-1, two means 2, dx 4n, dy*xhat n; dweight, dbias:
  // 2(rows-1)*n.
  if (some) work.vector(Count(11) * n + Count(2) * (rows - 1) * cols);
  const Count gradient = bytes(cols, input.dtype("dweight"));
  work.read("x", x).read("dy", y).read("weight", weight).read("mean", stats).read("rstd", stats);
  work.write("dx", x).write("dweight", gradient).write("dbias", gradient);
  return work;
}

// ---------------------------------------------------------------- batchnorm
constexpr std::string_view kBatchnormPhases[] = {"train_fwd", "infer", "bwd"};
constexpr ParamSpec kBatchnormParams[] = {
    {.name = "batch", .doc = "samples"},
    {.name = "channels", .doc = "channels, each normalised on its own"},
    {.name = "spatial",
     .type = ParamType::counts,
     .doc = "sizes of the other axes; [] or [1] for vectors"},
    {.name = "phase",
     .type = ParamType::choice,
     .doc = "training forward, inference, or backward",
     .choices = kBatchnormPhases},
};
constexpr OperandSpec kBatchnormOperands[] = {
    {.name = "x",
     .doc = "activations and their gradients; parameters and statistics are fp32",
     .traffic = "x y dx dy"},
};
constexpr ParamAlias kBatchnormAliases[] = {
    {"N", "batch"}, {"C", "channels"}, {"batch_size", "batch"}};

/// m values per channel. Statistics of a tensor that exceeds the chip take a pass of their own: the
/// compulsory bytes stay a lower bound, and the fact practical_bytes_read has the two-pass figure.
Counted batchnorm(const OpInput& input) {
  const Count channels = input.count("channels"),
              m = input.count("batch") * elements(input, "spatial");
  const bool some = m > Count(0);
  const Count x = bytes(m * channels, input.dtype("x"));
  const Count per_channel = bytes(some ? channels : Count(0), DType::fp32),
              pair = Count(2) * per_channel;
  const auto phase = input.choice("phase", "train_fwd");
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  if (phase == "train_fwd") {
    // Mean m, variance 3m and 1, epsilon 1, scale and shift 2, apply 2m, running statistics 6.
    if (some) work.vector(channels * (Count(6) * m + 10)).sfu(channels);
    work.read("x", x).write("y", x).read("weight", per_channel).read("bias", per_channel);
    work.read("running", pair).write("running", pair).write("saved_stats", pair);
    work.fact("practical_bytes_read", work.bytes_read() + x);
  } else if (phase == "infer") {
    if (some) work.vector(channels * (Count(2) * m + 4)).sfu(channels);
    work.read("x", x)
        .write("y", x)
        .read("weight", per_channel)
        .read("bias", per_channel)
        .read("running", pair);
  } else {
    if (some) work.vector(channels * (Count(9) * m + 1));
    work.read("x", x).read("dy", x).read("weight", per_channel).read("saved_stats", pair);
    work.write("dx", x).write("dweight", per_channel).write("dbias", per_channel);
    work.fact("practical_bytes_read", work.bytes_read() + Count(2) * x);
  }
  return work;
}

}  // namespace

constexpr OpEntry kRmsnorm = {
    .name = "rmsnorm",
    .family = "norm",
    .doc = "RMS normalisation of rows, optionally with the residual add before it",
    .params = kRmsnormParams,
    .operands = kRowOperands,
    .aliases = kRowAliases,
    .work =
        "r rows of n: fwd vector r(3n+1) + rn weight + rn residual, sfu r; bwd vector 8rn + (r-1)n",
    .bytes =
        "fwd rn*s_x + rn*s_y + n weight (+ 2rn*s_x with residual, + 4r with save_rstd); bwd "
        "2rn*s_x + rn*s_y + 4r + n weight + n dweight",
    .intensity = "with weight r(4n+2)/(s(2rn+n)), about 2/s; with residual about 5/(4*s)",
    .source = "Zhang and Sennrich 2019; counted by docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: attention_norm
    op: rmsnorm
    rows: 8192
    cols: 8192
    residual: true
    dtype: bf16
)yaml",
    .model = &rmsnorm,
};

constexpr OpEntry kLayernorm = {
    .name = "layernorm",
    .family = "norm",
    .doc = "Layer normalisation of rows",
    .params = kLayernormParams,
    .operands = kRowOperands,
    .aliases = kRowAliases,
    .work =
        "r rows of n: fwd vector r(5n+1) + rn weight + rn bias, sfu r; bwd vector 11rn + 2(r-1)n",
    .bytes =
        "fwd rn*s_x + rn*s_y + n weight + n bias (+ 8r with save_stats); bwd 2rn*s_x + rn*s_y + n "
        "weight + 8r + 2n dweight",
    .intensity = "with weight and bias about 7/(2*s)",
    .source = "Ba, Kiros, Hinton 2016; the two-pass formula, counted by docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: block_norm
    op: layernorm
    rows: 16384
    cols: 768
    dtype: bf16
)yaml",
    .model = &layernorm,
};

constexpr OpEntry kBatchnorm = {
    .name = "batchnorm",
    .family = "norm",
    .doc = "Batch normalisation per channel, with fp32 parameters and statistics",
    .params = kBatchnormParams,
    .operands = kBatchnormOperands,
    .aliases = kBatchnormAliases,
    .work =
        "m values in each of C channels: train_fwd vector C(6m+10), sfu C; infer vector C(2m+4), "
        "sfu C; bwd vector C(9m+1)",
    .bytes =
        "mC*s_x read (bwd: twice) and written, + fp32 per channel: train_fwd 4 in, 4 out; infer 4 "
        "in; bwd 3 in, 2 out",
    .intensity = "train_fwd 6/(2*s) in one read, 6/(3*s) in two; infer 2/(2*s)",
    .source = "Ioffe and Szegedy 2015; counted by docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: stem_norm
    op: batchnorm
    batch: 256
    channels: 64
    spatial: [112, 112]
    phase: train_fwd
    dtype: fp16
)yaml",
    .model = &batchnorm,
};

}  // namespace roofline::op_models
