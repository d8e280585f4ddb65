#include "report/formats/formats.hpp"
#include "report/result_json.hpp"

namespace roofline {
namespace {

/// One line per kernel, point and GPU: the kernel object of roofline.result/1 with the id of its
/// GPU. A point of several kernels is followed by a line {"point_summary": ..}, and a GPU by
/// {"summary": ..}.
class JsonLinesReport final : public ReportWriter {
 public:
  JsonLinesReport(TextSink sink, const ReportOptions& options)
      : json_(std::move(sink)), options_(options) {}
  /// Rows before an error stand: what is in the buffer is whole lines.
  ~JsonLinesReport() override { json_.flush(); }
  JsonLinesReport(const JsonLinesReport&) = delete;
  JsonLinesReport& operator=(const JsonLinesReport&) = delete;

  void begin_gpu(const GpuReport& report) override {
    gpu_ = report.ceilings->gpu().id;
    swept_ = !report.swept.empty();
    kernels_per_point_ = report.kernels_per_point;
    tally_ = {};
    last_ = {};
  }

  void kernel(const KernelReport& report) override {
    tally_.add(report);
    json_.begin_object();
    json_.text("gpu", gpu_);
    write_kernel(json_, report, false);
    json_.end_object();
    json_.end_line();
  }

  void point(const PointReport& report) override {
    tally_.points += 1;
    if (!swept_) last_ = report;
    if (!swept_ || kernels_per_point_ < 2) return;
    json_.begin_object();
    json_.begin_object("point_summary");
    json_.text("gpu", gpu_);
    write_binding(json_, report.point);
    write_point(json_, report);
    json_.end_object();
    json_.end_object();
    json_.end_line();
  }

  void end_gpu() override {
    json_.begin_object();
    json_.begin_object("summary");
    write_header(json_, options_);
    json_.text("gpu", gpu_);
    write_tally(json_, tally_);
    if (!swept_) write_point(json_, last_);
    json_.end_object();
    json_.end_object();
    json_.end_line();
  }

  void end() override { json_.flush(); }

 private:
  JsonWriter json_;
  ReportOptions options_;
  std::string gpu_;
  Tally tally_;
  PointReport last_;
  bool swept_ = false;
  std::size_t kernels_per_point_ = 0;
};

}  // namespace

std::unique_ptr<ReportWriter> make_jsonl(TextSink sink, const ReportOptions& options) {
  return std::make_unique<JsonLinesReport>(std::move(sink), options);
}

}  // namespace roofline
