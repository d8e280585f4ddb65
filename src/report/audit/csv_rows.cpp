#include <cmath>

#include "report/audit/formats.hpp"
#include "report/plain_number.hpp"
#include "roofline/base/text.hpp"

namespace roofline::audit_rows {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

/// Text from a file as one cell: printable, quoted where it must be, never a formula to a spreadsheet.
void append_cell(std::string& out, std::string_view untrusted) {
  const bool formula = !untrusted.empty() && std::string_view("=+-@\t\r").find(untrusted.front()) != std::string_view::npos;
  const std::string text = printable(untrusted);
  if (!formula && text.find_first_of(",\"") == std::string::npos && text == trimmed(text)) {
    out += text;
    return;
  }
  out += formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_finite(std::string& out, double value) {
  if (std::isfinite(value)) append_number(out, value);
}

struct Column {
  std::string_view header;
  void (*write)(std::string& out, const AuditedRow& row);
  bool judged_only;  ///< empty in rows that were skipped
};
using Row = const AuditedRow&;

constexpr Column kColumns[] = {
    {"row", [](std::string& o, Row r) { append_number(o, static_cast<double>(r.row)); }, false},
    {"name", [](std::string& o, Row r) { append_cell(o, r.name); }, false},
    {"gpu", [](std::string& o, Row r) { if (r.gpu) o += r.gpu->id; }, false},
    {"op", [](std::string& o, Row r) { append_cell(o, r.op); }, false},
    {"skipped", [](std::string& o, Row r) { if (!r.judged()) o += skip_code(r.reason); }, false},
    {"flops", [](std::string& o, Row r) { if (!r.verdict->flops.overflowed()) append_count(o, r.verdict->flops); }, true},
    {"bytes", [](std::string& o, Row r) { if (!r.verdict->bytes().overflowed()) append_count(o, r.verdict->bytes()); }, true},
    {"time_s", [](std::string& o, Row r) { append_finite(o, r.verdict->measured->time.value()); }, true},
    {"time_floor_s", [](std::string& o, Row r) { append_finite(o, r.verdict->floor.time.value()); }, true},
    {"attainable_time_s", [](std::string& o, Row r) { if (r.verdict->attainable) append_finite(o, r.verdict->attainable->value()); }, true},
    {"fraction_of_ceiling", [](std::string& o, Row r) { append_finite(o, r.verdict->measured->fraction_of_ceiling); }, true},
    {"bound", [](std::string& o, Row r) { o += bound_name(r.verdict->bound); }, true},
    {"balanced", [](std::string& o, Row r) { o += r.verdict->balanced ? "true" : "false"; }, true},
    {"confidence", [](std::string& o, Row r) { o += confidence_name(r.verdict->confidence); }, true},
    {"status", [](std::string& o, Row r) { o += status_name(r.verdict->measured->status); }, true},
    {"causes",
     [](std::string& o, Row r) {
       const auto& causes = r.verdict->measured->causes;
       for (std::size_t i = 0; i < causes.size(); ++i) o += (i ? ";" : "") + causes[i].code;
     },
     true},
};

class CsvRows final : public AuditWriter {
 public:
  explicit CsvRows(TextSink sink) : sink_(std::move(sink)) {
    for (const auto& column : kColumns) buffer_ += (buffer_.empty() ? "" : ",") + std::string(column.header);
    buffer_ += '\n';
  }
  ~CsvRows() override { flush(); }
  CsvRows(const CsvRows&) = delete;
  CsvRows& operator=(const CsvRows&) = delete;

  void row(const AuditedRow& row) override {
    bool first = true;
    for (const auto& column : kColumns) {
      if (!first) buffer_ += ',';
      first = false;
      if (!column.judged_only || row.judged()) column.write(buffer_, row);
    }
    buffer_ += '\n';
    if (buffer_.size() > kFlushAt) flush();
  }
  void end(const AuditSummary&) override { flush(); }

 private:
  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }
  TextSink sink_;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<AuditWriter> make_csv(TextSink sink, const AuditReportOptions&) {
  return std::make_unique<CsvRows>(std::move(sink));
}

}  // namespace roofline::audit_rows
