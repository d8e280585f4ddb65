#include <fmt/format.h>

#include <algorithm>

#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

/// What limits a kernel at a point: the mark of a sweep stands where this changes.
struct Limit {
  Bound bound = Bound::unknown;
  Resource resource;
  friend bool operator==(const Limit&, const Limit&) = default;
};

Limit limit_of(const Verdict& v) {
  const auto* limiting = v.floor.limiting();
  return {v.bound, limiting ? limiting->ceiling.resource : Resource{}};
}

class SweepLayout final : public Layout {
 public:
  SweepLayout(Page& page, const ReportOptions& options) : page_(page), options_(options) {}

  void begin_gpu(const GpuReport& gpu) override {
    gpu_ = gpu;
    for (const auto& name : gpu.swept) swept_.push_back(printable(name));
  }

  void kernel(const KernelReport& report) override {
    if (options_.explain) {
      parts::kernel_block(page_, report, *gpu_.ceilings, options_);
      page_.gap();
    }
    if (!begun_) {
      used_.add(report.verdict);
      measured_ = measured_ || report.verdict.measured;
      const auto& kernel = *report.kernel;
      title_ = fmt::format(
          "{}{}, {}", short_name(kernel),
          kernel.op && kernel.op->name != kernel.name ? "  " + std::string(kernel.op->name) : "",
          dtypes(kernel));
    }
    notes_.add(report);
    if (report.verdict.measured && report.verdict.measured->status == Status::impossible)
      ++impossible_;
    collect_flips(report);
    held_.push_back(row(report));
  }

