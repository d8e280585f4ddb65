#include <fmt/format.h>

#include <vector>

#include "kernel/ops/models.hpp"
#include "kernel/ops/sliding_window.hpp"

namespace roofline::op_models {
namespace {

/// The windows of every axis, and what they make of the input.
struct Windows {
  std::vector<SlidingWindow> axes;
  std::vector<Count> out;                     ///< output sizes
  Count outputs = 1, inputs = 1, kernel = 1;  ///< products over the axes
  Count touched = 1, valid = 1;
};

/// One size per axis from a list parameter; `otherwise` where it is absent.
tl::expected<std::vector<Count>, OpError> per_axis(const OpInput& input, std::string_view name,
                                                   std::size_t rank, std::vector<Count> otherwise) {
  if (!input.has(name)) return otherwise;
  auto sizes = input.counts(name);
  if (sizes.size() != rank)
    return refuse(name, fmt::format("{} has {} sizes, the input {}", name, sizes.size(), rank),
                  "give one number per axis of `in`");
  return sizes;
}

/// Reads in, kernel, stride, pad and dilation. `stride_is_kernel`: pooling's default.
tl::expected<Windows, OpError> windows_of(const OpInput& input, bool stride_is_kernel) {
  const auto in = input.counts("in");
  const auto rank = in.size();
  if (rank == 0)
    return refuse("in", "no axes", "give the sizes of the input without batch and channels");
  const std::vector<Count> ones(rank, 1), zeros(rank, 0);
  const auto kernel = per_axis(input, "kernel", rank, ones);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto stride = per_axis(input, "stride", rank, stride_is_kernel ? *kernel : ones);
  const auto pad = per_axis(input, "pad", rank, zeros);
  const auto dilation = per_axis(input, "dilation", rank, ones);
  for (const auto* sizes : {&stride, &pad, &dilation})
    if (!*sizes) return tl::unexpected(sizes->error());

  Windows windows;
  for (std::size_t i = 0; i < rank; ++i) {
    const SlidingWindow axis{in[i], (*kernel)[i], (*stride)[i], (*pad)[i], (*dilation)[i]};
    for (const auto& [name, size] :
         {std::pair{"kernel", axis.kernel}, {"stride", axis.stride}, {"dilation", axis.dilation}})
      if (size == Count(0))
        return refuse(name, fmt::format("{} 0 along axis {}", name, i), "the smallest is 1");
    const Count out = output_size(axis);
    if (out < Count(0) && !out.overflowed())
      return refuse("kernel",
                    fmt::format("kernel of {} does not fit an input of {} along axis {}",
                                (axis.dilation * (axis.kernel - 1) + 1).to_string(),
                                (axis.in + axis.pad * 2).to_string(), i),
                    "the dilated kernel may not exceed the padded input");
    windows.axes.push_back(axis);
    windows.out.push_back(out);
    windows.kernel *= axis.kernel;
    windows.touched *= touched_inputs(axis);
    windows.valid *= valid_taps(axis);
  }
  windows.outputs = elements(windows.out);
  windows.inputs = elements(input, "in");
  return windows;
}

// ---------------------------------------------------------------- conv
constexpr std::string_view kPhases[] = {"fwd", "dgrad", "wgrad"};
constexpr ParamSpec kConvParams[] = {
    {.name = "batch", .doc = "samples"},
    {.name = "c_in", .doc = "input channels"},
    {.name = "c_out", .doc = "output channels"},
    {.name = "in",
     .type = ParamType::counts,
     .doc = "sizes of the input without batch and channels"},
    {.name = "kernel", .type = ParamType::counts, .doc = "taps along each axis", .minimum = 1},
    {.name = "stride",
     .type = ParamType::counts,
     .required = false,
     .doc = "step along each axis",
     .default_value = "1",
     .minimum = 1},
    {.name = "pad",
     .type = ParamType::counts,
     .required = false,
     .doc = "zeros on either side of each axis",
     .default_value = "0"},
    {.name = "dilation",
     .type = ParamType::counts,
     .required = false,
     .doc = "distance of taps along each axis",
     .default_value = "1",
     .minimum = 1},
    {.name = "groups",
     .required = false,
     .doc = "channel groups; c_in for a depthwise convolution",
     .default_value = "1",
     .minimum = 1},
    {.name = "phase",
     .type = ParamType::choice,
     .required = false,
     .doc =
         "forward, gradient of the input (also: transposed convolution), gradient of the weights",
     .default_value = "fwd",
     .choices = kPhases},
    {.name = "bias",
     .type = ParamType::flag,
     .required = false,
     .doc = "forward: plus a bias per output channel",
     .default_value = "false"},
};
constexpr OperandSpec kConvOperands[] = {
    {.name = "x", .doc = "input, and its gradient", .traffic = "x dx", .partial = true},
    {.name = "w", .doc = "weights", .default_dtype = "=x"},
    {.name = "y", .doc = "output, and its gradient", .default_dtype = "=x", .traffic = "y dy"},
    {.name = "dw", .doc = "gradient of the weights", .default_dtype = "=w"},
    {.name = "bias", .doc = "bias vector", .default_dtype = "=w"},
};
constexpr ParamAlias kConvAliases[] = {
    {"N", "batch"},
    {"B", "batch"},
    {"batch_size", "batch"},
    {"in_channels", "c_in"},
    {"out_channels", "c_out"},
    {"C", "c_in"},
    {"kernel_size", "kernel"},
    {"padding", "pad"},
};

/// FLOPs count padded taps, as every library does; the fact flops_without_padding leaves them out.
/// Bytes count the inputs that some output depends on.
Counted conv(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "x", "w");
  if (!pipe) return tl::unexpected(pipe.error());
  const Count batch = input.count("batch"), c_in = input.count("c_in"),
              c_out = input.count("c_out");
  const Count groups = input.count("groups", 1);
  for (const auto& [name, channels] : {std::pair{"c_in", c_in}, {"c_out", c_out}})
    if (floor_div(channels, groups) * groups != channels)
      return refuse("groups",
                    fmt::format("{} groups do not divide {} {}", groups.to_string(), name,
                                channels.to_string()),
                    "groups divides both channel counts");
  const auto windows = windows_of(input, false);
  if (!windows) return tl::unexpected(windows.error());

