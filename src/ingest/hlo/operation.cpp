#include "ingest/hlo/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/hlo/work.hpp"
#include "roofline/ingest/mapping.hpp"

namespace roofline::hlo {
namespace {

constexpr std::string_view kCollectives[] = {"all-reduce", "all-gather", "reduce-scatter",
                                             "all-to-all", "collective-broadcast"};

/// "all-reduce" of "all-reduce-start"; empty: no collective.
std::string_view collective_of(std::string_view opcode) {
  if (opcode.ends_with("-start")) opcode.remove_suffix(6);
  const auto* at = std::find(std::begin(kCollectives), std::end(kCollectives), opcode);
  return at == std::end(kCollectives) ? std::string_view() : *at;
}

void describe_collective(const Module& module, const Computation& computation,
                         const Instruction& instruction, std::string_view collective,
                         Operation& made) {
  std::uint64_t in = 0;
  for (const auto operand : instruction.operands) {
    const auto& shape = computation.instructions[operand].shape;
    in = plus(in, shape.bytes());
    made.operands.push_back({.type = std::string(shape.type->name),
                             .value = {},
                             .tensor = true,
                             .shape = shape.sizes,
                             .strides = {}});
  }
  // The asynchronous form of a gather returns what it takes, too.
  auto out = instruction.shape.bytes();
  if (instruction.opcode == "all-gather-start" && out > in) out -= in;
  if (instruction.opcode == "all-reduce-start") out = in;
  const auto group = instruction.more().group_size;
  const auto size = group != 0 ? group : module.devices;
  made.attributes.emplace_back("collective", collective == "collective-broadcast"
                                                 ? std::string("broadcast")
                                                 : std::string(collective));
  made.attributes.emplace_back("dtype", "uint8");
  if (size != 0) made.attributes.emplace_back("group_size", std::to_string(size));
  made.attributes.emplace_back("in_elements", std::to_string(in));
  made.attributes.emplace_back("out_elements", std::to_string(out));
}

void describe_work(const Work& work, Operation& made) {
  for (const auto& shape : work.inputs)
    made.operands.push_back({.type = std::string(shape.type->name),
                             .value = {},
                             .tensor = true,
                             .shape = shape.sizes,
                             .strides = {}});
  std::string amounts;
  for (const auto& [path, amount] : work.amounts)
    amounts += fmt::format("{}{}={}", amounts.empty() ? "" : ";", path, amount);
  made.attributes.emplace_back("read_bytes", std::to_string(work.read_bytes));
  made.attributes.emplace_back("work", std::move(amounts));
  made.attributes.emplace_back("written_bytes", std::to_string(work.written_bytes));
}

}  // namespace

std::string shape_text(const Shape& shape) {
  if (!shape.tuple) return fmt::format("{}[{}]", shape.type->name, fmt::join(shape.sizes, ","));
  std::string text = "(";
  for (const auto& part : shape.parts) text += (text.size() > 1 ? ", " : "") + shape_text(part);
  return text + ')';
}

Operation operation_of(const Module& module, Place place) {
  const auto& instruction = module.at(place);
  Operation made;
  made.name = "hlo::" + std::string(instruction.name);
  made.attributes.emplace_back("opcode", instruction.opcode);
  made.attributes.emplace_back("result", shape_text(instruction.shape));
  // An asynchronous instruction stands for the one that its computation is made of.
  if (instruction.opcode == "async-start" && instruction.called.size() == 1) {
    const auto called = instruction.called.front();
    const auto& inner = module.computations[called];
    const auto& root = inner.instructions[inner.root];
    if (const auto collective = collective_of(root.opcode); !collective.empty()) {
      describe_collective(module, inner, root, collective, made);
      return made;
    }
  }
  if (const auto collective = collective_of(instruction.opcode); !collective.empty()) {
    describe_collective(module, module.computations[place.computation], instruction, collective,
                        made);
    return made;
  }
  if (const auto work = count_work(module, place))
    describe_work(*work, made);
  else
    made.attributes.emplace_back("unknown", work.error());
  return made;
}

}  // namespace roofline::hlo
