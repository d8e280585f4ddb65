#include <algorithm>
#include <cmath>

#include "report/csv_line.hpp"
#include "report/formats/formats.hpp"
#include "report/result_json.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

void seconds(CsvLine& line, std::optional<Seconds> value) {
  value ? line.number(value->value()) : line.empty();
}
void ratio(CsvLine& line, std::optional<Intensity> value) {
  value ? line.number(value->value()) : line.empty();
}

void codes(CsvLine& line, const std::vector<Remark>& remarks) {
  std::string list;
  for (const auto& remark : remarks) list += (list.empty() ? "" : ";") + remark.code;
  line.name(list);
}

struct Column {
  std::string_view header;
  void (*write)(CsvLine& line, const KernelReport& report);
};
using Row = const KernelReport&;

constexpr Column kIdentity[] = {
    // then come the swept variables, each in a column of its own
    {"kernel", [](CsvLine& l, Row r) { l.name(r.kernel->name); }},
    {"op",
     [](CsvLine& l, Row r) { l.word(r.kernel->op ? r.kernel->op->name : std::string_view()); }},
};

constexpr Column kFigures[] = {
    {"launches", [](CsvLine& l, Row r) { l.count(r.kernel->repeat); }},
    {"bytes_read", [](CsvLine& l, Row r) { l.count(r.verdict.bytes_read); }},
    {"bytes_written", [](CsvLine& l, Row r) { l.count(r.verdict.bytes_written); }},
    {"bytes", [](CsvLine& l, Row r) { l.count(r.verdict.bytes()); }},
    {"flops", [](CsvLine& l, Row r) { l.count(r.verdict.flops); }},
    {"intensity_flop_per_byte", [](CsvLine& l, Row r) { ratio(l, r.verdict.intensity); }},
    {"pipe", [](CsvLine& l, Row r) { l.word(pipe_key(r)); }},
    {"ridge_flop_per_byte", [](CsvLine& l, Row r) { ratio(l, r.verdict.ridge); }},
    {"side",
     [](CsvLine& l, Row r) {
       l.word(r.verdict.side ? side_name(*r.verdict.side) : std::string_view());
     }},
    {"bound", [](CsvLine& l, Row r) { l.word(bound_name(r.verdict.bound)); }},
    {"balanced", [](CsvLine& l, Row r) { l.flag(r.verdict.balanced); }},
    {"confidence", [](CsvLine& l, Row r) { l.word(confidence_name(r.verdict.confidence)); }},
    {"limiter",
     [](CsvLine& l, Row r) {
       const auto* limiting = r.verdict.floor.limiting();
       l.word(limiting ? resource_name(limiting->ceiling.resource) : std::string());
     }},
    {"time_floor_s", [](CsvLine& l, Row r) { l.number(r.verdict.floor.time.value()); }},
    {"attainable_time_s", [](CsvLine& l, Row r) { seconds(l, r.verdict.attainable); }},
    {"time_s", [](CsvLine& l, Row r) { seconds(l, r.kernel->time); }},
    {"timing",
     [](CsvLine& l, Row r) {
       l.word(r.verdict.measured ? timing_name(r.kernel->timing) : std::string_view());
     }},
    {"fraction_of_ceiling",
     [](CsvLine& l, Row r) {
       r.verdict.measured ? l.number(r.verdict.measured->fraction_of_ceiling) : l.empty();
     }},
    {"status",
     [](CsvLine& l, Row r) {
       l.word(r.verdict.measured ? status_name(r.verdict.measured->status) : std::string_view());
     }},
    {"causes",
     [](CsvLine& l, Row r) {
       r.verdict.measured ? codes(l, r.verdict.measured->causes) : l.empty();
     }},
    {"notes", [](CsvLine& l, Row r) { codes(l, r.notes); }},
};

bool is_a_column(std::string_view name) {
  const auto known = [name](const Column& column) { return column.header == name; };
  return name == "gpu" || std::any_of(std::begin(kIdentity), std::end(kIdentity), known) ||
         std::any_of(std::begin(kFigures), std::end(kFigures), known);
}

/// One header, then one row per kernel, point and GPU.
class CsvReport final : public ReportWriter {
 public:
  explicit CsvReport(TextSink sink) : sink_(std::move(sink)) {}
  /// Rows before an error stand.
  ~CsvReport() override { flush(); }
  CsvReport(const CsvReport&) = delete;
  CsvReport& operator=(const CsvReport&) = delete;

  void begin_gpu(const GpuReport& report) override {
    gpu_ = report.ceilings->gpu().id;
    if (!header_written_) write_header(report.swept);
    header_written_ = true;
  }

  void kernel(const KernelReport& report) override {
    line_.clear();
    line_.name(gpu_);
    for (const auto& column : kIdentity) column.write(line_, report);
    for (const auto& binding : report.point) line_.count(binding.second);
    for (const auto& column : kFigures) column.write(line_, report);
    end_line();
  }

  void end() override { flush(); }

 private:
  void write_header(std::span<const std::string> swept) {
    line_.clear();
    line_.word("gpu");
    for (const auto& column : kIdentity) line_.word(column.header);
    // A variable may be called as a column of ours is: two columns of one name would be read as
    // one.
    for (const auto& name : swept) line_.name(is_a_column(name) ? "point." + name : name);
    for (const auto& column : kFigures) line_.word(column.header);
    end_line();
  }

  void end_line() {
    buffer_ += line_.text();
    buffer_ += '\n';
    if (buffer_.size() >= kFlushAt) flush();
  }

  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

  TextSink sink_;
  CsvLine line_;
  std::string buffer_, gpu_;
  bool header_written_ = false;
};

}  // namespace

std::unique_ptr<ReportWriter> make_csv(TextSink sink, const ReportOptions&) {
  return std::make_unique<CsvReport>(std::move(sink));
}

}  // namespace roofline
