#include <fmt/format.h>

#include <algorithm>

#include "report/profile/page_sections.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile_page {
namespace {

using namespace phrases;

constexpr std::size_t kRanksShown = 16;
constexpr double kGraphWorthSaying = 0.01;  // of the span

/// The run as a whole.
class Run : Section {
 public:
  using Section::Section;

  void write() {
    sequence();
    write_devices(page_, report_, options_);
    sampled();
    ranges();
    ranks();
  }

 private:
  /// Of several devices in a run the sequence is of one.
  std::string device_of(const SequenceFinding& s) const {
    const auto& profile = report_.profile;
    const auto& process = profile.processes[s.process];
    const auto devices =
        std::count_if(profile.activity.begin(), profile.activity.end(), [&](const auto& activity) {
          return profile.processes[activity.process].run == process.run;
        });
    if (devices < 2) return "one device";
    const auto owner = process.rank      ? fmt::format(" of rank {}", *process.rank)
                       : process.pid > 0 ? fmt::format(" of process {}", process.pid)
                                         : std::string();
    return fmt::format("device {}{}, whose span is the longest of {}",
                       profile.activity[s.activity].device, owner, devices);
  }

  void sequence() {
    if (!findings_.sequence) return;
    const auto& s = *findings_.sequence;
    page_.gap();
    page_.heading("the run",
                  fmt::format("from the first kernel or copy to the last, on {}{}", device_of(s),
                              report_.profile.runs > 1 ? ", in the run of median length" : ""));
    std::vector<PageFact> facts = {
        {"span", seconds(s.span),
         fmt::format("{}{}{}", plural(s.launches, "kernel"),
                     s.launch_calls > 0 ? ", " + plural(s.launch_calls, "launch") : "",
                     s.graph_launches > 0 ? ", " + plural(s.graph_launches, "graph launch") : "")},
        {"GPU busy", percent(s.busy_share()),
         seconds(s.busy) + " with a kernel or a copy on some stream"}};
    add_overlap(facts, report_.profile.activity[s.activity]);
    if (s.idle > Seconds(0)) facts.push_back({"idle", seconds(s.idle), idle_text(s)});
    if (s.launch_calls + s.graph_launches > 0)
      facts.push_back(
          {"launching", seconds(s.launching),
           fmt::format("on the host, {} a launch on average, with the profiler attached",
                       seconds(s.launch_cost))});
    if (s.launch_calls > 1 && s.launching_share() >= kGraphWorthSaying)
      facts.push_back({"as a graph", seconds(s.as_graph),
                       "without the idle time that launching explains, and one launch for all"});
    page_.facts(facts);
  }

  void sampled() {
    for (const auto& samples : report_.profile.samples) {
      const auto use = samples.use(report_.profile.sm_count(samples.device));
      page_.gap();
      page_.heading("sampled",
                    fmt::format("device {} for {}, {}: all that ran on it", samples.device,
                                seconds(samples.time), plural(samples.count, "sample")));
      std::vector<PageFact> facts;
      if (use.dram_read && use.dram_written) {
        const auto both = *use.dram_read + *use.dram_written;
        facts.push_back({"DRAM", format_quantity(both.value(), "B/s"),
                         fmt::format("on average{}; {} in the busiest sample", of_peak(both),
                                     format_quantity(use.dram_busiest->value(), "B/s"))});
      }
      if (use.l2) facts.push_back({"L2", format_quantity(use.l2->value(), "B/s"), "on average"});
      if (use.sm_active)
        facts.push_back({"SMs active", percent(*use.sm_active), "of the cycles, on average"});
      if (use.tensor_active)
        facts.push_back({"tensor pipes", percent(*use.tensor_active), "of the cycles, on average"});
      page_.facts(facts);
    }
  }

  std::string of_peak(ByteRate rate) const {
    if (!report_.gpu || !report_.gpu->dram_bandwidth) return {};
    const auto peak = report_.gpu->dram_bandwidth->value;
    return fmt::format(", {} of {}", percent(rate / peak), format_quantity(peak.value(), "B/s"));
  }

  static std::string idle_text(const SequenceFinding& s) {
    if (s.launch_calls + s.graph_launches == 0 && s.idle_profiler == Seconds(0))
      return "what the host did meanwhile is not recorded";
    auto text = fmt::format("{} of it while the host was launching", seconds(s.idle_launching));
    if (s.idle_profiler > Seconds(0))
      text += fmt::format(", {} taken by profiling and module loading", seconds(s.idle_profiler));
    const auto rest = s.idle - s.idle_launching - s.idle_profiler;
    if (rest > 0.01 * s.idle) text += fmt::format("; for {} it did something else", seconds(rest));
    return text;
  }

  void ranges() {
    if (report_.profile.ranges.size() < 2) return;
    page_.gap();
    page_.begin_table(
        {{report_.unmatched_reason.empty() ? "NVTX range" : "range", Align::left, kLeastName, 0},
         {"times", Align::right, 0, 0},
         {"launches", Align::right, 0, 0},
         {"time", Align::right, 0, 0},
         {"idle", Align::right, 0, 0}});
    const auto shown = options_.verbosity > 0 ? report_.profile.ranges.size()
                                              : std::min(kRows, report_.profile.ranges.size());
    for (std::size_t i = 1; i < shown; ++i) {
      const auto& range = report_.profile.ranges[i];
      const auto& run = range.runs.front();
      page_.row({printable(range.name), whole(run.instances), whole(run.launches),
                 seconds(run.time), run.time > Seconds(0) ? percent(run.idle / run.time) : "-"});
    }
    page_.end_table();
  }

  void ranks() {
    if (!findings_.ranks) return;
    const auto& summary = *findings_.ranks;
    page_.gap();
    page_.heading(
        "ranks", fmt::format("{} of them; work of their own {} at least, {} the median, {} at most",
                             summary.ranks.size(), seconds(summary.least), seconds(summary.median),
                             seconds(summary.most)));
    page_.begin_table({{"rank", Align::right, 0, 0},
                       {"host", Align::left, 8, 2},
                       {"own kernels", Align::right, 0, 0},
                       {"communication", Align::right, 0, 0},
                       {"span", Align::right, 0, 1},
                       {"GPU busy", Align::right, 0, 0}});
    for (std::size_t i = 0; i < summary.ranks.size(); ++i) {
      if (options_.verbosity <= 0 && i >= kRanksShown && i != summary.straggler) continue;
      const auto& rank = summary.ranks[i];
      page_.row({std::to_string(rank.rank), printable(rank.host), seconds(rank.own),
                 seconds(rank.communication), seconds(rank.span),
                 rank.span > Seconds(0) ? percent(rank.busy / rank.span) : "-"});
    }
    page_.end_table();
  }
};

}  // namespace

void write_run(Page& page, const ProfileReport& report, const ProfilePageOptions& options) {
  Run(page, report, options).write();
}

}  // namespace roofline::profile_page
