#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::parts {
namespace {

using namespace phrases;

Seconds mean(Seconds sum, Count launches) {
  return launches > Count(0) ? sum / launches.to_double() : Seconds(0);
}

}  // namespace

// ---------------------------------------------------------------- heading
void UsedCeilings::add(const Ceiling& ceiling) {
  const bool known = std::any_of(list_.begin(), list_.end(), [&](const Ceiling& other) {
    return other.resource == ceiling.resource && other.mma_sync == ceiling.mma_sync;
  });
  if (!known) list_.push_back(ceiling);
}

void UsedCeilings::add(const Verdict& verdict) {
  if (verdict.headline) add(*verdict.headline);
  const auto* limiting = verdict.floor.limiting();
  if (limiting && limiting->ceiling.resource.kind != Resource::Kind::dram) add(limiting->ceiling);
}

std::string ceiling_note(const Ceilings& ceilings, bool tensor) {
  const bool calibrated = ceilings.gpu().calibrated.has_value();
  std::string text = fmt::format("{}{} ceilings", calibrated ? "floors of " : "",
                                 ceiling_kind_name(ceilings.dram().kind));
  if (tensor)
    text += ceilings.options().sparsity_two_four ? ", tensor peaks with 2:4 sparsity" : ", dense";
  if (calibrated)
    text +=
        fmt::format("; attainable times of {} ones", ceiling_kind_name(CeilingKind::calibrated));
  return text + "; 1 FMA = 2 FLOP";
}

namespace {

/// "calibrated DRAM 2.95 TB/s (88 %), BF16 tensor 712 TFLOP/s (72 %)": of DRAM and of what the page
/// met, each with its share of the data sheet's; then when and where.
void calibrated_lines(Page& page, const Ceilings& ceilings, std::span<const Ceiling> used) {
  const auto& own = ceilings.gpu().calibrated;
  if (!own) return;
  const auto calibrated = ceilings.calibrated();
  std::vector<std::string> words;
  const auto add = [&](const Ceiling& sheet) {
    for (const auto& ceiling : calibrated)
      if (ceiling.resource == sheet.resource && ceiling.mma_sync == sheet.mma_sync)
        words.push_back(fmt::format("{}{} {} ({})", resource_title(ceiling.resource),
                                    ceiling.mma_sync ? " (mma.sync)" : "", rate(ceiling),
                                    percent(ceiling.per_second / sheet.per_second)));
  };
  add(ceilings.dram());
  for (const auto& sheet : used) add(sheet);
  page.sentence(fmt::format("{}: {}", ceiling_kind_name(CeilingKind::calibrated),
                            words.empty() ? "none of these ceilings" : joined(words, ", ")));
  page.sentence(printable(own->calibration.provenance()));
}

}  // namespace

void gpu_heading(Page& page, const Ceilings& ceilings, std::span<const Ceiling> used) {
  std::string detail = "DRAM " + rate(ceilings.dram());
  bool tensor = false;
  for (const auto& ceiling : used) {
    detail += fmt::format(", {}{} {}", resource_title(ceiling.resource),
                          ceiling.mma_sync ? " (mma.sync)" : "", rate(ceiling));
    if (ceiling.resource.is_compute())
      detail += fmt::format(" (ridge {})", intensity(ridge_point(ceiling, ceilings.dram())));
    tensor =
        tensor || (ceiling.resource.is_compute() && ceiling.resource.pipe.kind == PipeKind::tensor);
  }
  page.heading(printable(ceilings.gpu().name), detail);
  page.sentence(ceiling_note(ceilings, tensor));
  calibrated_lines(page, ceilings, used);
}

// ---------------------------------------------------------------- sequence
void sequence_facts(Page& page, const Sequence& s, const SequenceContext& context) {
  const std::vector<PageFact> facts = {
      {"GPU work", seconds(s.gpu_time),
       fmt::format("{} launches, {} each on average", grouped(s.launches),
                   seconds(mean(s.gpu_time, s.launches)))},
      {"launching", seconds(s.launch_time),
       fmt::format("on the CPU, one after another, {} each on average",
                   seconds(mean(s.launch_time, s.launches)))},
      {"wall time", seconds(s.makespan),
       fmt::format("if launches run ahead of the GPU; {} if each waits for the last",
                   seconds(s.serial))},
      {"GPU busy", percent(s.gpu_busy),
       fmt::format("of the wall time ({} if each waits)",
                   percent(s.serial > Seconds(0) ? s.gpu_time / s.serial : 0))},
      {"as a graph", seconds(s.as_graph), "one launch, then the GPU work"},
  };
  page.heading(context.name, "as a sequence");
  page.facts(facts);
  std::string note = "gaps between graph nodes are taken as zero";
  if (!context.all_measured)
    note += "; a GPU time that was not measured is the floor, at least one launch floor";
  if (context.launch_cost_option)
    note = fmt::format("{} a launch is your number (--launch-cost); ",
                       seconds(*context.launch_cost_option)) +
           note;
  page.remark("note", note, Tone::plain, 0);
}

