#include "report/formats/formats.hpp"
#include "report/result_json.hpp"
#include "report/spool.hpp"

namespace roofline {
namespace {

/// roofline.result/1 (docs/formats.md), written as it comes: memory does not grow with the number
/// of points.
class JsonReport final : public ReportWriter {
 public:
  JsonReport(TextSink sink, const ReportOptions& options)
      : json_(std::move(sink), {.indented_levels = options.gpu_count > 1 ? 5u : 3u}),
        options_(options) {}

  void begin() override {
    json_.begin_object();
    if (!several()) return;
    write_header(json_, options_);
    json_.begin_array("results");
  }

  void begin_gpu(const GpuReport& report) override {
    swept_ = !report.swept.empty();
    kernels_per_point_ = report.kernels_per_point;
    tally_ = {};
    last_ = {};
    if (several()) json_.begin_object();
    write_header(json_, options_);
    write_gpu(json_, report);
    json_.begin_array("kernels");
    if (lists_points()) points_.begin_array();
  }

  void kernel(const KernelReport& report) override {
    tally_.add(report);
    json_.begin_object();
    write_kernel(json_, report, true);
    json_.end_object();
  }

  void point(const PointReport& report) override {
    if (!swept_) last_ = report;
    if (!lists_points()) return;
    points_.begin_object();
    write_binding(points_, report.point);
    write_point(points_, report);
    points_.end_object();
  }

  void end_gpu() override {
    json_.end_array();
    if (lists_points()) write_points();
    if (!swept_) write_point(json_, last_);
    write_coverage(json_, tally_);
    if (several()) json_.end_object();
  }

  void end() override {
    if (several()) json_.end_array();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  bool several() const { return options_.gpu_count > 1; }
  bool lists_points() const { return swept_ && kernels_per_point_ > 1; }

  void write_points() {
    points_.end_array();
    points_.flush();
    json_.key("points");
    if (!spool_.drain([this](std::string_view piece) { json_.raw(piece); }))
      json_.flag("points_incomplete", true);
  }

  JsonWriter json_;
  ReportOptions options_;
  Spool spool_;
  JsonWriter points_{[this](std::string_view piece) { spool_.append(piece); },
                     {.indented_levels = 1, .outer_levels = 1}};
  Tally tally_;
  PointReport last_;
  bool swept_ = false;
  std::size_t kernels_per_point_ = 0;
};

}  // namespace

std::unique_ptr<ReportWriter> make_json(TextSink sink, const ReportOptions& options) {
  return std::make_unique<JsonReport>(std::move(sink), options);
}

}  // namespace roofline
