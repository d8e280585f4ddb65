#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/dtype.hpp"

/// Communication: kernels of NCCL and RCCL by what they were called for, and operators of
/// torch.distributed whose operands tell it (torch/csrc/distributed/c10d/Ops.cpp).
namespace roofline::mapping {
namespace {

constexpr std::pair<std::string_view, std::string_view> kCollectives[] = {
    {"allreduce", "all_reduce"}, {"allgather", "all_gather"}, {"reducescatter", "reduce_scatter"},
    {"alltoall", "all_to_all"},  {"broadcast", "broadcast"},  {"reduce", "reduce"},
};

std::uint64_t bits_of(std::string_view dtype) {
  return static_cast<std::uint64_t>(describe(*find_dtype(dtype)).bits);
}

/// (output, input, group, ...), of which one is `ranks` times the other.
Mapped parts_of(const Arguments& args, std::string_view kind, std::size_t whole, std::size_t part) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(whole);
  if (!type) return no(unmapped::kNoDtype);
  const auto all = args.elements(whole), own = args.elements(part);
  if (own == 0 || all % own != 0 || args.dtype(part) != type) return no(unmapped::kContradiction);
  Description op("collective");
  op.word("kind", kind).count("ranks", all / own).count("size_bytes", all * bits_of(*type) / 8);
  return op;
}
Mapped reduce_scatter(const Arguments& args) { return parts_of(args, "reduce_scatter", 1, 0); }
Mapped all_gather(const Arguments& args) { return parts_of(args, "all_gather", 0, 1); }
/// How many take part is not among the operands.
Mapped of_a_group(const Arguments&) { return no(unmapped::kNoArguments); }

constexpr Row kRows[] = {
    {"c10d::_reduce_scatter_base_", &reduce_scatter},
    {"c10d::_allgather_base_", &all_gather},
    {"c10d::alltoall_base_", &of_a_group},
    {"c10d::allreduce_", &of_a_group},
    {"c10d::broadcast_", &of_a_group},
    {"c10d::reduce_", &of_a_group},
};

}  // namespace

std::span<const Row> collectives() { return kRows; }

Mapped map_collective(const Operation& operation, const MappingContext& context) {
  std::string name;  // "_allgather_base", "all_reduce", "AllReduce"
  for (const char c : lower_case(operation.attribute("collective")))
    if (c != '_' && c != '-' && c != ' ') name += c;
  const auto* kind =
      std::find_if(std::begin(kCollectives), std::end(kCollectives),
                   [&](const auto& row) { return name.find(row.first) != std::string::npos; });
  if (kind == std::end(kCollectives)) return no(unmapped::kNotModelled);
  const auto ranks = attribute_number(operation, "group_size"),
             in = attribute_number(operation, "in_elements"),
             out = attribute_number(operation, "out_elements");
  const auto type = dtype_name(operation.attribute("dtype"));
  if (!in || !out) return no(unmapped::kNoShapes);
  if (!ranks) return no(unmapped::kNoArguments);
  if (!type) return no(unmapped::kNoDtype);
  // The whole array: of a gather what comes out, else what goes in.
  const auto elements = kind->second == "all_gather" ? *out : *in;
  Description op("collective");
  op.word("kind", kind->second)
      .count("ranks", *ranks)
      .count("size_bytes", elements * bits_of(*type) / 8);
  if (context.switch_sums && kind->second == "all_reduce" && *ranks > 2)
    op.word("algorithm", "in_network");
  return op;
}

}  // namespace roofline::mapping
