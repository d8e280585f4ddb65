#include "kernel/operand_check.hpp"

#include <algorithm>

#include "kernel/quoted.hpp"

namespace roofline {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern) && name.size() > pattern.size() &&
         name.find_first_not_of("0123456789", pattern.size()) == std::string_view::npos;
}

Error at(const OperandUse& use, const Surroundings& around, Code code, std::string what,
         std::string hint) {
  return {code,
          around.places.where(use.place.line, use.place.column, use.place.length),
          std::move(what),
          std::move(hint),
          {}};
}

std::string listed(std::span<const Traffic* const> operands) {
  std::vector<std::string> names;
  for (const auto* traffic : operands) names.push_back(traffic->operand);
  return joined(names);
}

std::vector<const Traffic*> candidates(const OperandUse& use, const Work& work) {
  std::vector<const Traffic*> found;
  for (const auto& traffic : work.operands())
    if (use.spec != nullptr && covers(*use.spec, traffic.operand)) found.push_back(&traffic);
  return found;
}

Error no_such_operand(const OperandUse& use, const Work& work, const Surroundings& around) {
  const auto found = candidates(use, work);
  if (found.size() > 1)
    return at(use, around, Code::contradiction,
              quoted(use.operand) + " stands for several operands", "name one of " + listed(found));
  std::vector<const Traffic*> all;
  for (const auto& traffic : work.operands()) all.push_back(&traffic);
  return at(use, around, Code::unknown_name, "this kernel has no operand " + quoted(use.operand),
            "it moves " + listed(all));
}

/// What the op moves of a bound operand; nullptr when it moves nothing of that name, or more than
/// one thing.
const Traffic* traffic_of(const OperandUse& use, const Work& work) {
  for (const auto& traffic : work.operands())
    if (traffic.operand == use.operand) return &traffic;
  const auto found = candidates(use, work);
  return found.size() == 1 ? found.front() : nullptr;
}

bool fits(Count moved, Count size, const OperandUse& use) {
  if (moved == Count(0) || moved == size) return true;
  if (use.spec != nullptr && use.spec->partial) return moved < size;
  return use.several_passes && size > Count(0) && moved.value() % size.value() == 0;
}

std::string shape_text(const SharedTensor& tensor) {
  std::vector<std::string> sizes;
  for (const auto size : tensor.shape) sizes.push_back(size.to_string());
  return joined(sizes, " x ") + (sizes.empty() ? "" : " ") +
         std::string(describe(tensor.dtype).name);
}

Error disagree(const OperandUse& use, const Traffic& traffic, Count moved,
               const SharedTensor& tensor, const Surroundings& around) {
  Error error = at(use, around, Code::operands_disagree,
                   "operand " + quoted(traffic.operand) + " has " + moved.to_string() +
                       " bytes, but tensor " + quoted(tensor.name) + " has " +
                       tensor.bytes.to_string() + ": " + shape_text(tensor),
                   "the shape of the tensor and the sizes of this kernel must agree");
  error.note =
      "tensor " + quoted(tensor.name) + " is declared in line " + std::to_string(tensor.where.line);
  return error;
}

}  // namespace

bool covers(const OperandSpec& spec, std::string_view name) {
  if (spec.traffic.empty()) return spec.name == name;
  for (std::string_view rest = spec.traffic; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (matches(rest.substr(0, end), name)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::optional<Error> check_operands(const Entry& entry, const Surroundings& around,
                                    Kernel& kernel) {
  std::size_t moved = 0;
  for (const auto& use : entry.uses) {
    const auto& tensor = around.tensors[use.tensor];
    const auto* traffic = traffic_of(use, kernel.work);
    if (traffic == nullptr && use.declared)
      continue;  // an intermediate of a fused chain stays on chip
    if (traffic == nullptr) return no_such_operand(use, kernel.work, around);
    for (const auto bytes : {traffic->read, traffic->written})
      if (!fits(bytes, tensor.bytes, use)) return disagree(use, *traffic, bytes, tensor, around);
    if (kernel.tensors.size() == moved) kernel.tensors.emplace_back();
    auto& noted = kernel.tensors[moved++];
    noted.operand = traffic->operand;
    noted.tensor = tensor.name;
    noted.reads = traffic->read > Count(0);
    noted.writes = traffic->written > Count(0);
  }
  kernel.tensors.resize(moved);
  return std::nullopt;
}

}  // namespace roofline
