#include <algorithm>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "report/gate/untrusted.hpp"
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

/// What a limit is, without what it found: the same finding in the next pipeline is the same
/// finding.
std::string fingerprint(const AssertionResult& row, const std::string& assertion) {
  return sha256(row.id + '\0' + assertion);
}

/// Relative to the repository, and without a leading "./", as GitLab asks for it.
std::string path_of(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  return file.empty() ? "roofline.gate.yml" : printable(file);
}

std::string description(const AssertionResult& row) {
  return row_name(row, 200) + ": " + row_lines(row).front();
}

}  // namespace

/// Code Quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
void write_gate_gitlab(const GateResult& result, const GateWriteOptions&, const TextSink& sink) {
  JsonWriter json(sink, {.indented_levels = 1});
  const auto assertions = unique_assertions(result);
  json.begin_array();
  for (const auto* row : worst_first(result)) {
    if (row->outcome == Outcome::fresh || row->outcome == Outcome::skip) continue;
    const auto& assertion = assertions[static_cast<std::size_t>(row - result.results.data())];
    json.begin_object();
    json.text("description", description(*row));
    json.text("check_name", "roofline/" + fitted(row->assertion, 100));
    json.text("fingerprint", fingerprint(*row, assertion));
    json.text("severity", severity_of(row->outcome));
    json.begin_object("location");
    json.text("path", path_of(result.file));
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
