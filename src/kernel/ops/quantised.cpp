#include <fmt/format.h>

#include <optional>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

/// How the formats scale their operands.
enum class Scaling {
  channel,       ///< fp32 per token and per output channel
  tensor,        ///< one fp32 per operand
  block,         ///< fp32 per 1 x g of A and g x g of W, partial sums promoted every g of k
  weight_group,  ///< integer weights, 16-bit scales and packed zeros per g of k
  micro,  ///< a byte per `block` values along k, both operands (OCP MX), applied in the instruction
  micro_tensor,  ///< the same, and one fp32 per operand (nvfp4)
  weight_micro,  ///< weights only, 16-bit activations
};

struct Format {
  std::string_view name;
  Scaling scaling;
  std::optional<DType> a;  ///< activations; absent: as given
  DType w;
  Count block;  ///< values per scale along k; the default where `group` may change it, 0: none
  bool weight_gscale;  ///< one fp32 for the whole weight
};

constexpr Format kFormats[] = {
    {"int8_channel", Scaling::channel, DType::int8, DType::int8, 0, false},
    {"fp8_tensor", Scaling::tensor, DType::fp8_e4m3, DType::fp8_e4m3, 0, false},
    {"fp8_block", Scaling::block, DType::fp8_e4m3, DType::fp8_e4m3, 128, false},
    {"gptq_int4", Scaling::weight_group, std::nullopt, DType::int4, 128, false},
    {"awq_int4", Scaling::weight_group, std::nullopt, DType::int4, 128, false},
    {"mxfp8", Scaling::micro, DType::fp8_e4m3, DType::fp8_e4m3, 32, false},
    {"mxfp6", Scaling::micro, DType::fp6_e3m2, DType::fp6_e3m2, 32, false},
    {"mxfp4", Scaling::micro, DType::fp4_e2m1, DType::fp4_e2m1, 32, false},
    {"nvfp4", Scaling::micro_tensor, DType::fp4_e2m1, DType::fp4_e2m1, 16, true},
    {"nvfp4_a16", Scaling::weight_micro, std::nullopt, DType::fp4_e2m1, 16, true},
    {"mxfp4_a16", Scaling::weight_micro, std::nullopt, DType::fp4_e2m1, 32, false},
};
constexpr auto kFormatNames = [] {
  std::array<std::string_view, std::size(kFormats)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFormats[i].name;
  return names;
}();

const Format& format_of(std::string_view name) {
  for (const auto& format : kFormats)
    if (format.name == name) return format;
  return kFormats[0];  // a choice parameter: the loader refused every other name
}

constexpr ParamSpec kParams[] = {
    {.name = "m", .doc = "rows of A and D (tokens)"},
    {.name = "n", .doc = "rows of W, columns of D (output channels)"},
    {.name = "k", .doc = "columns of A and W (input channels)"},
    {.name = "format",
     .type = ParamType::choice,
     .doc = "how the operands are quantised and scaled",
     .choices = kFormatNames},
    {.name = "group",
     .required = false,
     .doc = "fp8_block, gptq_int4, awq_int4: values along k that share a scale; the other formats "
            "fix it",
     .default_value = "128",
     .minimum = 1},
    {.name = "zeros",
     .type = ParamType::flag,
     .required = false,
     .doc = "gptq_int4, awq_int4: a packed zero point per group",
     .default_value = "true"},
    {.name = "act_order",
     .type = ParamType::flag,
     .required = false,
     .doc = "gptq_int4, awq_int4: an int32 group index per input channel",
     .default_value = "false"},
    {.name = "bias",
     .type = ParamType::flag,
     .required = false,
     .doc = "plus a vector of n",
     .default_value = "false"},
};
constexpr OperandSpec kOperands[] = {
    {.name = "a", .doc = "activations of the 16-bit formats; the others fix theirs"},
    {.name = "d", .doc = "result", .default_dtype = "=a"},
    {.name = "scale",
     .doc = "group scales of gptq_int4 and awq_int4",
     .default_dtype = "fp16",
     .traffic = "w_scale"},
    {.name = "bias", .doc = "bias vector", .default_dtype = "=d"},
};
constexpr ParamAlias kAliases[] = {{"M", "m"}, {"N", "n"}, {"K", "k"}, {"group_size", "group"}};

bool takes_group(Scaling scaling) {
  return scaling == Scaling::block || scaling == Scaling::weight_group;
}

