#include "roofline/kernel/weight_format.hpp"

#include <array>
#include <vector>

#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

struct Row {
  WeightFormatEntry entry;
  WeightFormat format;
};

/// The formats of the op qgemm, with what each stores beside the values. Sources: OCP Microscaling
/// Formats 1.0, the layouts of AutoAWQ and AutoGPTQ, the DeepSeek-V3 report (docs/model.md,
/// quantised products).
const std::array<Row, 11>& rows() {
  static const std::array<Row, 11> table = {{
      {{"int8_channel",
        "int8, an fp32 scale per output channel; int8 activations with one per token"},
       {.dtype = DType::int8, .bits = 8, .row_scale_bits = 32, .activation = DType::int8}},
      {{"fp8_tensor", "fp8, one fp32 scale per matrix; fp8 activations"},
       {.dtype = DType::fp8_e4m3,
        .bits = 8,
        .tensor_scale_bits = 32,
        .activation = DType::fp8_e4m3}},
      {{"fp8_block",
        "fp8, an fp32 scale per 128 x 128 block; fp8 activations with one per 128 values"},
       {.dtype = DType::fp8_e4m3,
        .bits = 8,
        .group = 128,
        .group_rows = 128,
        .scale_bits = 32,
        .activation = DType::fp8_e4m3}},
      {{"gptq_int4",
        "int4, a 16-bit scale and a packed zero point per group of 128; 16-bit activations"},
       {.dtype = DType::int4, .bits = 4, .group = 128, .scale_bits = 16, .zero_bits = 4}},
      {{"awq_int4",
        "int4, a 16-bit scale and a packed zero point per group of 128; 16-bit activations"},
       {.dtype = DType::int4, .bits = 4, .group = 128, .scale_bits = 16, .zero_bits = 4}},
      {{"mxfp8", "fp8, a byte of scale per 32 values, activations likewise"},
       {.dtype = DType::fp8_e4m3,
        .bits = 8,
        .group = 32,
        .scale_bits = 8,
        .activation = DType::fp8_e4m3}},
      {{"mxfp6", "fp6, a byte of scale per 32 values, activations likewise"},
       {.dtype = DType::fp6_e3m2,
        .bits = 6,
        .group = 32,
        .scale_bits = 8,
        .activation = DType::fp6_e3m2}},
      {{"mxfp4", "fp4, a byte of scale per 32 values, activations likewise"},
       {.dtype = DType::fp4_e2m1,
        .bits = 4,
        .group = 32,
        .scale_bits = 8,
        .activation = DType::fp4_e2m1}},
      {{"nvfp4",
        "fp4, a byte of scale per 16 values and an fp32 scale per matrix, activations likewise"},
       {.dtype = DType::fp4_e2m1,
        .bits = 4,
        .group = 16,
        .scale_bits = 8,
        .tensor_scale_bits = 32,
        .activation = DType::fp4_e2m1}},
      {{"nvfp4_a16", "nvfp4 weights, 16-bit activations"},
       {.dtype = DType::fp4_e2m1,
        .bits = 4,
        .group = 16,
        .scale_bits = 8,
        .tensor_scale_bits = 32}},
      {{"mxfp4_a16", "mxfp4 weights, 16-bit activations"},
       {.dtype = DType::fp4_e2m1, .bits = 4, .group = 32, .scale_bits = 8}},
  }};
  return table;
}

const Row* find_row(std::string_view name) {
  for (const auto& row : rows())
    if (row.entry.name == name) return &row;
  return nullptr;
}

WeightFormat named(const Row& row) {
  auto format = row.format;
  format.name = std::string(row.entry.name);
  format.qgemm = row.entry.name;
  return format;
}

bool takes_group(const WeightFormat& format) {
  return format.dtype == DType::int4 || format.qgemm == "fp8_block";
}

Count bytes_of_bits(Count bits) { return ceil_div(bits, 8); }