  void point(const PointReport& point) override {
    if (!begun_) begin_table(point);
    const auto bound = held_.size() == 1 && !(point.sequence && point.sequence->launch_bound)
                           ? held_.front().limit.bound
                           : point.bound;
    runs_.add(bound, point.point);
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (held_.size() == 1 && point.sequence) held_[i].wall = seconds(point.sequence->makespan);
      mark(held_[i], i);
      emit(held_[i], point.point);
    }
    if (many()) emit(sum(point), point.point);
    held_.clear();
  }

  void end_gpu() override {
    if (!begun_) return;
    page_.end_table();
    page_.gap();
    notes_.write(page_);
    if (impossible_ > 0)
      page_.remark("error",
                   fmt::format("{} rows are faster than their floor allows: marked impossible",
                               grouped(Count(impossible_))),
                   Tone::bad, 0);
    for (const auto& flip : flips_) page_.remark("flip", flip, Tone::plain, 0);
    page_.remark("verdict", runs_.text(swept_), tone_of(runs_.most()), 0);
  }

 private:
  struct Row {
    std::string kernel, bytes, flops, intensity, floor, time, share_of_ceiling, bound, wall, mark;
    Limit limit;
  };

  bool many() const { return gpu_.kernels_per_point > 1; }

  Row row(const KernelReport& report) const {
    const auto& v = report.verdict;
    Row r{.kernel = many() ? kernel_name(*report.kernel) : std::string(),
          .bytes = phrases::bytes(v.bytes()),
          .flops = without_unit(phrases::flops(v.flops), "FLOP"),
          .intensity = v.intensity ? format_number(v.intensity->value()) : "",
          .floor = seconds(v.floor.time),
          .time = {},
          .share_of_ceiling = {},
          .bound = bound_cell(v),
          .wall = {},
          .mark = {},
          .limit = limit_of(v)};
    if (v.measured) {
      r.time = seconds(v.measured->time);
      const auto* limiting = v.floor.limiting();
      if (limiting)
        r.share_of_ceiling = percent(v.measured->fraction_of_ceiling) + " of " +
                             resource_title(limiting->ceiling.resource);
      if (v.measured->status == Status::impossible) r.mark = "impossible";
    }
    return r;
  }

  Row sum(const PointReport& point) const {
    const auto& t = point.totals;
    return {.kernel = "all",
            .bytes = phrases::bytes(t.bytes),
            .flops = without_unit(phrases::flops(t.flops), "FLOP"),
            .intensity =
                t.bytes > Count(0) ? format_number(t.flops.to_double() / t.bytes.to_double()) : "",
            .floor = seconds(t.time_floor),
            .time = t.time ? seconds(*t.time) : "",
            .share_of_ceiling = {},
            .bound = std::string(bound_name(point.bound)),
            .wall = point.sequence ? seconds(point.sequence->makespan) : "",
            .mark = {},
            .limit = {}};
  }

  /// The mark says what changed since the point before; the first point has nothing to differ from.
  void mark(Row& row, std::size_t index) {
    if (index >= before_.size()) {
      before_.resize(index + 1);
      before_[index] = row.limit;
      return;
    }
    if (row.limit == before_[index]) return;
    const auto& before = before_[index];
    const auto change = row.limit.bound != before.bound
                            ? fmt::format("<- was {}", bound_name(before.bound))
                            : fmt::format("<- {}, was {}", resource_title(row.limit.resource),
                                          resource_title(before.resource));
    row.mark = row.mark.empty() ? change : row.mark + " " + change;
    before_[index] = row.limit;
  }

  void collect_flips(const KernelReport& report) {
    constexpr std::size_t kMost = 6;
    if (!report.margin) return;
    for (const auto& flip : report.margin->flips) {
      if (std::find(swept_.begin(), swept_.end(), flip.variable) == swept_.end() ||
          flips_.size() >= kMost)
        continue;
      if (swept_.size() > 1) continue;  // of several variables, each point has flips of its own
      auto text = fmt::format("{}{} side below, {} side from {} = {} on",
                              many() ? short_name(*report.kernel) + ": " : "",
                              side_name(flip.from < flip.to ? flip.before : flip.after),
                              side_name(flip.from < flip.to ? flip.after : flip.before),
                              printable(flip.variable), grouped(max(flip.from, flip.to)));
      if (std::find(flips_.begin(), flips_.end(), text) == flips_.end())
        flips_.push_back(std::move(text));
    }
  }

  void begin_table(const PointReport& point) {
    begun_ = true;
    with_wall_ = point.sequence.has_value();
    parts::gpu_heading(page_, *gpu_.ceilings, used_.list());
    if (!many() && held_.size() == 1) page_.sentence(title_);
    page_.gap();
    std::vector<Column> columns;
    for (const auto& name : swept_) columns.push_back({name, Align::right, 0, 0});
    if (many()) columns.push_back({"kernel", Align::left, 20, 0});
    columns.push_back({"bytes", Align::right, 0, 5});
    columns.push_back({"FLOP", Align::right, 0, 4});
    columns.push_back({"FLOP/B", Align::right, 0, 3});
    columns.push_back({"floor", Align::right, 0, 0});
    if (measured_) {
      columns.push_back({"time", Align::right, 0, 0});
      columns.push_back({"of its ceiling", Align::left, 0, 0});
    }
    if (with_wall_) columns.push_back({"wall", Align::right, 0, 0});
    columns.push_back({"bound", Align::left, 0, 0});
    columns.push_back({"", Align::left, 10, 1});
    page_.begin_table(std::move(columns));
  }

  void emit(const Row& r, std::span<const Binding> point) {
    std::vector<std::string> cells;
    for (const auto& [name, value] : point) cells.push_back(value.to_string());
    if (many()) cells.push_back(r.kernel);
    for (const auto* cell : {&r.bytes, &r.flops, &r.intensity, &r.floor}) cells.push_back(*cell);
    if (measured_) {
      cells.push_back(r.time);
      cells.push_back(r.share_of_ceiling);
    }
    if (with_wall_) cells.push_back(r.wall);
    cells.push_back(r.bound);
    cells.push_back(r.mark);
    page_.row(std::move(cells));
  }

  Page& page_;
  const ReportOptions& options_;
  GpuReport gpu_;
  std::vector<std::string> swept_;
  std::vector<Row> held_;
  std::vector<Limit> before_;
  std::vector<std::string> flips_;
  std::string title_;
  parts::UsedCeilings used_;
  parts::NoteList notes_;
  parts::Runs runs_;
  long long impossible_ = 0;
  bool begun_ = false, measured_ = false, with_wall_ = false;
};

}  // namespace

std::unique_ptr<Layout> sweep_layout(Page& page, const ReportOptions& options) {
  return std::make_unique<SweepLayout>(page, options);
}

}  // namespace roofline
