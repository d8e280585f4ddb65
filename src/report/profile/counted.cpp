#include "report/profile/counted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

constexpr std::size_t kRawValues = 6;

std::string amount(const std::optional<Bytes>& bytes) {
  return bytes ? format_bytes(bytes->value()) : std::string("not counted");
}

/// "bank conflicts 12 %, occupancy 37 %": the shares that are known.
std::string shares(const MeasuredCounters& c) {
  const std::pair<std::string_view, const std::optional<double>*> kShares[] = {
      {"occupancy", &c.occupancy},   {"issue slots", &c.issue_active},
      {"coalescing", &c.coalescing}, {"bank conflicts", &c.bank_conflicts},
      {"L2 hits", &c.l2_hit},        {"tensor pipe", &c.tensor_active}};
  std::string text;
  for (const auto& [name, value] : kShares)
    if (*value) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(**value));
  return text;
}

PageFact dram(const KernelFinding& finding, const Ceilings* ceilings) {
  const auto& c = *finding.counters;
  std::string detail =
      c.dram_read || c.dram_written
          ? fmt::format("{} read, {} written", amount(c.dram_read), amount(c.dram_written))
          : std::string("read and written, not told apart");
  if (finding.dram_busy && ceilings)
    detail += fmt::format("; {} of {} busy", percent(*finding.dram_busy), rate(ceilings->dram()));
  return {"DRAM bytes", amount(c.dram_bytes()), std::move(detail)};
}

/// Counters that become none of the figures above, as they were read.
void raw_values(const KernelFinding& finding, std::vector<PageFact>& facts) {
  const auto& values = finding.counter_values;
  for (std::size_t i = 0; i < std::min(values.size(), kRawValues); ++i)
    facts.push_back({printable(values[i].first), format_number(values[i].second), ""});
  if (values.size() > kRawValues)
    facts.push_back({fmt::format("and {} more", values.size() - kRawValues), "", "--json has all"});
}

}  // namespace

void write_counted(Page& page, const KernelFinding& finding, const Ceilings* ceilings) {
  const auto& c = *finding.counters;
  std::vector<PageFact> facts;
  if (c.dram_read || c.dram_written || c.dram_total) facts.push_back(dram(finding, ceilings));
  if (c.l2_bytes)
    facts.push_back(
        {"L2 bytes", format_bytes(c.l2_bytes->value()), "all clients, both directions"});
  for (const auto& [pipe, flops] : c.flops_by_pipe) {
    const auto known = find_pipe(pipe);
    facts.push_back({"work", format_quantity(flops, "FLOP"),
                     known ? "on the " + pipe_title(*known) + " pipe" : printable(pipe)});
  }
  if (const auto text = shares(c); !text.empty()) facts.push_back({"shares", "", text});
  if (facts.empty()) raw_values(finding, facts);
  if (facts.empty()) facts.push_back({"counters", "-", "none of them has a value"});
  page.facts(facts);
}

void write_caveats(Page& page, const KernelFinding& finding) {
  if (!finding.counters) return;
  for (const auto caveat : finding.counters->caveats)
    page.remark("note", caveat_text(caveat), Tone::plain, 0);
}

}  // namespace roofline