  const Count fan_in = floor_div(c_in, groups), weights = c_out * fan_in * windows->kernel;
  const Count results = batch * windows->outputs;  // per output channel
  const bool some = results > Count(0);
  const Count x = bytes(batch * c_in * windows->touched, input.dtype("x"));
  const Count x_full = bytes(batch * c_in * windows->inputs, input.dtype("x"));
  const Count w = bytes(some ? weights : Count(0), input.dtype("w"));
  const Count y = bytes(results * c_out, input.dtype("y"));
  const auto phase = input.choice("phase", "fwd");

  Work work(Work::Headline::matmul, *pipe);
  work.matmul(results * weights * 2);
  work.fact("out", shape_text(windows->out));
  work.fact("flops_without_padding", batch * c_out * fan_in * windows->valid * 2);
  if (phase == "fwd") {
    work.read("x", x).read("w", w).write("y", y);
    if (input.flag("bias", false)) {
      work.read("bias", bytes(some ? c_out : Count(0), input.dtype("bias")));
      work.vector(vector_pipe(input.dtype("y")).type, results * c_out);
    }
    if (x != x_full) work.fact("x_full_bytes", x_full);
  } else if (phase == "dgrad") {
    work.read("dy", y).read("w", w).write("dx", x_full);
  } else {
    work.read("dy", y).read("x", x).write("dw", bytes(weights, input.dtype("dw")));
  }
  return work;
}

// ---------------------------------------------------------------- pool
constexpr std::string_view kPoolKinds[] = {"max", "avg"};
constexpr ParamSpec kPoolParams[] = {
    {.name = "batch", .doc = "samples"},
    {.name = "channels", .doc = "channels"},
    {.name = "in",
     .type = ParamType::counts,
     .doc = "sizes of the input without batch and channels"},
    {.name = "kernel", .type = ParamType::counts, .doc = "window along each axis", .minimum = 1},
    {.name = "stride",
     .type = ParamType::counts,
     .required = false,
     .doc = "step along each axis",
     .default_value = "kernel",
     .minimum = 1},
    {.name = "pad",
     .type = ParamType::counts,
     .required = false,
     .doc = "padding on either side of each axis",
     .default_value = "0"},
    {.name = "kind", .type = ParamType::choice, .doc = "maximum or average", .choices = kPoolKinds},
    {.name = "indices",
     .type = ParamType::flag,
     .required = false,
     .doc = "int64 positions of the maxima are written",
     .default_value = "false"},
};
constexpr OperandSpec kPoolOperands[] = {
    {.name = "x", .doc = "input and output", .traffic = "x y", .partial = true},
};
constexpr ParamAlias kPoolAliases[] = {
    {"N", "batch"},     {"C", "channels"}, {"batch_size", "batch"}, {"kernel_size", "kernel"},
    {"padding", "pad"},
};

Counted pool(const OpInput& input) {
  const auto windows = windows_of(input, true);
  if (!windows) return tl::unexpected(windows.error());
  const Count planes = input.count("batch") * input.count("channels"),
              results = planes * windows->outputs;
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  work.vector(results * (windows->kernel - 1));
  if (input.choice("kind", "max") == "avg") work.vector(results);  // * 1/window
  work.read("x", bytes(planes * windows->touched, input.dtype("x")))
      .write("y", bytes(results, input.dtype("x")));
  if (input.flag("indices", false)) work.write("indices", bytes(results, DType::int64));
  work.fact("out", shape_text(windows->out));
  return work;
}

}  // namespace

