#include "report/compare/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/baseline/page.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::string_view code_words(CodeChange code) {
  return code == CodeChange::same ? "same" : code == CodeChange::changed ? "changed" : "";
}

std::string time_cell(std::optional<double> seconds) { return seconds ? format_seconds(Seconds(*seconds)) : "-"; }

/// "+5.1 .. +6.9": percent, as the column's title says.
std::string interval_cell(const KernelChange& kernel) {
  if (!kernel.test || kernel.test->runs < 2 || kernel.test->reason == TimeReason::bad_value) return "";
  return fmt::format("{:+.1f} .. {:+.1f}", kernel.test->lo * 100, kernel.test->hi * 100);
}

std::string change_cell(const KernelChange& kernel) {
  if (!kernel.old_s || !kernel.new_s || *kernel.old_s <= 0) return "";
  // The estimate of the test is what the interval is around; medians of few runs may differ from it.
  const bool tested = kernel.test && kernel.test->runs > 0 && kernel.test->reason != TimeReason::bad_value;
  return change_text(tested ? kernel.test->estimate : *kernel.new_s / *kernel.old_s - 1);
}

/// Of all launches of a run, with its sign; empty: nothing that can be seen.
std::string lost_cell(const KernelChange& kernel) {
  constexpr double kSeen = 0.0005;  // of the kernel's time
  const double lost = kernel.lost_s();
  if (std::fabs(lost) <= kSeen * std::max(kernel.old_total_s(), kernel.new_total_s())) return "";
  return (lost > 0 ? "+" : "-") + format_seconds(Seconds(std::fabs(lost)));
}

std::string launches_note(const KernelChange& kernel) {
  if (!kernel.old_launches || !kernel.new_launches || *kernel.old_launches == *kernel.new_launches) return {};
  return fmt::format("launches {} -> {}", format_number(*kernel.old_launches), format_number(*kernel.new_launches));
}

std::string bytes_note(const KernelChange& kernel) {
  if (!kernel.old_dram_bytes || !kernel.new_dram_bytes || *kernel.old_dram_bytes <= 0) return {};
  const double change = *kernel.new_dram_bytes / *kernel.old_dram_bytes - 1;
  return std::fabs(change) < 0.02 ? std::string() : "DRAM bytes " + change_text(change);
}

std::string clusters_note(const KernelChange& kernel) {
  if (!kernel.test || !kernel.test->clusters) return {};
  const auto& clusters = *kernel.test->clusters;
  return fmt::format("bimodal: {} ({} runs) and {} ({})", time_cell(clusters.low_s), clusters.low_runs, time_cell(clusters.high_s),
                     clusters.high_runs);
}

std::string note_cell(const KernelChange& kernel) {
  std::vector<std::string> parts;
  for (auto part : {launches_note(kernel), bytes_note(kernel), clusters_note(kernel)})
    if (!part.empty()) parts.push_back(std::move(part));
  return joined(parts, "; ");
}

/// Why kernels are undecided, a sentence for each reason.
void write_reasons(Page& page, const Comparison& comparison) {
  constexpr std::size_t kMostNames = 5, kNameWidth = 60;
  std::map<std::string_view, std::vector<std::string>> kernels;
  for (const auto& kernel : comparison.kernels)
    if (!kernel.why.empty()) kernels[kernel.why].push_back(shortened_middle(printable(kernel.id), kNameWidth));
  for (auto& [why, names] : kernels) {
    const auto more = names.size() - std::min(names.size(), kMostNames);
    names.resize(names.size() - more);
    const auto rest = more > 0 ? fmt::format(" and {} more", more) : std::string();
    page.sentence(fmt::format("{}{} {} undecided: {}", joined(names), rest, names.size() == 1 ? "is" : "are", why));
  }
}

void write_title(Page& page, const Comparison& comparison) {
  if (comparison.interleaved) {
    std::string text = fmt::format("{} rounds, order ABBA, {}, ", comparison.rounds, describe(comparison.old_machine));
    text += comparison.notes.empty() ? "undisturbed" : "disturbed";
    text += fmt::format(", drift over the session {} (cancelled)", change_text(comparison.drift));
    page.sentence(text);
  } else if (comparison.old_machine == comparison.new_machine) {
    page.sentence(fmt::format("{} -> {}, {}", printable(comparison.old_name), printable(comparison.new_name), describe(comparison.old_machine)));
  } else {
    page.sentence(fmt::format("{} on {} -> {} on {}", printable(comparison.old_name), describe(comparison.old_machine),
                              printable(comparison.new_name), describe(comparison.new_machine)));
  }
  if (comparison.simulated) page.sentence("simulated: made without a GPU, its times mean nothing");
  for (const auto& note : comparison.notes) page.remark("note", note, Tone::overhead, 0);
}

