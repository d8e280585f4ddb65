#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "report/profile/counted.hpp"
#include "report/profile/profile_report.hpp"
#include "roofline/analysis/attainable.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

constexpr std::size_t kRows = 20;            // kernels in the table; all of them with -v
constexpr std::size_t kBlocks = 6;           // kernels with a block of their own
constexpr std::size_t kLeastName = 24;       // columns of a kernel's name
constexpr std::size_t kLeastOperation = 38;  // the same of an operation with its shapes
constexpr std::size_t kRanksShown = 16;
constexpr std::size_t kVerdicts = 8;  // without a block of their own; more are left to -v
constexpr std::size_t kWinsShown = 3;
constexpr double kShareWorthSaying = 0.01;  // of the GPU time
constexpr double kGraphWorthSaying = 0.01;  // of the span

std::string whole(std::uint64_t value) { return grouped(Count(value)); }
std::string plural(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", whole(count), what,
                     count == 1                                    ? ""
                     : what.ends_with("ch") || what.ends_with('s') ? "es"
                                                                   : "s");
}

/// "132" of {132, 1, 1}, "16x16" of {16, 16, 1}.
std::string sizes(const std::array<std::uint64_t, 3>& s) {
  if (s[0] == 0) return "-";  // a file that does not tell
  std::string text = std::to_string(s[0]);
  if (s[1] > 1 || s[2] > 1) text += fmt::format("x{}", s[1]);
  if (s[2] > 1) text += fmt::format("x{}", s[2]);
  return text;
}

std::string name_of(const KernelFinding& finding) { return printable(finding.id); }

class ProfilePage {
 public:
  ProfilePage(Page& page, const ProfileReport& report, const ProfilePageOptions& options)
      : page_(page), report_(report), findings_(report.findings), options_(options) {}

