#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::parts {
namespace {

using namespace phrases;

constexpr std::size_t kOperandsShown = 6;
constexpr double kDominant =
    0.9;  ///< share of all bytes from which one operand is named as the whole story

/// "33.55", or "16.38 kB" where the unit is not that of the whole.
std::string in_unit_of(Count amount, const std::string& whole) {
  const auto text = bytes(amount);
  const auto unit = whole.substr(whole.rfind(' '));
  return text.ends_with(unit) ? text.substr(0, text.size() - unit.size()) : text;
}

std::string operand_list(const Work& work, Count Traffic::*direction, const std::string& whole) {
  std::vector<const Traffic*> moved;
  for (const auto& operand : work.operands())
    if (operand.*direction > Count(0)) moved.push_back(&operand);
  const bool cut = moved.size() > kOperandsShown;
  if (cut)
    std::stable_sort(moved.begin(), moved.end(), [&](const Traffic* a, const Traffic* b) {
      return a->*direction > b->*direction;
    });
  std::string text;
  for (std::size_t i = 0; i < std::min(moved.size(), kOperandsShown); ++i)
    text += fmt::format("{}{} {}", i ? " + " : "", shortened(printable(moved[i]->operand), 24),
                        in_unit_of(moved[i]->*direction, whole));
  if (cut) text += fmt::format(" + {} more", moved.size() - kOperandsShown);
  return text;
}

std::string traffic(const Work& work) {
  const auto whole = bytes(work.bytes());
  const auto read = operand_list(work, &Traffic::read, whole),
             written = operand_list(work, &Traffic::written, whole);
  std::string text = read.empty() ? std::string() : read + " read";
  if (!written.empty()) text += (text.empty() ? "" : ", ") + written + " written";
  const auto& operands = work.operands();
  const auto largest = std::max_element(
      operands.begin(), operands.end(),
      [](const Traffic& a, const Traffic& b) { return a.read + a.written < b.read + b.written; });
  if (operands.size() > 1 && largest != operands.end() && work.bytes() > Count(0)) {
    const double share = (largest->read + largest->written).to_double() / work.bytes().to_double();
    if (share > kDominant)
      text += fmt::format("; {} is {} of it", shortened(printable(largest->operand), 24),
                          percent(share));
  }
  return text;
}

/// What the datapaths do besides the headline: "+ 8.6 GFLOP FP32 vector".
std::string work_detail(const KernelReport& report) {
  const auto& v = report.verdict;
  std::string text =
      v.headline ? ceiling_name(*v.headline) : pipe_title(report.kernel->work.pipe());
  if (v.flops == Count(0)) text = "nothing is computed";
  std::string others;
  for (const auto& item : v.floor.resources()) {
    if (!item.ceiling.resource.is_compute() || item.amount == Count(0)) continue;
    const bool headline = v.headline && item.ceiling.resource == v.headline->resource;
    if (headline && item.amount == v.flops) continue;
    others += fmt::format("{}{} {}", others.empty() ? "" : " + ", amount(item),
                          ceiling_name(item.ceiling));
  }
  for (std::size_t i = 0; i < v.floor.unrated_count; ++i)
    others += fmt::format("{}{} work without a rate", others.empty() ? "" : " + ",
                          pipe_title(v.floor.unrated[i]));
  if (others.empty()) return text;
  return report.kernel->work.headline() == Work::Headline::matmul ? text + "; beside it " + others
                                                                  : text + ": " + others;
}

std::string ridge_detail(const Verdict& v) {
  if (!v.ridge)
    return v.bf16_ridge ? fmt::format("BF16 tensor ridge {}", format_number(v.bf16_ridge->value()))
                        : std::string();
  std::string text = fmt::format("{} ridge {}", resource_title(v.headline->resource),
                                 format_number(v.ridge->value()));
  if (v.bf16_ridge)
    text += fmt::format(" (BF16 tensor ridge {})", format_number(v.bf16_ridge->value()));
  return text;
}

std::string flips(const Margin& margin) {
  std::string text;
  for (const auto& flip : margin.flips)
    text +=
        fmt::format("{}{} at {}|{}", text.empty() ? "flips with " : ", ", printable(flip.variable),
                    grouped(min(flip.from, flip.to)), grouped(max(flip.from, flip.to)));
  return text.empty() ? "no size alone moves it across" : text;
}

std::string side_detail(const KernelReport& report) {
  const auto& v = report.verdict;
  std::string text = *v.side == Side::memory ? "left of the ridge" : "right of the ridge";
  if (v.intensity && v.ridge && v.intensity->value() > 0) {
    const double ratio = *v.intensity / *v.ridge;
    text += fmt::format(", {} in intensity from it", times(ratio < 1 ? 1 / ratio : ratio));
  } else if (v.flops == Count(0)) {
    text += ": no arithmetic at all";
  }
  if (report.margin) text += "; " + flips(*report.margin);
  return text;
}

std::string floor_detail(const Floor& floor) {
  const auto* limiting = floor.limiting();
  if (!limiting) return "nothing to move and nothing to compute";
  auto text = fmt::format("{} / {}", amount(*limiting), denominator(limiting->ceiling));
  for (const auto& item : floor.resources()) {
    if (&item == limiting) continue;
    text += fmt::format("; {} {}, {} of it", resource_title(item.ceiling.resource),
                        seconds(item.time), percent(item.time / limiting->time));
  }
  return text;
}

/// The rate of the headline work at the floor: how much of the machine's arithmetic this shape can
/// use at best.
void add_rate_at_floor(std::vector<PageFact>& facts, const Verdict& v) {
  if (!v.headline || v.flops == Count(0) || v.floor.time <= Seconds(0)) return;
  const double rate = v.flops.to_double() / v.floor.time.value();
  const double share = rate / v.headline->per_second;
  if (share > 0.995) return;  // at the roof: the floor line says so already
  facts.push_back({"at floor", format_quantity(rate, v.headline->unit()),
                   fmt::format("{} of {}: the best that this shape allows", percent(share),
                               denominator(*v.headline))});
}

void add_tile(std::vector<PageFact>& facts, const KernelReport& report) {
  if (!report.tile || !report.kernel->tile) return;
  const auto& t = *report.tile;
  const auto& tile = *report.kernel->tile;
  auto name = fmt::format("{} x {}", tile.bm.to_string(), tile.bn.to_string());
  if (tile.bk > Count(0)) name += " x " + tile.bk.to_string();
  facts.push_back({"tile", name,
                   fmt::format("{} tiles, {} of their area used; L2 to SM {} at {}",
                               grouped(t.tiles), percent(t.tile_efficiency),
                               bytes(t.sm_inbound_bytes), intensity(t.tile_intensity)) +
                       (t.l2_time ? fmt::format(", {} at the L2's rate", seconds(*t.l2_time))
                                  : std::string())});
  if (t.waves)
    facts.push_back(
        {"waves", grouped(*t.waves),
         fmt::format("the SMs are {} full; with the tiles' edges {} of their arithmetic counts",
                     percent(*t.wave_efficiency), percent(*t.combined_efficiency))});
  if (t.shared_memory_bytes > Count(0))
    facts.push_back(
        {"shared", format_capacity(t.shared_memory_bytes.to_double()),
         fmt::format("{} stage{}{}", tile.stages.to_string(), tile.stages == Count(1) ? "" : "s",
                     !t.fits_shared_memory   ? ""
                     : *t.fits_shared_memory ? ", fits a block"
                                             : ", more than a block may use")});
}

void add_measured(std::vector<PageFact>& facts, const Verdict& v) {
  if (!v.measured) return;
  const auto& m = *v.measured;
  const auto* limiting = v.floor.limiting();
  std::string detail = m.timing == Timing::unknown ? "timing not said"
                                                   : std::string(timing_name(m.timing)) + " timing";
  if (limiting)
    detail += fmt::format("; {} of {}, {} the floor", percent(m.fraction_of_ceiling),
                          denominator(limiting->ceiling), times(m.time / v.floor.time));
  facts.push_back({"time", seconds(m.time), std::move(detail)});
  if (m.achieved_flop_rate)
    facts.push_back(
        {"achieved",
         format_quantity(m.achieved_flop_rate->value(), v.headline ? v.headline->unit() : "FLOP/s"),
         m.achieved_bandwidth ? fmt::format("and {} of compulsory bytes",
                                            format_quantity(m.achieved_bandwidth->value(), "B/s"))
                              : std::string()});
  else if (m.achieved_bandwidth)
    facts.push_back(
        {"achieved", format_quantity(m.achieved_bandwidth->value(), "B/s"), "of compulsory bytes"});
}

void add_formulas(std::vector<PageFact>& facts, const KernelReport& report) {
  const auto* op = report.kernel->op;
  if (!op) return;
  if (!op->work.empty()) facts.push_back({"formula", "FLOPs", std::string(op->work)});
  if (!op->bytes.empty()) facts.push_back({"", "bytes", std::string(op->bytes)});
  if (!op->intensity.empty()) facts.push_back({"", "intensity", std::string(op->intensity)});
}

}  // namespace

