#include "roofline/ingest/mapping.hpp"

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/kernel_types.hpp"
#include "ingest/mapping/known_operations.hpp"

namespace roofline {
namespace {

using namespace mapping;

/// "mm" of "aten::mm"; empty: no operator of PyTorch's own.
std::string_view aten_name(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  return name.substr(0, name.find('.'));  // "add.Tensor": an overload
}

const Row* row_in(std::initializer_list<std::span<const Row>> families, std::string_view name) {
  for (const auto& family : families)
    for (const auto& row : family)
      if (row.name == name) return &row;
  return nullptr;
}

/// The row of an operator, by its whole name.
const Row* row_of(std::string_view operation) {
  const auto name = aten_name(operation);
  return name.empty() ? row_in({serving_ops(), quantised_ops(), attention_libraries(), collectives()},
                               operation)
                      : row_in({products(), attentions(), convolutions(), row_ops(), group_norms(),
                                pools(), data_moves(), selections(), indexings(), optimizers()},
                               name);
}

Mapped describe_operation(const Operation& operation, std::string_view kernel_name,
                          const MappingContext& context) {
  if (!operation.attribute("collective").empty()) return map_collective(operation, context);
  if (operation.name == "cutlass") return map_cutlass(operation);
  if (operation.name == "declared") return map_declared(operation);
  if (operation.name.starts_with("hlo::")) return map_hlo(operation, kernel_name);
  const auto name = aten_name(operation.name);
  const Arguments arguments(operation, kernel_name);
  if (const auto* row = row_of(operation.name)) return row->map(arguments);
  if (is_elementwise(name)) return map_elementwise(name, arguments);
  if (is_foreach(name)) return map_foreach(name, arguments);
  if (is_inductor(operation.name)) return map_inductor(operation.name, arguments);
  return no(unmapped::kNotModelled);
}

}  // namespace

tl::expected<Kernel, std::string_view> map_operation(const Operation& operation,
                                                     std::string_view kernel_name,
                                                     const MappingContext& context) {
  if (const auto typed = with_kernel_types(operation, kernel_name)) {
    auto kernel = map_operation(*typed, kernel_name, context);
    if (kernel) kernel->name += " by name";
    return kernel;
  }
  const auto described = describe_operation(operation, kernel_name, context);
  if (!described) return tl::unexpected<std::string_view>(described.error());
  auto kernel = described->kernel();
  if (!kernel) return tl::unexpected<std::string_view>(unmapped::kContradiction);
  kernel->name = operation_text(operation);
  kernel->where = {};
  return std::move(*kernel);
}

bool has_model(std::string_view op_name) {
  const auto name = aten_name(op_name);
  return row_of(op_name) != nullptr || is_elementwise(name) || is_foreach(name) ||
         is_inductor(op_name);
}

}  // namespace roofline
