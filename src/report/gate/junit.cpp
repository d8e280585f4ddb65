#include <fmt/format.h>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "report/gate/untrusted.hpp"
#include "report/xml.hpp"

namespace roofline {
namespace {

constexpr std::size_t kNameWidth = 300;
constexpr Seconds kMostSeconds{1e9};  // what is longer was not measured
constexpr int kUndecidedFails = 5;    // exit code of a gate whose policy fails what is undecided

enum class Case { pass, failure, error, skipped };

Case case_of(const AssertionResult& row, bool undecided_fails) {
  switch (row.outcome) {
    case Outcome::pass: return Case::pass;
    case Outcome::fail: return Case::failure;
    case Outcome::error: return Case::error;
    case Outcome::inconclusive: return undecided_fails ? Case::failure : Case::skipped;
    case Outcome::fresh:
    case Outcome::skip:
    case Outcome::quarantined: break;
  }
  return Case::skipped;
}

std::string_view type_of(const AssertionResult& row) {
  if (row.outcome == Outcome::inconclusive) return "undecided";
  return is_regression(row) ? "regression" : "physics";
}

std::string place(const GateResult& result, const AssertionResult& row) {
  const auto file = fitted_middle(result.file, kNameWidth);
  return row.line > 0 ? fmt::format("{}:{}", file, row.line) : file;
}

/// All of the text stands in the body: GitLab shows nothing of the attribute `message`.
void write_verdict(XmlWriter& xml, std::string_view element, const GateResult& result,
                   const AssertionResult& row) {
  const auto lines = row_lines(row);
  xml.open(element).attr("message", lines.front());
  if (element == "failure") xml.attr("type", type_of(row));
  if (element == "error")
    xml.attr("type", row.reason ? code_name(*row.reason) : std::string("error"));
  std::string body;
  for (const auto& line : lines) body += line + "\n";
  xml.text(body + place(result, row)).close();
}

void write_case(XmlWriter& xml, const GateResult& result, const AssertionResult& row,
                std::string_view name, Case kind) {
  xml.open("testcase")
      .attr("classname", gpu_label(result) + "." + row_name(row, kNameWidth))
      .attr("name", name);
  if (row.time && *row.time > Seconds(0) && *row.time < kMostSeconds)
    xml.attr("time", std::string_view(fmt::format("{:.9f}", row.time->value())));
  if (kind == Case::failure) write_verdict(xml, "failure", result, row);
  if (kind == Case::error) write_verdict(xml, "error", result, row);
  if (kind == Case::skipped) write_verdict(xml, "skipped", result, row);
  xml.close().line();
}

}  // namespace

/// One test case per assertion. No properties: GitLab does not read them, and Jenkins groups by
/// class alone.
void write_gate_junit(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  const bool undecided_fails = result.exit_code == kUndecidedFails;
  std::size_t failures = 0, errors = 0, skipped = 0;
  for (const auto& row : result.results) {
    const auto kind = case_of(row, undecided_fails);
    failures += kind == Case::failure ? 1 : 0;
    errors += kind == Case::error ? 1 : 0;
    skipped += kind == Case::skipped ? 1 : 0;
  }
  const auto number = [](std::size_t value) { return std::to_string(value); };
  XmlWriter xml(sink);
  xml.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").line();
  xml.open("testsuites").line();
  xml.open("testsuite")
      .attr("name", "roofline gate")
      .attr("tests", std::string_view(number(result.results.size())))
      .attr("failures", std::string_view(number(failures)))
      .attr("errors", std::string_view(number(errors)))
      .attr("skipped", std::string_view(number(skipped)))
      .line();
  const auto names = unique_assertions(result);
  for (std::size_t i = 0; i < result.results.size(); ++i) {
    const auto& row = result.results[i];
    write_case(xml, result, row, names[i], case_of(row, undecided_fails));
  }
  xml.close().line().close().line();
  xml.flush();
}

}  // namespace roofline
