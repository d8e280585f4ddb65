#include <algorithm>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "roofline/base/sha256.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

std::string_view severity_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::error: return "critical";
    case Outcome::fail: return "major";
    case Outcome::inconclusive: return "minor";
    case Outcome::pass:
    case Outcome::fresh:
    case Outcome::skip:
    case Outcome::quarantined: break;
  }
  return "info";
}

/// What a limit is, without what it found: the same finding in the next pipeline is the same finding.
std::string fingerprint(const AssertionResult& row) { return sha256(row.id + '\0' + row.assertion); }

std::string description(const AssertionResult& row) {
  return row_name(row, 200) + ": " + row_lines(row).front();
}

}  // namespace

/// Code Quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
void write_gate_gitlab(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  JsonWriter json(sink, {.indented_levels = 1});
  json.begin_array();
  for (const auto* row : worst_first(result)) {
    if (row->outcome == Outcome::fresh || row->outcome == Outcome::skip) continue;
    json.begin_object();
    json.text("description", description(*row));
    json.text("check_name", "roofline/" + shortened(printable(row->assertion), 100));
    json.text("fingerprint", fingerprint(*row));
    json.text("severity", severity_of(row->outcome));
    json.begin_object("location");
    json.text("path", printable(result.file));
    json.begin_object("lines");
    json.number("begin", std::max(1, row->line));
    json.end_object();
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_line();
  json.flush();
}

}  // namespace roofline