std::string summary(const Comparison& comparison) {
  using enum ChangeVerdict;
  std::vector<std::string> parts;
  for (const auto verdict : {slower, gone, undecided, not_slower, bit_slower, faster, bit_faster, same, added})
    if (const auto count = comparison.count(verdict); count > 0) parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  if (comparison.total_change) text += "; total GPU time " + change_text(*comparison.total_change);
  return text;
}

void write_table(Page& page, const Comparison& comparison) {
  bool codes = false, notes = false, intervals = false;
  for (const auto& kernel : comparison.kernels) {
    codes = codes || kernel.code != CodeChange::unknown;
    notes = notes || !note_cell(kernel).empty();
    intervals = intervals || !interval_cell(kernel).empty();
  }
  const bool verdicts = comparison.old_machine == comparison.new_machine;
  std::vector<Column> columns = {{"kernel", Align::left, 16, 0}, {"old", Align::right}, {"new", Align::right}, {"change", Align::right}, {"in all", Align::right, 0, 4}};
  if (intervals) columns.push_back({"90 % interval", Align::right, 0, 2});
  if (verdicts) columns.push_back({"verdict", Align::left});
  if (codes) columns.push_back({"code", Align::left, 0, 3});
  if (notes) columns.push_back({"", Align::left, 20, 1});
  page.begin_table(columns);
  for (const auto& kernel : comparison.kernels) {
    std::vector<std::string> row = {printable(kernel.id), time_cell(kernel.old_s), time_cell(kernel.new_s), change_cell(kernel), lost_cell(kernel)};
    if (intervals) row.push_back(interval_cell(kernel));
    if (verdicts) row.emplace_back(name_of(kernel.verdict));
    if (codes) row.emplace_back(code_words(kernel.code));
    if (notes) row.push_back(note_cell(kernel));
    page.row(std::move(row));
  }
  page.end_table();
}

void side_json(JsonWriter& json, JsonKey key, const std::string& name, const BaselineMachine& machine) {
  json.begin_object(key);
  if (!name.empty()) json.text("name", name);
  json.text("gpu", machine.gpu);
  if (!machine.mig.empty()) json.text("mig", machine.mig);
  if (machine.power_limit_w) json.number("power_limit_w", *machine.power_limit_w);
  if (machine.ecc) json.flag("ecc", *machine.ecc);
  json.end_object();
}

void kernel_json(JsonWriter& json, const KernelChange& kernel) {
  const auto number = [&](JsonKey key, std::optional<double> value) {
    if (value) json.number(key, *value);
  };
  json.begin_object();
  json.text("id", kernel.id);
  if (kernel.verdict != ChangeVerdict::other_gpu) json.text("verdict", name_of(kernel.verdict));
  number("old_s", kernel.old_s);
  number("new_s", kernel.new_s);
  if (kernel.test && kernel.test->reason != TimeReason::bad_value && kernel.test->runs > 0) {
    json.number("change", kernel.test->estimate);
    json.number("lo", kernel.test->lo);
    json.number("hi", kernel.test->hi);
    json.number("spread", kernel.test->spread);
    json.number("runs", kernel.test->runs);
  }
  if (!code_words(kernel.code).empty()) json.text("code", code_words(kernel.code));
  number("old_launches", kernel.old_launches);
  number("new_launches", kernel.new_launches);
  number("old_dram_bytes", kernel.old_dram_bytes);
  number("new_dram_bytes", kernel.new_dram_bytes);
  json.number("lost_s", kernel.lost_s());
  if (!kernel.why.empty()) json.text("why", kernel.why);
  json.end_object();
}

}  // namespace

void write_comparison_page(Page& page, const Comparison& comparison) {
  write_title(page, comparison);
  write_table(page, comparison);
  if (comparison.old_machine != comparison.new_machine) {
    page.sentence("two machines: times beside each other, no verdict");
    return;
  }
  write_reasons(page, comparison);
  page.sentence(summary(comparison));
  if (!comparison.interleaved && comparison.count(ChangeVerdict::undecided) > 0)
    page.sentence("what drifted between two sessions counts as change: roofline compare --ab --base-cmd OLD --cand-cmd NEW settles it");
}

void write_comparison_json(JsonWriter& json, const Comparison& comparison) {
  json.text("method", comparison.interleaved ? "interleaved" : "two sessions");
  if (comparison.simulated) json.flag("simulated", true);
  side_json(json, "old", comparison.old_name, comparison.old_machine);
  side_json(json, "new", comparison.new_name, comparison.new_machine);
  json.number("limit", comparison.limit);
  if (comparison.interleaved) {
    json.number("rounds", comparison.rounds);
    json.number("drift", comparison.drift);
  }
  if (comparison.total_change) json.number("total_change", *comparison.total_change);
  json.begin_array("notes");
  for (const auto& note : comparison.notes) json.text(note);
  json.end_array();
  json.begin_array("kernels");
  for (const auto& kernel : comparison.kernels) kernel_json(json, kernel);
  json.end_array();
}

}  // namespace roofline
