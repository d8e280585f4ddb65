#pragma once

#include <memory>

#include "roofline/report/report.hpp"

namespace roofline {

// One maker per file of this folder; the table that names them is report/formats.cpp.
std::unique_ptr<ReportWriter> make_text(TextSink sink, const ReportOptions& options);
std::unique_ptr<ReportWriter> make_markdown(TextSink sink, const ReportOptions& options);
std::unique_ptr<ReportWriter> make_json(TextSink sink, const ReportOptions& options);
std::unique_ptr<ReportWriter> make_jsonl(TextSink sink, const ReportOptions& options);
std::unique_ptr<ReportWriter> make_csv(TextSink sink, const ReportOptions& options);

}  // namespace roofline