/// What plain fp8 and int8 weights are multiplied with: themselves, that being why they are narrow.
/// Narrower ones are widened to the activations.
std::optional<DType> own_activation(DType dtype) {
  switch (dtype) {
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
    case DType::int8: return dtype;
    default: return std::nullopt;
  }
}

}  // namespace

Count scale_bytes(const WeightFormat& format, Count n, Count k) {
  Count bytes =
      bytes_of_bits(n * Count(format.row_scale_bits)) + Count(format.tensor_scale_bits / 8);
  if (format.group > Count(0) || format.whole_row) {
    const Count groups =
        (format.whole_row ? Count(1) : ceil_div(k, format.group)) * ceil_div(n, format.group_rows);
    bytes += bytes_of_bits(groups * Count(format.scale_bits)) +
             bytes_of_bits(groups * Count(format.zero_bits));
  }
  if (format.act_order) bytes += k * 4;
  return bytes;
}

Count weight_bytes(const WeightFormat& format, Count n, Count k) {
  return bytes_of_bits(n * k * Count(format.bits)) + scale_bytes(format, n, k);
}

WeightFormat plain_format(DType dtype) {
  return {.name = std::string(describe(dtype).name),
          .dtype = dtype,
          .bits = describe(dtype).bits,
          .activation = own_activation(dtype),
          .every_matrix = true};
}

std::span<const WeightFormatEntry> weight_formats() {
  static const auto entries = [] {
    std::vector<WeightFormatEntry> list;
    for (const auto& row : rows()) list.push_back(row.entry);
    return list;
  }();
  return entries;
}

Result<WeightFormat> find_weight_format(std::string_view name) {
  const auto colon = name.find(':');
  const auto base = name.substr(0, colon);
  if (const auto* row = find_row(base)) {
    auto format = named(*row);
    if (colon == std::string_view::npos) return format;
    if (!takes_group(format))
      return fail(Code::bad_option, {}, std::string(base) + " has no size of groups to choose",
                  "leave \":\" and the number out");
    const auto group = parse_count(name.substr(colon + 1));
    if (!group || *group < Count(1))
      return fail(
          Code::bad_option, {},
          "the size of a group is a positive whole number, not " + quoted(name.substr(colon + 1)),
          std::string(base) + ":64");
    format.group = *group;
    if (format.qgemm == "fp8_block") format.group_rows = *group;
    format.name = std::string(name);
    return format;
  }
  if (const auto dtype = find_dtype(name)) return plain_format(*dtype);
  std::vector<std::string_view> known;
  for (const auto& row : rows()) known.push_back(row.entry.name);
  known.insert(known.end(), dtype_names().begin(), dtype_names().end());
  auto hint = did_you_mean(name, known);
  if (hint.empty())
    hint = "a dtype (bf16, fp8, int8, int4) or a format (fp8_block, awq_int4, mxfp4, nvfp4 ...)";
  return fail(Code::unknown_name, {}, "unknown weight format " + quoted(name), std::move(hint));
}

Result<WeightFormat> with_activation(WeightFormat format, DType activation) {
  if (describe(activation).is_complex || describe(activation).bits > 32)
    return fail(Code::bad_option, {},
                "activations are not " + std::string(describe(activation).name),
                "bf16, fp16, fp8, int8, fp4 or fp32");
  const bool wide = describe(activation).bits >= 16;
  if (wide && (format.qgemm == "nvfp4" || format.qgemm == "mxfp4")) {
    auto weight_only = named(*find_row(format.qgemm == "nvfp4" ? "nvfp4_a16" : "mxfp4_a16"));
    weight_only.activation = activation;
    return weight_only;
  }
  // A format of qgemm that fixes its activations is another product when they differ: counted as a
  // plain one with scales.
  if (format.activation ? *format.activation != activation : !wide) format.qgemm = {};
  format.activation = activation;
  return format;
}

}  // namespace roofline