/// Reads A, W and their scales, and counts the arithmetic of scaling. Not called for an empty
/// product.
void quantised_operands(const OpInput& input, const Format& format, DType a, Count group,
                        Work& work) {
  const Count m = input.count("m"), n = input.count("n"), k = input.count("k"), out = m * n;
  const Count groups = group == Count(0) ? Count(0) : ceil_div(k, group);
  work.read("a", bytes(m * k, a));
  const auto weights = [&] { work.read("w", bytes(n * k, format.w)); };
  switch (format.scaling) {
    case Scaling::channel:
      work.read("a_scale", bytes(m, DType::fp32));
      weights();
      work.read("w_scale", bytes(n, DType::fp32)).vector(out * 2);
      break;
    case Scaling::tensor:
      work.read("a_scale", 4);
      weights();
      work.read("w_scale", 4).vector(out);
      break;
    case Scaling::block: {
      const Count blocks = ceil_div(n, group);
      work.read("a_scale", bytes(m * groups, DType::fp32));
      weights();
      work.read("w_scale", bytes(blocks * groups, DType::fp32));
      work.vector(groups * (m * blocks +
                            out * 2));  // the product of two scales, then an FMA per partial sum
      break;
    }
    case Scaling::weight_group:
      weights();
      work.read("w_scale", bytes(groups * n, input.dtype("scale")));
      if (input.flag("zeros", true)) work.read("w_zero", bytes(groups * n, DType::int4));
      if (input.flag("act_order", false)) work.read("g_idx", bytes(k, DType::int32));
      work.vector(n * k * 2);  // (q - z) * s once per weight, not once per tile
      break;
    case Scaling::micro:
    case Scaling::micro_tensor:
      work.read("a_scale", m * groups);
      if (format.weight_gscale) work.read("a_gscale", 4);
      weights();
      work.read("w_scale", n * groups);
      if (format.weight_gscale) work.read("w_gscale", 4).vector(out);
      break;
    case Scaling::weight_micro:
      weights();
      work.read("w_scale", n * groups);
      if (format.weight_gscale) work.read("w_gscale", 4);
      work.vector(n * k);
      break;
  }
}

/// D[m,n] = A[m,k] * transpose(W[n,k]). Scales are operands like any other: read once.
Counted qgemm(const OpInput& input) {
  const auto& format = format_of(input.choice("format", ""));
  const Count m = input.count("m"), n = input.count("n"), k = input.count("k"), out = m * n;
  const Count group = input.count("group", format.block);
  if (input.has("group") && !takes_group(format.scaling) && group != format.block)
    return refuse("group", fmt::format("{} has no group size to choose", format.name),
                  format.block == Count(0)
                      ? "leave `group` out"
                      : fmt::format("its scales cover {} values", format.block.to_string()));
  const auto a = format.a.value_or(input.dtype("a"));
  // The datapath follows A as it is stored; an empty product of a tensor- or block-scaled format,
  // which reads nothing, keeps that of the activations as given.
  const bool fixed_when_empty =
      format.scaling == Scaling::channel || format.scaling == Scaling::micro_tensor;
  const auto deciding = out == Count(0) && !fixed_when_empty ? input.dtype("a") : a;
  const auto pipe = matmul_pipe(deciding, deciding);
  if (pipe.kind == PipeKind::none)
    return refuse("a",
                  fmt::format("no datapath multiplies matrices of {}", describe(deciding).name),
                  "activations are fp16 or bf16 as a rule");

  Work work(Work::Headline::matmul, pipe);
  if (out == Count(0)) {
    work.read("a", 0).read("w", 0).write("d", 0);
    return work;
  }
  work.matmul(out * k * 2);
  quantised_operands(input, format, a, group, work);
  if (input.flag("bias", false)) work.read("bias", bytes(n, input.dtype("bias"))).vector(out);
  work.write("d", bytes(out, input.dtype("d")));
  return work;
}

}  // namespace

constexpr OpEntry kQgemm = {
    .name = "qgemm",
    .family = "gemm",
    .doc = "D[m,n] = A[m,k]*transpose(W[n,k]) with quantised operands and their scales",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "matmul 2mnk; vector: int8_channel 2mn, fp8_tensor and nvfp4 mn, fp8_block kb(2mn + m*nb) "
        "with kb, nb blocks along k and n, gptq_int4 and awq_int4 2nk, nvfp4_a16 and mxfp4_a16 nk, "
        "mx formats 0; + mn with bias",
    .bytes =
        "A, W, D at their widths + scales: int8_channel 4(m+n); fp8_tensor 8; fp8_block 4(m*kb + "
        "nb*kb); gptq_int4, awq_int4 G*n*(s_scale + 1/2 with zeros), G = ceil(k/group), + 4k with "
        "act_order; mx (m+n)*ceil(k/32); nvfp4 (m+n)*ceil(k/16) + 8; *_a16 n*ceil(k/32 or k/16)",
    .intensity =
        "m = 1: about 2/(bytes per weight): mxfp8 1.94, nvfp4 3.56, awq_int4 with groups of 128 "
        "3.85",
    .source =
        "OCP Microscaling Formats 1.0; AutoAWQ and AutoGPTQ layouts; DeepSeek-V3 report for "
        "fp8_block",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: awq_down_projection
    op: qgemm
    m: 32
    n: 4096
    k: 14336
    format: awq_int4
    group: 128
    dtype: fp16
)yaml",
    .model = &qgemm,
};

}  // namespace roofline::op_models
