#include <fmt/format.h>

#include <numeric>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr Pipe kLinkPipe{PipeKind::link, RateType::none};

// ---------------------------------------------------------------- collective
constexpr std::string_view kKinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                       "all_to_all", "broadcast",  "reduce"};
constexpr std::string_view kAlgorithms[] = {"ring", "tree", "in_network"};
constexpr ParamSpec kCollectiveParams[] = {
    {.name = "kind",
     .type = ParamType::choice,
     .doc = "the collective operation",
     .choices = kKinds},
    {.name = "ranks", .doc = "participants; one sends nothing", .minimum = 1},
    {.name = "size_bytes",
     .doc = "the whole array: the sum over shards for all_gather, reduce_scatter and all_to_all, "
            "one rank's array for the others (B)"},
    {.name = "algorithm",
     .type = ParamType::choice,
     .required = false,
     .doc = "all_reduce: ring, an inner node of a tree, or reduction in the switch",
     .default_value = "ring",
     .choices = kAlgorithms},
};
constexpr ParamAlias kCollectiveAliases[] = {
    {"n_ranks", "ranks"}, {"gpus", "ranks"}, {"bytes", "size_bytes"}};

/// Bytes sent per byte of the array: nccl-tests' bus factors.
struct Factor {
  Count numerator, denominator;
};

Factor factor_of(std::string_view kind, std::string_view algorithm, Count ranks) {
  if (ranks <= Count(1)) return {0, 1};
  if (kind == "all_reduce") {
    if (algorithm == "ring") return {(ranks - 1) * 2, ranks};
    return {algorithm == "tree" ? 2 : 1, 1};
  }
  if (kind == "broadcast" || kind == "reduce") return {1, 1};
  return {ranks - 1, ranks};
}

std::string fraction(Count numerator, Count denominator) {
  const auto divisor = [](Count a, Count b) {
    while (b != Count(0)) a = std::exchange(b, a - floor_div(a, b) * b);
    return a;
  }(numerator, denominator);
  if (floor_div(denominator, divisor) == Count(1)) return floor_div(numerator, divisor).to_string();
  return floor_div(numerator, divisor).to_string() + "/" +
         floor_div(denominator, divisor).to_string();
}

Counted collective(const OpInput& input) {
  const Count ranks = input.count("ranks", 1), size = input.count("size_bytes");
  const auto kind = input.choice("kind", ""), algorithm = input.choice("algorithm", "ring");
  const auto factor = factor_of(kind, algorithm, ranks);
  const Count product = size * factor.numerator, sent = floor_div(product, factor.denominator);
  if (sent * factor.denominator != product)
    return refuse(
        "size_bytes",
        fmt::format("{} bytes do not divide among {} ranks", size.to_string(), ranks.to_string()),
        "pad the array to a multiple of the ranks");
  Work work(Work::Headline::vector, kLinkPipe);
  work.write("link", sent).read("link", sent).link(sent);
  if (kind == "all_reduce" && ranks > Count(1))
    work.fact("reduction_adds_per_rank_elements", algorithm == "ring"
                                                      ? fraction(ranks - 1, ranks) + " of the array"
                                                      : std::string("-"));
  work.fact("bus_factor", fraction(factor.numerator, factor.denominator));
  return work;
}

// ---------------------------------------------------------------- memcpy_hd
constexpr std::string_view kDirections[] = {"h2d", "d2h"};
constexpr ParamSpec kMemcpyParams[] = {
    {.name = "shape", .type = ParamType::counts, .doc = "sizes of the tensor"},
    {.name = "direction",
     .type = ParamType::choice,
     .doc = "host to device, or device to host",
     .choices = kDirections},
};
constexpr OperandSpec kMemcpyOperands[] = {
    {.name = "x", .doc = "the tensor", .traffic = "dst src"}};

Counted memcpy_hd(const OpInput& input) {
  const Count size = bytes(elements(input, "shape"), input.dtype("x"));
  Work work(Work::Headline::vector, kLinkPipe);
  if (input.choice("direction", "h2d") == "h2d") {
    work.write("dst", size);
  } else {
    work.read("src", size);
  }
  work.link(size).fact("link_bytes", size);
  return work;
}

}  // namespace

constexpr OpEntry kCollective = {
    .name = "collective",
    .family = "link",
    .doc = "Collective communication among GPUs, as one rank sees its link",
    .params = kCollectiveParams,
    .operands = {},
    .aliases = kCollectiveAliases,
    .work = "none; link bytes per direction = factor * size_bytes",
    .bytes =
        "factor over n ranks: all_reduce ring 2(n-1)/n, tree 2, in_network 1; all_gather, "
        "reduce_scatter, all_to_all (n-1)/n; broadcast, reduce 1; one rank 0",
    .intensity = "0",
    .source = "nccl-tests, doc/PERFORMANCE.md, bus bandwidth factors",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: tensor_parallel_sum
    op: collective
    kind: all_reduce
    ranks: 8
    size_bytes: 1048576
)yaml",
    .model = &collective,
};

constexpr OpEntry kMemcpyHd = {
    .name = "memcpy_hd",
    .family = "link",
    .doc = "Copy between host and device memory",
    .params = kMemcpyParams,
    .operands = kMemcpyOperands,
    .aliases = {},
    .work = "none; link bytes n*s",
    .bytes = "n*s of device memory: written for h2d, read for d2h",
    .intensity = "0",
    .source = "docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: upload_weights
    op: memcpy_hd
    shape: [268435456]
    direction: h2d
    dtype: fp32
)yaml",
    .model = &memcpy_hd,
};

}  // namespace roofline::op_models