void kernel_block(Page& page, const KernelReport& report, const Ceilings& ceilings,
                  const ReportOptions& options) {
  const auto& kernel = *report.kernel;
  const auto& v = report.verdict;
  std::string detail = kernel.op && kernel.name != kernel.op->name
                           ? std::string(kernel.op->name) + "  "
                           : std::string();
  detail += shape(kernel);
  if (const auto types = dtypes(kernel); !types.empty())
    detail += (detail.empty() ? "" : ", ") + types;
  if (kernel.repeat != Count(1)) detail += fmt::format(", {} times", grouped(kernel.repeat));
  if (const auto where = point(report.point); !where.empty()) detail += "; " + where;
  page.heading(kernel_name(kernel), detail);
  if (kernel.op && !kernel.op->doc.empty()) page.sentence(kernel.op->doc);

  std::vector<PageFact> facts;
  facts.push_back({"bytes", bytes(v.bytes()), traffic(kernel.work)});
  facts.push_back({"work",
                   format_quantity(v.flops.to_double(),
                                   v.headline && v.headline->unit() == "op/s" ? "op" : "FLOP"),
                   work_detail(report)});
  if (v.intensity) facts.push_back({"intensity", intensity(*v.intensity), ridge_detail(v)});
  if (v.side) facts.push_back({"side", std::string(side_name(*v.side)), side_detail(report)});
  facts.push_back({"floor", seconds(v.floor.time), floor_detail(v.floor)});
  add_rate_at_floor(facts, v);
  if (v.attainable && v.floor.time > Seconds(0))
    facts.push_back(
        {"attainable", seconds(*v.attainable),
         fmt::format(
             "{} the floor: an estimate from what well-tuned kernels reach, launch included",
             times(*v.attainable / v.floor.time))});
  add_tile(facts, report);
  add_measured(facts, v);
  if (options.verbosity > 0 || options.explain) add_formulas(facts, report);
  page.facts(facts);
  if (options.explain) explanation(page, report, ceilings);
}

