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
      program->module = hlo::read_proto(program->proto);
      unreadable_ += program->module ? 0 : 1;
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

void XplanePrograms::number_parts(std::vector<Kernel>& stream, ImportSink& sink) {
  std::erase_if(stream, [](const Kernel& kernel) { return kernel.operation == 0; });
  std::stable_sort(stream.begin(), stream.end(),
                   [](const Kernel& a, const Kernel& b) { return a.start < b.start; });
  for (std::size_t first = 0; first < stream.size();) {
    auto end = first;
    while (end < stream.size() && stream[end].operation == stream[first].operation) ++end;
    // The shortest row of kernels that the whole is made of. Its length is found as a text's
    // smallest period is, by Knuth, Morris and Pratt.
    const auto count = end - first;
    std::vector<std::size_t> border(count, 0);
    for (std::size_t i = 1; i < count; ++i) {
      auto length = border[i - 1];
      while (length > 0 && stream[first + i].shape != stream[first + length].shape)
        length = border[length - 1];
      border[i] = length + (stream[first + i].shape == stream[first + length].shape ? 1 : 0);
    }
    auto period = count - border.back();
    if (count % period != 0) period = count;
    for (std::size_t i = 0; i < count; ++i)
      sink.assign(stream[first + i].launch, stream[first + i].operation, i % period);
    first = end;
  }
}

}  // namespace roofline
