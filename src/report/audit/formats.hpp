#pragma once

#include <memory>

#include "roofline/report/audit.hpp"

namespace roofline::audit_rows {

// The makers of audit_formats(): one file each, but for the two that share a page.
std::unique_ptr<AuditWriter> make_table(TextSink sink, const AuditReportOptions& options);
std::unique_ptr<AuditWriter> make_markdown(TextSink sink, const AuditReportOptions& options);
std::unique_ptr<AuditWriter> make_json(TextSink sink, const AuditReportOptions& options);
std::unique_ptr<AuditWriter> make_jsonl(TextSink sink, const AuditReportOptions& options);
std::unique_ptr<AuditWriter> make_csv(TextSink sink, const AuditReportOptions& options);

}  // namespace roofline::audit_rows
