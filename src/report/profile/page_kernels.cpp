#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/profile/counted.hpp"
#include "report/profile/page_sections.hpp"
#include "roofline/analysis/attainable.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile_page {
namespace {

using namespace phrases;

constexpr std::size_t kBlocks = 6;  // kernels with a block of their own

/// One kernel after the other.
class Kernels : Section {
 public:
  using Section::Section;

  void write() { blocks(); }

  void blocks() {
    for (const auto& finding : findings_.kernels) {
      if (!has_block(finding, report_, options_)) continue;
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
                 options_.counters_asked      ? "no counter values of this kernel"
                 : report_.profile.imported() ? "the file has no counters of it"
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
    if (!seen.resources_known()) return;
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
};

}  // namespace

void write_blocks(Page& page, const ProfileReport& report, const ProfilePageOptions& options) {
  Kernels(page, report, options).write();
}

bool has_block(const KernelFinding& finding, const ProfileReport& report,
               const ProfilePageOptions& options) {
  // Of a file with many operations the first ones stand for the rest.
  const auto shown = report.findings.matched > kVerdicts ? kBlocks / 2 : kBlocks;
  std::size_t before = 0;
  for (const auto& other : report.findings.kernels) {
    const bool worth = other.verdict || other.counters;
    if (&other == &finding) return worth && (before < shown || options.verbosity > 0);
    before += worth ? 1 : 0;
  }
  return false;
}

void write_verdict(Page& page, const ProfileReport& report, const ProfilePageOptions& options,
                   const KernelFinding& finding, bool named) {
  Kernels(page, report, options).verdict(finding, named);
}

}  // namespace roofline::profile_page
