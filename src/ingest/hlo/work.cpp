#include "ingest/hlo/work.hpp"

#include <algorithm>

#include "ingest/hlo/counter.hpp"
#include "roofline/ingest/mapping.hpp"

namespace roofline::hlo {
namespace {

using Reason = std::string_view;

/// The array behind names that stand for the same memory.
struct Array {
  std::uint32_t instruction = 0;
  std::uint64_t part = 0;
  bool operator==(const Array&) const = default;
};
Array array_of(const Computation& computation, std::uint32_t at) {
  Array array{at, 0};
  for (;;) {
    const auto& instruction = computation.instructions[array.instruction];
    if (instruction.operands.size() != 1) return array;
    if (instruction.opcode == "get-tuple-element")
      return {instruction.operands[0], instruction.number + 1};
    if (instruction.opcode != "bitcast") return array;
    array.instruction = instruction.operands[0];
  }
}

std::uint64_t bytes_of(const Type& type, std::uint64_t elements) {
  const auto bits = times(elements, type.bits);
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

/// Bytes of the results: of those that are changed in place, what is changed.
void add_results(const Module& module, const Computation& computation, std::uint32_t at,
                 Work& work) {
  const auto& instruction = computation.instructions[at];
  const auto size = [&](std::size_t i) -> const Shape& {
    return computation.instructions[instruction.operands[i]].shape;
  };
  if (is_one_of(instruction.opcode, {"fusion", "call", "async-start"}) &&
      instruction.called.size() == 1) {
    const auto& called = module.computations[instruction.called.front()];
    return add_results(module, called, called.root, work);
  }
  if (instruction.opcode == "bitcast" && instruction.operands.size() == 1)
    return add_results(module, computation, instruction.operands.front(), work);
  if (instruction.opcode == "tuple") {
    for (const auto operand : instruction.operands) add_results(module, computation, operand, work);
  } else if (instruction.opcode == "dynamic-update-slice" && instruction.operands.size() >= 2) {
    work.written_bytes = plus(work.written_bytes, size(1).bytes());
  } else if (instruction.opcode == "scatter" && instruction.operands.size() == 3) {
    // Unless it is said that indices differ, all may name one element.
    const auto elements = instruction.more().unique_indices ? size(2).elements() : 1;
    const auto changed = bytes_of(*instruction.shape.type, elements);
    work.written_bytes = plus(work.written_bytes, changed);
    work.read_bytes = plus(work.read_bytes, changed);
  } else {
    work.written_bytes = plus(work.written_bytes, instruction.shape.bytes());
  }
}

tl::expected<Work, Reason> checked(Work work) {
  constexpr auto kMost = std::uint64_t{1} << 62;
  const bool wide = work.read_bytes > kMost || work.written_bytes > kMost ||
                    std::any_of(work.amounts.begin(), work.amounts.end(),
                                [](const auto& amount) { return amount.second > kMost; });
  if (wide) return tl::unexpected<Reason>(unmapped::kContradiction);
  return work;
}

}  // namespace

void Work::add(std::string_view path, std::uint64_t amount) {
  if (amount == 0) return;
  auto& sum = amounts[std::string(path)];
  sum = plus(sum, amount);
}

tl::expected<Work, std::string_view> count_work(const Module& module, Place place) {
  const auto& computation = module.computations[place.computation];
  const auto& instruction = module.at(place);
  std::vector<const Instruction*> of;
  for (const auto operand : instruction.operands) of.push_back(&computation.instructions[operand]);
  if (instruction.opcode == "custom-call") {
    CallOperands operands;
    std::vector<Array> seen;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto array = array_of(computation, instruction.operands[i]);
      operands.push_back({&of[i]->shape, std::find(seen.begin(), seen.end(), array) != seen.end()});
      seen.push_back(array);
    }
    auto work = count_custom_call(instruction, operands);
    if (!work) return work;
    return checked(std::move(*work));
  }
  if (is_one_of(instruction.opcode, {"parameter", "constant", "tuple", "get-tuple-element"}))
    return tl::unexpected<Reason>(unmapped::kNotModelled);
  Work work;
  Counter counter(module, work);
  std::vector<Demand> demands(of.size());
  if (!counter.visit(computation, instruction, instruction.shape.elements(), true, false, demands))
    return tl::unexpected<Reason>(counter.reason());
  // Operands that are the same array are read once.
  std::vector<std::pair<Array, std::uint64_t>> arrays;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto& shape = of[i]->shape;
    const auto elements =
        std::min(std::max(demands[i].elements, united(demands[i].slices)), shape.elements());
    const auto array = array_of(computation, instruction.operands[i]);
    const auto bytes = bytes_of(*shape.type, elements);
    auto known = std::find_if(arrays.begin(), arrays.end(),
                              [&](const auto& entry) { return entry.first == array; });
    if (known != arrays.end()) {
      known->second = std::max(known->second, bytes);
      continue;
    }
    arrays.emplace_back(array, bytes);
    if (bytes > 0) work.inputs.push_back(shape);
  }
  for (const auto& [array, bytes] : arrays) work.read_bytes = plus(work.read_bytes, bytes);
  add_results(module, computation, place.instruction, work);
  return checked(std::move(work));
}

}  // namespace roofline::hlo
