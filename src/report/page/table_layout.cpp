#include <fmt/format.h>

#include <algorithm>

#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

class TableLayout final : public Layout {
 public:
  TableLayout(Page& page, const ReportOptions& options) : page_(page), options_(options) {}

  void begin_gpu(const GpuReport& gpu) override { gpu_ = gpu; }

  void kernel(const KernelReport& report) override {
    if (options_.explain || options_.verbosity > 0) write_block(report);
    used_.add(report.verdict);
    balance_.add(report);
    notes_.add(report);
    measured_ = measured_ || report.verdict.measured;
    repeated_ = repeated_ || report.kernel->repeat != Count(1);
    if (report.verdict.measured && report.verdict.measured->status == Status::impossible)
      impossible_.push_back(causes(report));
    if (rows_.size() < AlignedTable::kBuffered)
      rows_.push_back(row(report));
    else
      stream(report);
  }

  void point(const PointReport& point) override {
    if (!streaming_) begin_table(point.totals.time_floor);
    const auto& totals = point.totals;
    page_.rule();
    emit({.name = fmt::format("{} kernels", totals.kernels),
          .repeat = "x" + grouped(totals.launches),
          .bytes = bytes(totals.bytes),
          .flops = without_unit(flops(totals.flops), "FLOP"),
          .intensity = totals.bytes > Count(0)
                           ? format_number(totals.flops.to_double() / totals.bytes.to_double())
                           : "",
          .floor = seconds(totals.time_floor),
          .bound = std::string(bound_name(point.bound)),
          .floor_s = totals.time_floor.value(),
          .time = totals.time ? seconds(*totals.time) : "",
          .share_of_ceiling =
              totals.time ? "floors are " + percent(totals.time_floor / *totals.time) : ""},
         totals.time_floor);
    page_.end_table();
    close(point);
  }

  void end_gpu() override {}

 private:
  struct Row {
    std::string name, repeat, op, shape, bytes, flops, intensity, floor, bound;
    double floor_s = 0;
    std::string time, share_of_ceiling, status;
  };

  static Row row(const KernelReport& report) {
    const auto& kernel = *report.kernel;
    const auto& v = report.verdict;
    const double copies = kernel.repeat.to_double();
    Row r{.name = kernel_name(kernel),
          .repeat = kernel.repeat == Count(1) ? "" : "x" + grouped(kernel.repeat),
          .op = kernel.op ? std::string(kernel.op->name) : "",
          .shape = compact_shape(kernel),
          .bytes = phrases::bytes(v.bytes()),
          .flops = without_unit(phrases::flops(v.flops), "FLOP"),
          .intensity = v.intensity ? format_number(v.intensity->value()) : "",
          .floor = seconds(v.floor.time),
          .bound = bound_cell(v),
          .floor_s = v.floor.time.value() * copies,
          .time = {},
          .share_of_ceiling = {},
          .status = {}};
    if (v.measured) {
      r.time = seconds(v.measured->time);
      if (const auto* limiting = v.floor.limiting())
        r.share_of_ceiling = percent(v.measured->fraction_of_ceiling) + " of " +
                             resource_title(limiting->ceiling.resource);
      r.status = phrases::status(v.measured->status);
    }
    return r;
  }

  void heading() {
    if (headed_) return;
    headed_ = true;
    parts::gpu_heading(page_, *gpu_.ceilings, used_.list());
    page_.gap();
  }

  void write_block(const KernelReport& report) {
    if (!headed_) {
      parts::UsedCeilings none;
      parts::gpu_heading(page_, *gpu_.ceilings, none.list());
      page_.gap();
      headed_ = true;
    }
    parts::kernel_block(page_, report, *gpu_.ceilings, options_);
    parts::kernel_notes(page_, report);
    parts::kernel_verdict(page_, report);
    page_.gap();
  }

  void begin_table(Seconds total) {
    heading();
    std::vector<Column> columns = {{"kernel", Align::left, 20, 0}};
    if (repeated_) columns.push_back({"", Align::right, 0, 0});
    columns.push_back({"op", Align::left, 0, 7});
    columns.push_back({"shape", Align::left, 14, 6});
    columns.push_back({"bytes", Align::right, 0, 0});
    columns.push_back({"FLOP", Align::right, 0, 3});
    columns.push_back({"FLOP/B", Align::right, 0, 2});
    columns.push_back({"floor", Align::right, 0, 0});
    if (measured_) {
      columns.push_back({"time", Align::right, 0, 0});
      columns.push_back({"of its ceiling", Align::left, 0, 0});
    }
    columns.push_back({"bound", Align::left, 0, 0});
    if (measured_)
      columns.push_back({"status", Align::left, 0, 1});
    else if (!streaming_)
      columns.push_back({"of sum", Align::right, 0, 5});
    with_share_ = !measured_ && !streaming_;
    page_.begin_table(std::move(columns));
    for (const auto& r : rows_) emit(r, total);
    rows_.clear();
  }

  void emit(const Row& r, Seconds total) {
    std::vector<std::string> cells = {r.name};
    if (repeated_) cells.push_back(r.repeat);
    for (const auto* cell : {&r.op, &r.shape, &r.bytes, &r.flops, &r.intensity, &r.floor})
      cells.push_back(*cell);
    if (measured_) {
      cells.push_back(r.time);
      cells.push_back(r.share_of_ceiling);
    }
    cells.push_back(r.bound);
    if (measured_) cells.push_back(r.status);
    if (with_share_) cells.push_back(total > Seconds(0) ? percent(r.floor_s / total.value()) : "");
    page_.row(std::move(cells));
  }

  /// Past the buffer the table starts without the sums, and rows go out as they come.
  void stream(const KernelReport& report) {
    if (!streaming_) {
      streaming_ = true;
      repeated_ = true;
      begin_table(Seconds(0));
    }
    emit(row(report), Seconds(0));
  }

  struct Impossible {
    std::string name, text;
    std::vector<Remark> causes;
  };
  static Impossible causes(const KernelReport& report) {
    return {short_name(*report.kernel), verdict(report.verdict).text,
            report.verdict.measured->causes};
  }

  void close(const PointReport& point) {
    page_.gap();
    const parts::SequenceContext context{printable(gpu_.source_file), gpu_.launch_cost,
                                         point.totals.time.has_value()};
    if (point.sequence) parts::sequence_facts(page_, *point.sequence, context);
    notes_.write(page_);
    for (const auto& item : impossible_) {
      page_.remark("error", item.name + ": " + item.text, Tone::bad, item.name.size());
      for (std::size_t i = 0; i < item.causes.size(); ++i)
        page_.remark(i == 0 ? "likely" : i == 1 ? "else" : "", item.causes[i].text, Tone::plain, 0);
    }
    const bool launches = point.sequence && point.sequence->launch_bound;
    if (launches)
      parts::sequence_verdict(page_, *point.sequence, {{}, gpu_.launch_cost, true});
    else
      balance_.verdict(page_, point.bound);
  }

  Page& page_;
  const ReportOptions& options_;
  GpuReport gpu_;
  std::vector<Row> rows_;
  parts::UsedCeilings used_;
  parts::Balance balance_;
  parts::NoteList notes_;
  std::vector<Impossible> impossible_;
  bool measured_ = false, repeated_ = false, streaming_ = false, headed_ = false,
       with_share_ = false;
};

}  // namespace

std::unique_ptr<Layout> table_layout(Page& page, const ReportOptions& options) {
  return std::make_unique<TableLayout>(page, options);
}

}  // namespace roofline
