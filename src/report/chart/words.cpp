#include <fmt/format.h>

#include <algorithm>

#include "report/chart/numbering.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLongestName = 200;  // columns; a full C++ name may have 100 000
constexpr double kMatters = 0.1;           // a datapath is named from this share of the slowest on

/// "L2", "BF16 tensor"; a resource that nobody knows keeps its own name.
std::string resource_words(std::string_view resource) {
  if (resource == "dram") return "DRAM";
  if (resource == "l2") return "L2";
  if (resource == "l1") return "L1";
  if (resource == "shared") return "shared memory";
  if (resource.starts_with("link:")) {
    const auto link = find_link(resource.substr(5));
    return link ? resource_title(Resource::over(*link)) : printable(resource);
  }
  const auto pipe = find_pipe(resource);
  return pipe ? pipe_title(*pipe) : shortened(printable(resource), 40);
}

bool is_datapath(std::string_view resource) { return find_pipe(resource).has_value(); }

}  // namespace

std::string_view work_unit_name(WorkUnit unit) { return unit == WorkUnit::op ? "op" : "FLOP"; }
std::string_view work_rate_name(WorkUnit unit) { return unit == WorkUnit::op ? "op/s" : "FLOP/s"; }

WorkUnit work_unit_of(std::string_view pipe) {
  const auto known = find_pipe(pipe);
  // Special functions count as FLOPs of the kernel that computes them.
  if (!known || known->kind == PipeKind::sfu) return WorkUnit::flop;
  const Ceiling ceiling{.resource = Resource::on(*known)};
  return ceiling.unit() == "op/s" ? WorkUnit::op : WorkUnit::flop;
}

std::string chart_name(std::string_view name) {
  // printable() reads all of it; nobody reads more than a few hundred characters.
  constexpr std::size_t kBytes = 4 * kLongestName;
  const bool cut = name.size() > kBytes;
  auto text = printable(name.substr(0, kBytes));
  if (cut) text += " ...";
  return shortened(text, kLongestName);
}

std::string roof_title(std::string_view resource, bool sparse, bool mma_sync) {
  auto title = resource_words(resource);
  if (resource.starts_with("tensor:")) title += sparse ? ", 2:4 sparse" : ", dense";
  if (mma_sync) title += ", mma.sync";
  return title;
}

std::string calibration_words(const Calibration& calibration) {
  return chart_name(
      fmt::format("{}: {}", ceiling_kind_name(CeilingKind::calibrated), calibration.provenance()));
}

std::string pipes_text(std::string_view headline, const NamedFigures& resource_times) {
  double slowest = 0;
  for (const auto& [resource, seconds] : resource_times)
    if (is_datapath(resource)) slowest = std::max(slowest, seconds);
  std::vector<std::string> words;
  if (!headline.empty()) words.push_back(resource_words(headline));
  for (const auto& [resource, seconds] : resource_times)
    if (resource != headline && is_datapath(resource) && seconds > kMatters * slowest)
      words.push_back(resource_words(resource));
  return joined(words, " + ");
}

}  // namespace roofline
