#include "report/solve_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

std::string state_words(const StateAt& state) {
  std::string text = state.side ? std::string(side_name(*state.side)) + " side" : std::string("no side");
  const auto bound = bound_name(state.bound);
  if (!state.side || side_name(*state.side) != bound) text += ", " + std::string(bound) + "-bound";
  if (state.limiter.is_compute()) text += " (" + resource_title(state.limiter) + ")";
  return text;
}

bool flips_side(const Crossing& c) { return c.before.side != c.after.side; }

std::string range_words(const SolveReport& report) {
  return fmt::format("{} = {} to {}", printable(report.variable), grouped(report.range.lowest), grouped(report.range.highest));
}

void crossing_table(Page& page, const SolveReport& report) {
  page.begin_table({{"from", Align::right}, {"to", Align::right}, {"exactly", Align::right}, {"floor at it", Align::right},
                    {"before", Align::left, 12, 0}, {"after", Align::left, 12, 0}});
  for (const auto& c : report.solution.crossings)
    page.row({grouped(c.from), grouped(c.to), c.real_value ? fmt::format("{:.2f}", *c.real_value) : "", seconds(c.after.floor),
              state_words(c.before), state_words(c.after)});
  page.end_table();
}

void write_solution(Page& page, const SolveReport& report) {
  const auto& crossings = report.solution.crossings;
  if (!crossings.empty()) crossing_table(page, report);
  if (report.solution.truncated) page.sentence(fmt::format("more than {} changes: the rest is not shown", kMostCrossings));
  if (report.range.highest - report.range.lowest > Count(kEveryInteger))
    page.sentence(fmt::format("Looked at: every integer up to {}, 256 values an octave beyond, each change then to the integer.",
                              grouped(report.range.lowest + Count(kEveryInteger))));
  const auto sides = std::count_if(crossings.begin(), crossings.end(), flips_side);
  if (sides == 0) {
    const auto& at = report.solution.at_lowest;
    const std::string where = at && at->side ? std::string("the ") + std::string(side_name(*at->side)) + " side" : "where it is";
    page.remark("verdict", fmt::format("no flip: stays on {} for {}", where, range_words(report)), Tone::plain, 7);
    return;
  }
  for (const auto& c : crossings)
    if (flips_side(c))
      page.remark("flip", fmt::format("{} side up to {} = {}, {} side from {} on{}", side_name(*c.before.side), printable(report.variable),
                                      grouped(c.from), side_name(*c.after.side), grouped(c.to),
                                      c.real_value ? fmt::format(" (ridge at {:.2f})", *c.real_value) : ""), Tone::plain, 0);
}

void write_needs(Page& page, const SolveReport& report) {
  page.sentence(fmt::format("for a floor of {} (now {}):", seconds(*report.target), seconds(report.verdict.floor.time)));
  page.begin_table({{"resource", Align::left}, {"needed", Align::right}, {"has", Align::right}, {"times", Align::right}});
  for (const auto& need : report.needs) {
    auto wanted = need.ceiling;
    wanted.per_second = need.required;
    page.row({resource_title(need.ceiling.resource), rate(wanted), rate(need.ceiling), times(need.ratio)});
  }
  page.end_table();
  const bool enough = std::all_of(report.needs.begin(), report.needs.end(), [](const Need& n) { return n.ratio <= 1; });
  page.remark("verdict", enough ? "reachable: no ceiling of this GPU is too low for that time"
                                : "out of reach on this GPU: what is above 1x would have to grow", enough ? Tone::good : Tone::bad,
              enough ? 9 : 12);
}

void state_json(JsonWriter& json, const StateAt& state) {
  if (state.side) json.text("side", side_name(*state.side));
  json.text("bound", bound_name(state.bound));
  json.text("limiter", resource_name(state.limiter));
  if (state.intensity_over_ridge > 0) json.number("intensity_over_ridge", state.intensity_over_ridge);
  json.number("time_floor_s", state.floor.value());
}

}  // namespace

void write_solve_page(Page& page, const SolveReport& report) {
  parts::UsedCeilings used;
  used.add(report.verdict);
  page.heading(printable(report.kernel), fmt::format("on {}, {}", report.ceilings->gpu().name, printable(report.file)));
  parts::gpu_heading(page, *report.ceilings, used.list());
  page.gap();
  if (!report.variable.empty()) {
    page.sentence(fmt::format("{}, now {}: where side, bound or limiter changes", range_words(report), grouped(report.present)));
    write_solution(page, report);
    page.gap();
  }
  if (report.target) {
    write_needs(page, report);
    page.gap();
  }
}

void write_solve_json(JsonWriter& json, const SolveReport& report) {
  json.begin_object();
  json.text("file", report.file);
  json.text("gpu", report.ceilings->gpu().id);
  json.text("kernel", report.kernel);
  if (!report.variable.empty()) {
    json.text("variable", report.variable);
    json.count("value", report.present);
    json.count("lowest", report.range.lowest);
    json.count("highest", report.range.highest);
    json.begin_array("crossings");
    for (const auto& c : report.solution.crossings) {
      json.begin_object();
      json.count("from", c.from);
      json.count("to", c.to);
      if (c.real_value) json.number("ridge_at", *c.real_value);
      json.begin_object("before");
      state_json(json, c.before);
      json.end_object();
      json.begin_object("after");
      state_json(json, c.after);
      json.end_object();
      json.end_object();
    }
    json.end_array();
    json.flag("truncated", report.solution.truncated);
    if (report.solution.at_lowest) {
      json.begin_object("at_lowest");
      state_json(json, *report.solution.at_lowest);
      json.end_object();
    }
  }
  if (report.target) {
    json.number("target_s", report.target->value());
    json.begin_array("needs");
    for (const auto& need : report.needs) {
      json.begin_object();
      json.text("resource", resource_name(need.ceiling.resource));
      json.number("required", need.required);
      json.number("ceiling", need.ceiling.per_second);
      json.text("unit", need.ceiling.unit());
      json.number("ratio", need.ratio);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace roofline
