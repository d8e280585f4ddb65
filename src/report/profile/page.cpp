#include <fmt/format.h>

#include <algorithm>

#include "report/profile/page_sections.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace profile_page {

using namespace phrases;

std::string whole(std::uint64_t value) { return grouped(Count(value)); }

std::string plural(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", whole(count), what,
                     count == 1                                    ? ""
                     : what.ends_with("ch") || what.ends_with('s') ? "es"
                                                                   : "s");
}

std::string sizes(const std::array<std::uint64_t, 3>& s) {
  if (s[0] == 0) return "-";  // a file that does not tell
  std::string text = std::to_string(s[0]);
  if (s[1] > 1 || s[2] > 1) text += fmt::format("x{}", s[1]);
  if (s[2] > 1) text += fmt::format("x{}", s[2]);
  return text;
}

std::string name_of(const KernelFinding& finding) {
  const auto& seen = *finding.seen;
  return printable(finding.id == seen.name ? instance_name(seen.full_name) : finding.id);
}

namespace {

constexpr std::size_t kWinsShown = 3;
constexpr double kShareWorthSaying = 0.01;  // of the GPU time

/// The sections in order; then what is covered, what was lost, and the verdict on the whole.
class ProfilePage : Section {
 public:
  using Section::Section;

  void write() {
    const bool brief = options_.verbosity < 0;
    if (report_.profile.simulated)
      page_.title(
          "SIMULATED: a stand-in for the driver ran; no kernel was executed, and no time is that "
          "of a GPU");
    if (!brief) {
      write_heading(page_, report_, options_);
      write_table(page_, report_, options_);
      write_blocks(page_, report_, options_);
      write_run(page_, report_, options_);
      page_.gap();
    }
    coverage();
    losses();
    for (const auto& mismatch : findings_.peak_mismatches)
      page_.remark("warning", printable(mismatch.text), Tone::bad, 0);
    for (const auto& warning : report_.warnings)
      page_.remark("warning",
                   warning.text + (warning.code.starts_with("RF") ? " (" + warning.code + ")" : ""),
                   Tone::bad, 0);
    verdicts(brief);
    most_to_win();
    whole_verdict();
    next();
  }

 private:
  void coverage() {
    const auto& all = findings_.kernels;
    if (!report_.entries.empty() || !report_.unmatched_reason.empty())
      page_.remark(
          "covered",
          fmt::format("{} of {} {}, {} of the GPU time", findings_.matched,
                      plural(all.size(), "kernel"),
                      report_.unmatched_reason.empty() ? "described" : "known by their work",
                      percent(findings_.time_share_matched)),
          Tone::plain, 0);
    for (const auto& row : findings_.unmatched) {
      if (row.launches == 0) continue;  // kernels with counters and no time: under lost
      page_.remark("unknown",
                   fmt::format("{}, {} of the GPU time: {}", plural(row.launches, "launch"),
                               percent(row.time_share), unmatched_text(row.reason)),
                   Tone::plain, 0);
    }
    for (const auto index : findings_.unbound_entries) {
      const auto& entry = report_.entries[index];
      const auto name = entry.match && !entry.match->name.empty() ? entry.match->name : entry.name;
      const auto near = nearest_kernel(name, report_.profile.kernels);
      page_.remark("missing",
                   fmt::format("no launch matches the entry {} (line {}); {} seen{}",
                               printable(entry.name), entry.where.line,
                               plural(all.size(), "kernel"), near.empty() ? "" : ": " + near),
                   Tone::bad, 0);
    }
  }

  void losses() {
    for (const auto& loss : report_.profile.losses)
      page_.remark("lost", fmt::format("{}: {}", loss_text(loss.reason), whole(loss.count)),
                   Tone::bad, 0);
  }

  /// Those that no block above gives: all of them where there are few, else of the kernels that
  /// take time.
  void verdicts(bool brief) {
    std::size_t left_out = 0;
    const bool all = options_.verbosity > 0 || findings_.matched <= kVerdicts;
    for (const auto& finding : findings_.kernels) {
      if (!finding.verdict || (!brief && has_block(finding, report_, options_))) continue;
      if (all || (brief && finding.time_share >= kShareWorthSaying))
        write_verdict(page_, report_, options_, finding, findings_.matched > 1);
      else
        ++left_out;
    }
    if (left_out > 0)
      page_.remark("more",
                   fmt::format("{} {} (-v prints them all)", plural(left_out, "other verdict"),
                               brief ? "of kernels that take little time" : "in the table above"),
                   Tone::plain, 0);
  }

