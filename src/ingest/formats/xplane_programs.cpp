#include "ingest/formats/xplane_programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/hlo/operation.hpp"

namespace roofline {

XplanePrograms::Program* XplanePrograms::find(const Origin& origin) {
  if (origin.program) {
    const auto at = programs_.find(fmt::format("{}({})", origin.module, *origin.program));
    if (at != programs_.end()) return &at->second;
  }
  // Without a number: by the name, where there is one alone of it.
  Program* found = nullptr;
  for (auto at = programs_.lower_bound(origin.module);
       at != programs_.end() && at->first.starts_with(origin.module); ++at) {
    const auto rest = at->first.substr(origin.module.size());
    if (!rest.empty() && rest.front() != '(') continue;
    if (found) return nullptr;
    found = &at->second;
  }
  return found;
}

std::uint64_t XplanePrograms::operation(ImportSink& sink, const Origin& origin) {
  if (origin.instruction.empty()) return 0;
  const auto [at, is_new] = operations_.try_emplace(
      fmt::format("{}\n{}\n{}", origin.module, origin.instruction, origin.program.value_or(0)), 0);
  if (!is_new) return at->second;
  Operation made;
  made.name = "hlo::" + std::string(origin.instruction);
  if (auto* program = find(origin)) {
    if (!program->read) {
      program->read = true;
      program->module = hlo::read_proto(program->proto, instructions_left_);
      if (program->module)
        instructions_left_ -= std::min(instructions_left_, program->module->instructions());
      else
        ++unreadable_;
    }
    if (program->module)
      if (const auto place = program->module->find(origin.instruction))
        made = hlo::operation_of(*program->module, *place);
  }
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
