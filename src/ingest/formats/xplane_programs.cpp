#include "ingest/formats/xplane_programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/hlo/operation.hpp"

namespace roofline {

std::vector<XplanePrograms::Program*> XplanePrograms::find(const Origin& origin) {
  if (origin.program) {
    const auto at = programs_.find(fmt::format("{}({})", origin.module, *origin.program));
    if (at != programs_.end()) return {&at->second};
  }
  // Without a number: by the name. A function of JAX has a program for each shape of its operands.
  constexpr std::size_t kMost = 64;
  std::vector<Program*> found;
  for (auto at = programs_.lower_bound(origin.module);
       at != programs_.end() && at->first.starts_with(origin.module) && found.size() < kMost;
       ++at) {
    const auto rest = at->first.substr(origin.module.size());
    if (rest.empty() || rest.front() == '(') found.push_back(&at->second);
  }
  return found;
}

const hlo::Module* XplanePrograms::module_of(Program& program) {
  if (!program.read) {
    program.read = true;
    program.module = hlo::read_proto(program.proto, instructions_left_);
    if (program.module)
      instructions_left_ -= std::min(instructions_left_, program.module->instructions());
    else
      ++unreadable_;
  }
  return program.module ? &*program.module : nullptr;
}

Operation XplanePrograms::described(const Origin& origin) {
  std::optional<Operation> made;
  for (auto* program : find(origin)) {
    const auto* module = module_of(*program);
    const auto place = module ? module->find(origin.instruction) : std::nullopt;
    if (!place) continue;
    auto operation = hlo::operation_of(*module, *place);
    if (made && *made != operation) return {};  // which of them it was is not told
    made = std::move(operation);
  }
  return made.value_or(Operation());
}

std::uint64_t XplanePrograms::operation(ImportSink& sink, const Origin& origin) {
  if (origin.instruction.empty()) return 0;
  const auto [at, is_new] = operations_.try_emplace(
      fmt::format("{}\n{}\n{}", origin.module, origin.instruction, origin.program.value_or(0)), 0);
  if (!is_new) return at->second;
  auto made = described(origin);
  made.name = "hlo::" + std::string(origin.instruction);
  const std::pair<std::string_view, std::string_view> names[] = {
      {"hlo_module", origin.module},
      {"hlo_op", origin.instruction},
      {"name", origin.name},
      {"tf_op", origin.tf_op},
  };
  for (const auto& [key, value] : names)
    if (!value.empty()) made.attributes.emplace_back(key, value);
  std::sort(made.attributes.begin(), made.attributes.end());
  return at->second = sink.operation(made);
}

}  // namespace roofline