void kernel_notes(Page& page, const KernelReport& report) {
  for (const auto& note : report.notes) page.remark("note", printable(note.text), Tone::plain, 0);
}

void kernel_verdict(Page& page, const KernelReport& report, std::string_view name,
                    bool with_levers) {
  const auto sentence = phrases::verdict(report.verdict);
  const auto prefix = name.empty() ? std::string() : std::string(name) + ": ";
  page.remark("verdict", prefix + sentence.text, sentence.tone, prefix.size() + sentence.strong);
  const auto& m = report.verdict.measured;
  if (m && m->status == Status::impossible) {
    for (std::size_t i = 0; i < m->causes.size(); ++i)
      page.remark(i == 0 ? "likely" : i == 1 ? "else" : "", m->causes[i].text, Tone::plain, 0);
    page.remark("note", "this result cannot be recorded as a baseline", Tone::plain, 0);
    return;
  }
  if (m && !m->causes.empty())  // within the tolerance, but faster than the floor all the same
    page.remark("note", "it is a little faster than its floor: " + m->causes.front().text,
                Tone::plain, 0);
  for (std::size_t i = 0; with_levers && i < report.levers.size(); ++i)
    page.remark(i == 0 ? "lever" : "", lever(report.levers[i]), Tone::plain, 0);
}

}  // namespace roofline::parts
