#include <fmt/format.h>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "report/gate/untrusted.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

// A step shows ten annotations and drops the rest without a word: nine, and one that says how many
// more there are.
constexpr std::size_t kMostAnnotations = 9;
constexpr std::size_t kTitleWidth = 120, kFileWidth = 300, kMessageBytes = 4000;

/// The runner reads a line up to "::"; what could end a value or begin another command is written
/// as it decodes it.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%': out += "%25"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      case ':': out += property ? "%3A" : ":"; break;
      case ',': out += property ? "%2C" : ","; break;
      default: out += c;
    }
  }
  return out;
}

std::string_view level_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::error:
    case Outcome::fail: return "error";
    case Outcome::inconclusive:
    case Outcome::quarantined: return "warning";
    case Outcome::pass:
    case Outcome::fresh:
    case Outcome::skip: break;
  }
  return "notice";
}

bool is_worth_a_line(const AssertionResult& row) { return level_of(row.outcome) != "notice"; }

std::string annotation(const GateResult& result, const AssertionResult& row) {
  std::string place = "file=" + escaped(fitted_middle(result.file, kFileWidth), true);
  if (row.line > 0) place += fmt::format(",line={}", row.line);
  if (row.line > 0 && row.column > 0) place += fmt::format(",col={}", row.column);
  const auto title = fitted(row_name(row, 60) + ": " + assertion_phrase(row), kTitleWidth);
  std::string message;
  for (const auto& line : row_lines(row)) message += (message.empty() ? "" : "\n") + line;
  return fmt::format("::{} {},title={}::{}\n", level_of(row.outcome), place, escaped(title, true),
                     escaped(whole_characters(message, kMessageBytes), false));
}

}  // namespace

/// Workflow commands: the runner makes annotations of them, without a token, so it works in a fork
/// as well.
void write_gate_github(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  std::vector<const AssertionResult*> rows;
  for (const auto* row : worst_first(result))
    if (is_worth_a_line(*row)) rows.push_back(row);
  for (std::size_t i = 0; i < rows.size() && i < kMostAnnotations; ++i)
    sink(annotation(result, *rows[i]));
  if (rows.size() > kMostAnnotations)
    sink(fmt::format("::{} title=roofline gate::and {} more: {}\n",
                     level_of(rows[kMostAnnotations]->outcome), rows.size() - kMostAnnotations,
                     escaped(printable(gate_summary(result)), false)));
}

}  // namespace roofline