  /// Where the time above the floors is: what is worth working at, most first.
  void most_to_win() {
    if (findings_.matched < kWinsShown) return;
    struct Win {
      const KernelFinding* finding;
      Seconds time;
    };
    std::vector<Win> wins;
    for (const auto& finding : findings_.kernels) {
      if (!finding.verdict || !finding.verdict->measured) continue;
      const auto gap = finding.verdict->measured->time - finding.verdict->floor.time;
      const auto times_run = finding.kernel->samples.to_double();
      if (gap > Seconds(0)) wins.push_back({&finding, gap * times_run});
    }
    std::stable_sort(wins.begin(), wins.end(),
                     [](const Win& a, const Win& b) { return a.time > b.time; });
    const auto all = report_.profile.kernel_time();
    for (std::size_t i = 0; i < std::min(kWinsShown, wins.size()); ++i)
      page_.remark(
          i == 0 ? "to win" : "",
          fmt::format("{} above the floor in {}, {} of the GPU time", seconds(wins[i].time),
                      shortened_middle(name_of(*wins[i].finding), 60), percent(wins[i].time / all)),
          Tone::plain, 0);
  }

  void whole_verdict() {
    if (findings_.ranks && findings_.ranks->imbalance >= kImbalanced) {
      const auto& straggler = findings_.ranks->ranks[findings_.ranks->straggler];
      page_.remark(
          "verdict",
          fmt::format("rank {}{} works {} as long as the median rank: the others wait for it",
                      straggler.rank,
                      straggler.host.empty() ? "" : " on " + printable(straggler.host),
                      times(findings_.ranks->imbalance)),
          Tone::overhead, 0);
    }
    if (!findings_.sequence) return;
    const auto& s = *findings_.sequence;
    if (s.bound != Bound::overhead) return;
    constexpr std::string_view kWord = "overhead-bound";
    if (!s.waits_for_launches()) {  // or launches were not recorded
      page_.remark(
          "verdict",
          fmt::format("{}: most of the GPU time is in kernels whose floor is less than two "
                      "launches take",
                      kWord),
          Tone::overhead, kWord.size());
      page_.remark("lever", "fewer and longer kernels: fuse neighbours, or give each more work",
                   Tone::plain, 0);
      return;
    }
    const auto kernel = s.launches > 0 ? s.busy / static_cast<double>(s.launches) : Seconds(0);
    page_.remark(
        "verdict",
        fmt::format("{}: the GPU waits for launches {} of the time ({} a launch, {} a kernel)",
                    kWord, percent(s.launching_share()), seconds(s.launch_cost), seconds(kernel)),
        Tone::overhead, kWord.size());
    page_.remark("lever",
                 fmt::format("fewer launches: one CUDA graph, or fusing; {} instead of {} at best",
                             seconds(s.as_graph), seconds(s.span)),
                 Tone::plain, 0);
    page_.remark("", "making a kernel faster gains nothing while the GPU waits for the host",
                 Tone::plain, 0);
  }

  void next() {
    if (!options_.saved.empty()) page_.remark("saved", printable(options_.saved), Tone::plain, 0);
    const bool told =
        !report_.entries.empty() || findings_.matched > 0 || findings_.kernels.empty();
    if (told || options_.verbosity < 0 || report_.profile.runs == 0) return;
    const auto& heaviest = findings_.kernels.front();
    if (heaviest.time_share <= 0) return;
    page_.remark(
        "next",
        fmt::format("describe {} ({} of the GPU time) to learn what limits it: --spec "
                    "FILE, with an entry of that name or with match:",
                    shortened_middle(printable(heaviest.id), 100), percent(heaviest.time_share)),
        Tone::plain, 0);
  }
};

}  // namespace
}  // namespace profile_page

void write_profile_page(Page& page, const ProfileReport& report,
                        const ProfilePageOptions& options) {
  profile_page::ProfilePage(page, report, options).write();
}

}  // namespace roofline
