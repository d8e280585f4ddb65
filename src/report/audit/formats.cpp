#include "report/audit/formats.hpp"

#include <algorithm>
#include <iterator>

namespace roofline {
namespace {

constexpr AuditFormat kFormats[] = {
    {"table", "txt", "what was found, and the rows to look at", &audit_rows::make_table},
    {"json", "json", "the summary as one document, roofline.audit/1", &audit_rows::make_json},
    {"jsonl", "jsonl", "one object per row, in row order, then the summary", &audit_rows::make_jsonl},
    {"csv", "csv", "one line per row, base units in the column names", &audit_rows::make_csv},
    {"markdown", "md", "the same as table, for an issue or a README", &audit_rows::make_markdown},
};

}  // namespace

std::span<const AuditFormat> audit_formats() { return kFormats; }

const AuditFormat* find_audit_format(std::string_view name) {
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& format) { return format.name == name; });
  return row == std::end(kFormats) ? nullptr : row;
}

}  // namespace roofline