constexpr OpEntry kConv = {
    .name = "conv",
    .family = "conv",
    .doc = "Convolution of any rank, grouped, strided, dilated: forward and both gradients",
    .params = kConvParams,
    .operands = kConvOperands,
    .aliases = kConvAliases,
    .work =
        "matmul 2*batch*c_out*prod(out)*(c_in/groups)*prod(kernel) in every phase, out = floor((in "
        "+ 2*pad - dilation*(kernel-1) - 1)/stride) + 1; vector batch*c_out*prod(out) with bias",
    .bytes =
        "fwd: touched x + w + y (+ bias); dgrad: dy + w read, the whole dx written; wgrad: dy + "
        "touched x read, dw written",
    .intensity =
        "3x3, many channels: near that of the matrix product it is; depthwise: about "
        "prod(kernel)/s",
    .source =
        "docs/model.md, section 1; padded taps are counted as in PyTorch's flop_counter and every "
        "vendor "
        "library",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: resnet_3x3
    op: conv
    batch: 256
    c_in: 64
    c_out: 64
    in: [56, 56]
    kernel: [3, 3]
    pad: [1, 1]
    dtype: fp16
)yaml",
    .model = &conv,
};

constexpr OpEntry kPool = {
    .name = "pool",
    .family = "conv",
    .doc = "Maximum or average pooling of any rank",
    .params = kPoolParams,
    .operands = kPoolOperands,
    .aliases = kPoolAliases,
    .work = "vector results*(prod(kernel) - 1), + results for avg",
    .bytes = "touched x + y (+ 8*results with indices)",
    .intensity = "2x2: 3/(5*s)",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: stem_pool
    op: pool
    kind: max
    batch: 256
    channels: 64
    in: [112, 112]
    kernel: [3, 3]
    stride: [2, 2]
    pad: [1, 1]
    dtype: fp16
)yaml",
    .model = &pool,
};

}  // namespace roofline::op_models
