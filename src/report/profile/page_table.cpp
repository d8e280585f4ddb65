#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/profile/page_sections.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile_page {
namespace {

using namespace phrases;

constexpr std::size_t kLeastOperation = 38;  // columns of an operation with its shapes

/// Kernels, one row each.
class Table : Section {
 public:
  using Section::Section;

  void write() {
    for (const auto& finding : findings_.kernels) ++rows_of_[finding.seen->name];
    kernels();
  }

 private:
  /// Rows that are of one kernel for operations of which no work is known are told apart by these;
  /// a node of a backward pass says less than the kernel does.
  std::string label(const KernelFinding& finding) const {
    const auto& seen = *finding.seen;
    const bool told = !finding.unmatched.empty() && rows_of_.at(seen.name) > 1 && seen.operation &&
                      !seen.operation->name.starts_with("torch::autograd");
    return told ? printable(operation_text(*seen.operation)) : name_of(finding);
  }

  void kernels() {
    if (findings_.kernels.empty() || report_.profile.runs == 0) return;
    const bool judged = findings_.matched > 0 && report_.ceilings;
    std::vector<Column> columns = {
        {"kernel", Align::left, report_.operations.empty() ? kLeastName : kLeastOperation, 0},
        {"kind", Align::left, 0, 3},
        {"grid", Align::right, 0, 4},
        {"block", Align::right, 0, 5},
        {"launches", Align::right, 0, 0},
        {"time", Align::right, 0, 0},
        {"spread", Align::right, 0, 2},
        {"share", Align::right, 0, 0}};
    if (judged)
      columns.insert(columns.end(), {{"floor", Align::right, 0, 0},
                                     {"of ceiling", Align::right, 0, 0},
                                     {"bound", Align::left, 0, 1}});
    page_.begin_table(std::move(columns));
    const auto shown = options_.verbosity > 0 ? findings_.kernels.size()
                                              : std::min(kRows, findings_.kernels.size());
    for (std::size_t i = 0; i < shown; ++i) page_.row(row(findings_.kernels[i], judged));
    page_.end_table();
    if (shown < findings_.kernels.size()) {
      double share = 0;
      for (std::size_t i = shown; i < findings_.kernels.size(); ++i)
        share += findings_.kernels[i].time_share;
      page_.sentence(fmt::format("and {} more, {} of the GPU time (-v shows them)",
                                 whole(findings_.kernels.size() - shown), percent(share)));
    }
  }

  std::vector<std::string> row(const KernelFinding& finding, bool judged) const {
    const auto& seen = *finding.seen;
    const auto runs = std::max<std::uint64_t>(report_.profile.runs, 1);
    const bool even = seen.launches % runs == 0;
    std::vector<std::string> cells = {
        label(finding),
        finding.kind.empty() ? "-" : finding.kind,
        sizes(seen.grid),
        sizes(seen.block),
        runs == 1 ? whole(seen.launches)
                  : fmt::format("{}{} x {}", even ? "" : "~", runs, whole(seen.launches / runs)),
        finding.time > Seconds(0) ? seconds(finding.time) : "-",
        finding.run_spread ? percent(*finding.run_spread) : within(finding),
        percent(finding.time_share)};
    if (!judged) return cells;
    const auto* measured =
        finding.verdict && finding.verdict->measured ? &*finding.verdict->measured : nullptr;
    cells.push_back(finding.verdict ? seconds(finding.verdict->floor.time) : "-");
    cells.push_back(measured ? percent(measured->fraction_of_ceiling) : "-");
    cells.push_back(finding.part_of    ? "part of it"
                    : !finding.verdict ? undescribed()
                    : measured && measured->status == Status::impossible
                        ? "impossible"
                        : bound_cell(*finding.verdict));
    return cells;
  }

  std::string undescribed() const {
    return report_.unmatched_reason.empty() ? "no description" : "not known";
  }

  /// Of one run: the middle half of the launches, as a share of the median.
  static std::string within(const KernelFinding& finding) {
    if (finding.runs.empty() || finding.runs.front().count < 4 || finding.time <= Seconds(0))
      return "-";
    return percent((finding.runs.front().q3 - finding.runs.front().q1) / finding.time);
  }

  std::map<std::string_view, std::size_t> rows_of_;  // by name
};

}  // namespace

void write_table(Page& page, const ProfileReport& report, const ProfilePageOptions& options) {
  Table(page, report, options).write();
}

}  // namespace roofline::profile_page