  void write() {
    const bool brief = options_.verbosity < 0;
    if (report_.profile.simulated)
      page_.title(
          "SIMULATED: a stand-in for the driver ran; no kernel was executed, and no time is that "
          "of a GPU");
    if (!brief) {
      heading();
      environment();
      kernels();
      blocks();
      sequence();
      sampled();
      ranges();
      ranks();
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
  // ---------------------------------------------------------------- heading
  void heading() {
    if (report_.ceilings) {
      parts::UsedCeilings used;
      for (const auto& finding : findings_.kernels)
        if (finding.verdict) used.add(*finding.verdict);
      parts::gpu_heading(page_, *report_.ceilings, used.list());
    } else {
      const auto* device =
          report_.profile.devices.empty() ? nullptr : &report_.profile.devices.front();
      page_.heading(device && !device->name.empty() ? printable(device->name) : "GPU not known",
                    "not in the table: times, no verdicts");
    }
    if (!report_.gpu_note.empty()) page_.sentence(report_.gpu_note);
    page_.gap();
  }

  void environment() {
    const auto& e = report_.environment;
    std::vector<std::string> words;
    if (!e.driver.empty()) words.push_back("driver " + printable(e.driver));
    if (!e.cuda.empty()) words.push_back("CUDA " + printable(e.cuda));
    if (e.power_limit_w) words.push_back(fmt::format("{:.0f} W", *e.power_limit_w));
    if (e.ecc) words.push_back(*e.ecc ? "ECC on" : "ECC off");
    if (!e.mig.empty()) words.push_back("MIG " + printable(e.mig));
    if (e.clock_median_mhz)
      words.push_back(fmt::format("SM {:.0f} MHz ({:.0f}..{:.0f})", *e.clock_median_mhz,
                                  *e.clock_min_mhz, *e.clock_max_mhz));
    if (e.throttled_share)
      words.push_back(*e.throttled_share > 0
                          ? fmt::format("throttled {} of the time", percent(*e.throttled_share))
                          : "no throttling");
    if (e.other_processes)
      words.push_back(*e.other_processes == 0
                          ? "alone on the GPU"
                          : plural(*e.other_processes, "other process") + " on the GPU");
    std::string line;
    for (const auto& word : words) line += (line.empty() ? "" : ", ") + word;
    if (!line.empty()) page_.sentence(line);
    page_.heading(
        report_.program.command.empty() ? "the program" : printable(report_.program.command),
        report_.profile.runs > 0 ? runs_text() : counted_text());
  }

  std::string runs_text() const {
    const auto& profile = report_.profile;
    if (profile.imported()) return imported_text();
    std::string text =
        fmt::format("{} of {} in {}", plural(profile.launches(), "launch"),
                    plural(profile.kernels.size(), "kernel"), plural(profile.runs, "run"));
    const auto processes = static_cast<std::uint64_t>(std::count_if(
        profile.processes.begin(), profile.processes.end(),
        [](const auto& process) { return process.mode != kCounterMode && process.launches > 0; }));
    if (processes > profile.runs) text += fmt::format(" and {}", plural(processes, "process"));
    return text + fmt::format(", {} of GPU time a run",
                              seconds(profile.kernel_time() / static_cast<double>(profile.runs)));
  }

  std::string imported_text() const {
    const auto& profile = report_.profile;
    const auto& first = profile.processes.front();
    std::string text = fmt::format(
        "{} of {}{}, {} of GPU time, from {}", plural(profile.launches(), "launch"),
        plural(profile.kernels.size(), "kernel"),
        profile.processes.size() > 1 ? " in " + plural(profile.processes.size(), "file") : "",
        seconds(profile.kernel_time()), printable(first.imported_from));
    for (const auto& process : profile.processes)
      if (!process.cut.empty())
        text +=
            fmt::format("; {} ends too early: {}", printable(process.file), printable(process.cut));
    return text;
  }

  /// Under counters alone launches are not all seen, and their times are those of replay.
  std::string counted_text() const {
    std::uint64_t counted = 0;
    for (const auto& finding : findings_.kernels) counted += finding.counted_launches;
    return fmt::format("{} of {} counted; no times: they would be those of replay",
                       plural(counted, "launch"), plural(findings_.kernels.size(), "kernel"));
  }

  // ---------------------------------------------------------------- table
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
        name_of(finding),
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

  // ---------------------------------------------------------------- one kernel
  bool has_block(const KernelFinding& finding) const {
    std::size_t before = 0;
    for (const auto& other : findings_.kernels) {
      const bool worth = other.verdict || other.counters;
      if (&other == &finding) return worth && (before < blocks_shown() || options_.verbosity > 0);
      before += worth ? 1 : 0;
    }
    return false;
  }

  /// Of a file with many operations the first ones stand for the rest.
  std::size_t blocks_shown() const { return findings_.matched > kVerdicts ? kBlocks / 2 : kBlocks; }

  void blocks() {
    for (const auto& finding : findings_.kernels) {
      if (!has_block(finding)) continue;
      page_.gap();
      if (!finding.verdict) {
        counted(finding);
        continue;
      }
      block(finding);
      verdict(finding, false);
      write_caveats(page_, finding);
    }
  }

  void counted(const KernelFinding& finding) {
    page_.heading(name_of(finding), fmt::format("not described; {} counted, of one:",
                                                plural(finding.counted_launches, "launch")));
    write_counted(page_, finding, report_.ceilings.get());
    causes(finding);
    write_caveats(page_, finding);
  }

  void block(const KernelFinding& finding) {
    const auto& seen = *finding.seen;
    const auto runs = std::max<std::uint64_t>(report_.profile.runs, 1);
    std::string detail =
        fmt::format("{} x {}", plural(runs, "run"), plural(seen.launches / runs, "launch"));
    if (finding.run_spread)
      detail += fmt::format(", spread between runs {}", percent(*finding.run_spread));
    if (finding.id != seen.name) detail += ": " + shortened_middle(printable(seen.name), 60);
    page_.heading(name_of(finding), detail);
    page_.begin_table({{"", Align::left, 0, 0},
                       {"spec", Align::right, 0, 0},
                       {"measured", Align::right, 0, 0},
                       {"", Align::left, 0, 0}});
    row_bytes(finding);
    row_time(finding);
    row_flops(finding);
    row_registers(finding);
    page_.end_table();
    product(finding);
  }

  void row_bytes(const KernelFinding& finding) {
    const auto spec = bytes(finding.verdict->bytes());
    const auto moved = finding.counters ? finding.counters->dram_bytes() : std::nullopt;
    if (!moved) {
      page_.row({"DRAM bytes", spec, "not measured",
                 options_.counters_asked ? "no counter values of this kernel"
                                         : "--counters measures them"});
      return;
    }
    page_.row({"DRAM bytes", spec, format_bytes(moved->value()),
               finding.excess_traffic
                   ? fmt::format("{} its compulsory bytes", times(*finding.excess_traffic))
                   : ""});
    if (finding.dram_busy)
      page_.row(
          {"DRAM busy", "-", percent(*finding.dram_busy), "of " + rate(report_.ceilings->dram())});
  }

  void row_time(const KernelFinding& finding) {
    const auto& v = *finding.verdict;
    const auto floor = seconds(v.floor.time) + " floor";
    if (!v.measured) {
      page_.row({"time", floor, "-", "no launch has a valid time"});
      return;
    }
    const auto* limiting = v.floor.limiting();
    const double fraction = v.measured->fraction_of_ceiling;
    page_.row({"time", floor, seconds(v.measured->time),
               limiting ? fmt::format("{} of the {} ceiling, {} the floor", percent(fraction),
                                      limiting->ceiling.resource.kind == Resource::Kind::dram
                                          ? "memory"
                                          : resource_title(limiting->ceiling.resource),
                                      times(fraction > 0 ? 1 / fraction : 0))
                        : ""});
  }

  void row_flops(const KernelFinding& finding) {
    if (!finding.counters || finding.counters->flops_by_pipe.empty()) return;
    bool first = true;
    for (const auto& [pipe, amount] : finding.counters->flops_by_pipe) {
      const auto known = find_pipe(pipe);
      page_.row({first ? "work" : "", first ? flops(finding.verdict->flops) : "",
                 format_quantity(amount, "FLOP"),
                 known ? "on the " + pipe_title(*known) + " pipe" : printable(pipe)});
      first = false;
    }
  }

  void row_registers(const KernelFinding& finding) {
    const auto& seen = *finding.seen;
    std::string more;
    if (finding.counters && finding.counters->occupancy)
      more = fmt::format("occupancy {}", percent(*finding.counters->occupancy));
    const auto shared = seen.static_shared_bytes + seen.dynamic_shared_bytes;
    if (shared > 0)
      more += fmt::format("{}shared memory {}", more.empty() ? "" : ", ",
                          format_capacity(static_cast<double>(shared)));
    const auto local = seen.code ? seen.code->spill_bytes : seen.local_bytes_per_thread;
    page_.row({seen.code ? "registers / spill" : "registers / local", "-",
               fmt::format("{} / {} B", seen.registers, local), more});
  }

  /// t / floor = excess traffic x (1 / DRAM busy): two different things, both named.
  void product(const KernelFinding& finding) {
    const auto& v = *finding.verdict;
    if (!v.measured || !finding.excess_traffic || !finding.dram_busy || *finding.dram_busy <= 0)
      return;
    const auto* limiting = v.floor.limiting();
    if (!limiting || limiting->ceiling.resource.kind != Resource::Kind::dram ||
        v.measured->fraction_of_ceiling <= 0)
      return;
    page_.gap();
    page_.sentence(fmt::format("{}  =  {} extra bytes  x  {} unused bandwidth",
                               times(1 / v.measured->fraction_of_ceiling),
                               times(*finding.excess_traffic), times(1 / *finding.dram_busy)));
  }

  void verdict(const KernelFinding& finding, bool named) {
    const KernelReport report{.kernel = &*finding.kernel,
                              .point = {},
                              .verdict = *finding.verdict,
                              .levers = finding.levers,
                              .notes = finding.notes,
                              .margin = {},
                              .tile = {}};
    const bool counted = finding.excess_traffic && finding.verdict->bound == Bound::memory;
    parts::kernel_verdict(page_, report, named ? name_of(finding) : std::string(),
                          !counted && options_.verbosity >= 0);
    if (counted) what_first(finding);
    causes(finding);
    for (const auto& note : finding.notes)
      page_.remark("note", printable(note.text), Tone::plain, 0);
  }

  /// Only what a rule over the counters found.
  void causes(const KernelFinding& finding) {
    for (const auto& rule : finding.fired) {
      page_.remark(rule.note ? "note" : "cause", printable(rule.cause.text), Tone::plain, 0);
      if (rule.lever) page_.remark("lever", lever(*rule.lever), Tone::plain, 0);
    }
  }

  /// What the counters say of a gap, in the order in which it is worth looking.
  void what_first(const KernelFinding& finding) {
    std::string_view label = "first";
    const double extra = *finding.excess_traffic;
    if (extra > kExcessWorthSaying) {
      const double compulsory = finding.verdict->bytes().to_double();
      page_.remark(label, extra_bytes(finding, (extra - 1) * compulsory), Tone::plain, 0);
      label = "then";
    }
    if (finding.dram_busy && *finding.dram_busy < kAtCeiling) {
      const auto* share = attainable_share(*report_.gpu, *finding.kernel);
      const auto usual = share ? fmt::format("; {} is usual for such kernels on this GPU",
                                             percent(share->bandwidth_share))
                               : std::string();
      page_.remark(label, fmt::format("bandwidth: {} busy{}", percent(*finding.dram_busy), usual),
                   Tone::plain, 0);
    }
  }

  static std::string extra_bytes(const KernelFinding& finding, double extra) {
    Count largest;
    for (const auto& operand : finding.kernel->work.operands())
      largest = max(largest, max(operand.read, operand.written));
    if (largest <= Count(0)) return fmt::format("the extra {}", format_bytes(extra));
    return fmt::format(
        "the extra {}: as much as {} more passes over its largest tensor ({})", format_bytes(extra),
        format_number(std::round(10 * extra / largest.to_double()) / 10), bytes(largest));
  }

  // ---------------------------------------------------------------- the run
  void sequence() {
    if (!findings_.sequence) return;
    const auto& s = *findings_.sequence;
    page_.gap();
    page_.heading("the run",
                  fmt::format("from the first kernel or copy to the last, on one device{}",
                              report_.profile.runs > 1 ? ", in the run of median length" : ""));
    std::vector<PageFact> facts = {
        {"span", seconds(s.span),
         fmt::format("{}, {}{}", plural(s.launches, "kernel"), plural(s.launch_calls, "launch"),
                     s.graph_launches > 0 ? ", " + plural(s.graph_launches, "graph launch") : "")},
        {"GPU busy", percent(s.busy_share()),
         seconds(s.busy) + " with a kernel or a copy on some stream"}};
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

  // ---------------------------------------------------------------- what remains to be said
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
    for (const auto& row : findings_.unmatched)
      page_.remark("unknown",
                   fmt::format("{}, {} of the GPU time: {}", plural(row.launches, "launch"),
                               percent(row.time_share), unmatched_text(row.reason)),
                   Tone::plain, 0);
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
      if (!finding.verdict || (!brief && has_block(finding))) continue;
      if (all || (brief && finding.time_share >= kShareWorthSaying))
        verdict(finding, findings_.matched > 1);
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
          fmt::format("rank {} on {} works {} as long as the median rank: the others wait for it",
                      straggler.rank, printable(straggler.host), times(findings_.ranks->imbalance)),
          Tone::overhead, 0);
    }
    if (!findings_.sequence) return;
    const auto& s = *findings_.sequence;
    if (s.bound != Bound::overhead) return;
    constexpr std::string_view kWord = "overhead-bound";
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
    page_.remark("next",
                 fmt::format("describe {} ({} of the GPU time) to learn what limits it: --spec "
                             "FILE, with an entry of that name or with match:",
                             shortened_middle(name_of(heaviest), 40), percent(heaviest.time_share)),
                 Tone::plain, 0);
  }

  Page& page_;
  const ProfileReport& report_;
  const ProfileFindings& findings_;
  const ProfilePageOptions& options_;
};

}  // namespace

void write_profile_page(Page& page, const ProfileReport& report,
                        const ProfilePageOptions& options) {
  ProfilePage(page, report, options).write();
}

}  // namespace roofline
