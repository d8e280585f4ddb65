#include <fmt/format.h>

#include <algorithm>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "report/gate/untrusted.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kNameWidth = 100, kTextWidth = 400;
constexpr std::size_t kReserved =
    600;  // for what follows the rows: totals, the count of what was cut
constexpr std::string_view kZeroWidthSpace = "\u200b";

/// A name as code: nothing in it is markup there. A bar would end the cell even so, and a backtick
/// the code; after a backslash a bar's own would be taken for one that is escaped.
std::string code(std::string_view name) {
  std::string text = "`";
  for (const char c : fitted_middle(name, kNameWidth)) {
    if (c == '|') {
      if (text.ends_with('\\')) text += kZeroWidthSpace;
      text += "\\|";
    } else {
      text += c == '`' ? '\'' : c;
      if (text.ends_with("##")) text += kZeroWidthSpace;
    }
  }
  // Code that ends in a blank or a backslash would lose it or its end.
  return text + (text.ends_with('\\') || text.ends_with(' ') || text.size() == 1 ? " `" : "`");
}

/// Text as text: no markup, no HTML, no mention (@), no reference (#), no link.
std::string plain(std::string_view untrusted) {
  std::string text;
  const auto words = fitted(untrusted, kTextWidth);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    switch (c) {
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '&': text += "&amp;"; break;
      case '@':
      case '#':
        text += c;
        text += kZeroWidthSpace;
        break;
      case ':':
        text += c;
        if (words.compare(i, 3, "://") == 0) text += kZeroWidthSpace;
        break;
      case '-':
        text += c;
        if (i >= 2 && words.compare(i - 2, 2, "GH") == 0) text += kZeroWidthSpace;
        break;
      case '.':
        if (i >= 3 && lower_case(words.substr(i - 3, 3)) == "www") text += kZeroWidthSpace;
        text += c;
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '$':
      case '!': text += '\\'; [[fallthrough]];
      default: text += c;
    }
  }
  return text;
}

std::string status_line(const GateResult& result) {
  auto text = fmt::format("**{}** {}\n\n", gate_headline(result), plain(gate_summary(result)));
  text += code(result.file);
  if (!result.gpu_id.empty() || !result.gpu_name.empty()) text += " on " + plain(gpu_label(result));
  if (result.runs > 0) text += fmt::format(", {} run{}", result.runs, result.runs == 1 ? "" : "s");
  if (result.baseline) {
    text += fmt::format(", baseline of {} session{}", result.baseline->sessions,
                        result.baseline->sessions == 1 ? "" : "s");
    if (result.baseline->age_days)
      text += *result.baseline->age_days == 0
                  ? " (newest today)"
                  : fmt::format(" (newest {} day{} old)", *result.baseline->age_days,
                                *result.baseline->age_days == 1 ? "" : "s");
  }
  return text + "\n";
}

std::string finding(const AssertionResult& row) {
  const auto lines = row_lines(row);
  std::string text = plain(lines.front());
  for (std::size_t i = 1; i < std::min<std::size_t>(lines.size(), 4); ++i)
    text += "<br>" + plain(lines[i]);
  return text;
}

std::string outcome_cell(const AssertionResult& row) {
  const auto name = outcome_name(row.outcome);
  return row.outcome >= Outcome::fail ? fmt::format("**{}**", name) : std::string(name);
}

/// Rows of a table until the budget is used up.
class Budget {
 public:
  Budget(const TextSink& sink, std::size_t bytes) : sink_(sink), left_(bytes) {}
  void write(std::string_view text) {
    sink_(text);
    left_ -= std::min(left_, text.size());
  }
  bool has_room(std::size_t bytes) const { return bytes + kReserved <= left_; }

 private:
  const TextSink& sink_;
  std::size_t left_;
};

/// Writes rows as long as there is room; how many were left out.
std::size_t write_rows(Budget& budget, const std::vector<const AssertionResult*>& rows,
                       std::string_view head, std::string (*row_text)(const AssertionResult&)) {
  budget.write(head);
  std::size_t written = 0;
  for (const auto* row : rows) {
    const auto text = row_text(*row);
    if (!budget.has_room(text.size())) break;
    budget.write(text);
    ++written;
  }
  return rows.size() - written;
}

std::string finding_row(const AssertionResult& row) {
  return fmt::format("| {} | {} | {} | {} |\n", outcome_cell(row),
                     code(row.id.empty() ? "gate" : row.id), finding(row),
                     row.lost ? format_seconds(*row.lost) : std::string());
}

std::string passing_row(const AssertionResult& row) {
  return fmt::format("| {} | {} |\n", code(row.id.empty() ? "gate" : row.id),
                     plain(assertion_phrase(row)));
}

void write_left_out(Budget& budget, std::size_t left_out) {
  if (left_out > 0) budget.write(fmt::format("\n{} more in the JSON.\n", left_out));
}

}  // namespace

/// For job summaries and comments, at most `max_bytes` long: a service throws a longer one away as
/// a whole.
void write_gate_markdown(const GateResult& result, const GateWriteOptions& options,
                         const TextSink& sink) {
  Budget budget(sink, options.max_bytes);
  budget.write(status_line(result));
  if (result.simulated) budget.write("\nSimulated: made without a GPU, its times mean nothing.\n");
  const auto broken = worst_first(result);
  if (!broken.empty())
    write_left_out(
        budget, write_rows(budget, broken,
                           "\n| outcome | kernel | finding | lost a launch |\n|:--|:--|:--|--:|\n",
                           &finding_row));
  if (result.ungated_count > 0)
    budget.write(fmt::format(
        "\n{} kernel{}{} not gated.\n", result.ungated_count, result.ungated_count == 1 ? "" : "s",
        (result.ungated_share ? fmt::format(", {:.0f} % of GPU time,", *result.ungated_share * 100)
                              : std::string()) +
            (result.ungated_count == 1 ? " is" : " are")));
  for (std::size_t i = 0; i < std::min<std::size_t>(result.notes.size(), 10); ++i)
    if (const auto note = "\n" + plain(result.notes[i]) + "\n"; budget.has_room(note.size()))
      budget.write(note);
  const auto passing = that_pass(result);
  if (!budget.has_room(200)) return write_left_out(budget, passing.size());
  if (passing.empty()) return;
  const auto left_out = write_rows(
      budget, passing,
      fmt::format("\n<details><summary>{} hold</summary>\n\n| kernel | limit |\n|:--|:--|\n",
                  passing.size()),
      &passing_row);
  write_left_out(budget, left_out);
  budget.write("\n</details>\n");
}

}  // namespace roofline