void sequence_verdict(Page& page, const Sequence& s, const SequenceContext& context,
                      bool with_levers) {
  const auto launch = mean(s.launch_time, s.launches), gpu = mean(s.gpu_time, s.launches);
  if (!s.launch_bound) return;
  const auto prefix = context.name.empty() ? std::string() : context.name + ": ";
  constexpr std::string_view kWord = "overhead-bound";
  page.remark("verdict",
              fmt::format("{}{}: the CPU cannot feed the GPU ({} a launch > {} a kernel)", prefix,
                          kWord, seconds(launch), seconds(gpu)),
              Tone::overhead, prefix.size() + kWord.size());
  if (!with_levers) return;
  page.remark(
      "lever",
      fmt::format(
          "fewer launches: one CUDA graph, or fusing; {} instead of {} at best (saves {} at most)",
          seconds(s.as_graph), seconds(s.makespan),
          seconds(std::max(Seconds(0), s.makespan - s.as_graph))),
      Tone::plain, 0);
  page.remark("", "making a kernel faster gains nothing while a launch costs more than a kernel",
              Tone::plain, 0);
}

// ---------------------------------------------------------------- many kernels
void Balance::add(const KernelReport& report) {
  const auto& v = report.verdict;
  const double floor = v.floor.time.value() * report.kernel->repeat.to_double();
  by_bound_[static_cast<std::size_t>(v.bound)] += floor;
  total_ += floor;
  ++kernels_;
  const bool measured = v.measured.has_value();
  const double weight =
      measured ? v.measured->time.value() * report.kernel->repeat.to_double() - floor : floor;
  // A measured gap says more than a floor, however small it is.
  if (std::pair(measured, weight) > std::pair(heaviest_.measured, heaviest_.weight))
    heaviest_ = {short_name(*report.kernel),
                 report.levers.empty() ? std::string() : lever(report.levers.front()), weight,
                 measured};
}

void Balance::verdict(Page& page, Bound bound) const {
  const auto word =
      bound == Bound::unknown ? std::string("unknown") : std::string(bound_name(bound)) + "-bound";
  const double share = total_ > 0 ? by_bound_[static_cast<std::size_t>(bound)] / total_ : 0;
  page.remark("verdict",
              fmt::format("{}: such kernels hold {} of {}, the sum of the floors", word,
                          percent(share), seconds(Seconds(total_))),
              tone_of(bound), word.size());
  if (kernels_ < 2 || total_ <= 0) return;
  if (heaviest_.name.empty()) return;
  const auto most = heaviest_.measured
                        ? fmt::format("{} has most to win, {} above its floor", heaviest_.name,
                                      seconds(Seconds(heaviest_.weight)))
                        : fmt::format("{} weighs most, {} of the floors", heaviest_.name,
                                      percent(heaviest_.weight / total_));
  page.remark("lever",
              fmt::format("{}{}{}", most, heaviest_.lever.empty() ? "" : ": ", heaviest_.lever),
              Tone::plain, 0);
}

void NoteList::add(const KernelReport& report) {
  for (const auto& note : report.notes) {
    const auto known = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.code == note.code; });
    if (known != entries_.end()) {
      ++known->more;
      continue;
    }
    const auto where = point(report.point);
    entries_.push_back({note.code, printable(note.text),
                        short_name(*report.kernel) + (where.empty() ? "" : " at " + where), 0});
  }
}

void NoteList::write(Page& page) const {
  for (const auto& entry : entries_) {
    const auto others = entry.more == 0 ? std::string()
                                        : fmt::format(" (and {} more row{})", entry.more,
                                                      entry.more == 1 ? "" : "s");
    page.remark("note", fmt::format("{}{}: {}", entry.kernel, others, entry.text), Tone::plain, 0);
  }
}

}  // namespace roofline::parts
