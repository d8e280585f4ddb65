#include "report/gate/formats.hpp"

#include <algorithm>
#include <iterator>

namespace roofline {
namespace {

constexpr GateFormat kFormats[] = {
    {"table", "txt", "for people", &write_gate_table},
    {"json", "json", "roofline.gate-result/1", &write_gate_json},
    {"jsonl", "jsonl", "one assertion a line, then a summary", &write_gate_jsonl},
    {"csv", "csv", "one assertion a row", &write_gate_csv},
    {"markdown", "md", "for a pull request, cut at 60 kB", &write_gate_markdown},
    {"junit", "xml", "test results for CI", &write_gate_junit},
    {"github", "txt", "annotations of a workflow", &write_gate_github},
    {"gitlab-codequality", "json", "GitLab's code quality report", &write_gate_gitlab},
    {"openmetrics", "txt", "metrics of a merge request", &write_gate_openmetrics},
    {"badge", "json", "an endpoint for a badge", &write_gate_badge},
};

}  // namespace

std::span<const GateFormat> gate_formats() { return kFormats; }

const GateFormat* find_gate_format(std::string_view name) {
  const auto* at = std::find_if(std::begin(kFormats), std::end(kFormats),
                                [&](const GateFormat& f) { return f.name == name; });
  return at == std::end(kFormats) ? nullptr : at;
}

}  // namespace roofline
