#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr Pipe kIntegerPipe{PipeKind::integer, RateType::none};
constexpr ParamAlias kAliases[] = {{"N", "n"}};

// ---------------------------------------------------------------- histogram
constexpr ParamSpec kHistogramParams[] = {
    {.name = "n", .doc = "values"},
    {.name = "bins", .doc = "counters"},
};
constexpr OperandSpec kHistogramOperands[] = {
    {.name = "x", .doc = "values"},
    {.name = "bins", .doc = "counters", .default_dtype = "int32"},
};

Counted histogram(const OpInput& input) {
  const Count n = input.count("n");
  Work work(Work::Headline::vector, kIntegerPipe);
  work.integer(n);
  work.read("x", bytes(n, input.dtype("x")))
      .write("bins", bytes(input.count("bins"), input.dtype("bins")));
  return work;
}

// ---------------------------------------------------------------- radix_sort
constexpr ParamSpec kRadixParams[] = {
    {.name = "n", .doc = "records"},
    {.name = "digit_bits",
     .required = false,
     .doc = "bits per pass",
     .default_value = "8",
     .minimum = 1},
};
constexpr OperandSpec kRadixOperands[] = {
    {.name = "key", .doc = "keys", .traffic = "in out"},
    {.name = "value", .doc = "values carried with the keys", .optional = true},
};

/// In once, out once is the bound. The fact practical_bytes adds what a least-significant-digit
/// sort moves: the keys for a histogram, then every record in and out per digit.
Counted radix_sort(const OpInput& input) {
  const Count n = input.count("n");
  const Count keys = bytes(n, input.dtype("key"));
  const Count records =
      keys + (input.has_dtype("value") ? bytes(n, input.dtype("value")) : Count(0));
  const Count passes = ceil_div(describe(input.dtype("key")).bits, input.count("digit_bits", 8));
  Work work(Work::Headline::vector, kIntegerPipe);
  work.read("in", records).write("out", records);
  work.fact("passes", passes).fact("practical_bytes", keys + passes * records * 2);
  return work;
}

// ---------------------------------------------------------------- scan
constexpr ParamSpec kScanParams[] = {{.name = "n", .doc = "values"}};
constexpr OperandSpec kScanOperands[] = {
    {.name = "x", .doc = "input and output", .traffic = "x y"}};

Counted scan(const OpInput& input) {
  const Count n = input.count("n"), size = bytes(n, input.dtype("x"));
  Work work(Work::Headline::vector, vector_pipe(input.dtype("x")));
  work.vector(max(0, n - 1));
  work.read("x", size).write("y", size);
  return work;
}

}  // namespace

constexpr OpEntry kHistogram = {
    .name = "histogram",
    .family = "hpc",
    .doc = "Values counted into bins",
    .params = kHistogramParams,
    .operands = kHistogramOperands,
    .aliases = kAliases,
    .work = "integer n",
    .bytes = "n*s_x + bins*s_bins",
    .intensity = "0",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: byte_histogram
    op: histogram
    n: 268435456
    bins: 256
    dtypes: {x: uint8, bins: int32}
)yaml",
    .model = &histogram,
};

constexpr OpEntry kRadixSort = {
    .name = "radix_sort",
    .family = "hpc",
    .doc = "Radix sort of keys, or of keys with values",
    .params = kRadixParams,
    .operands = kRadixOperands,
    .aliases = kAliases,
    .work = "integer only, not counted: it depends on the kernel",
    .bytes = "records in + records out; practical: n*s_key + ceil(bits/digit_bits) * 2 * records",
    .intensity = "0",
    .source = "Adinets and Merrill 2022 (Onesweep) for the practical figure",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: sort_pairs
    op: radix_sort
    n: 100000000
    digit_bits: 8
    dtypes: {key: int32, value: int32}
)yaml",
    .model = &radix_sort,
};

constexpr OpEntry kScan = {
    .name = "scan",
    .family = "hpc",
    .doc = "Prefix sum",
    .params = kScanParams,
    .operands = kScanOperands,
    .aliases = kAliases,
    .work = "vector n-1",
    .bytes = "2ns",
    .intensity = "1/(2s)",
    .source = "docs/model.md, section 1; Merrill and Garland 2016 reach one read and one write",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: prefix_sum
    op: scan
    n: 1073741824
    dtype: int32
)yaml",
    .model = &scan,
};

}  // namespace roofline::op_models
