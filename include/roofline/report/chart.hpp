#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/result.hpp"
#include "roofline/report/gate.hpp"
#include "roofline/report/report.hpp"

/// What a picture shows, as plain data in base units (B, FLOP, s): every picture is drawn from
/// this, whether it came from a saved result or from an analysis that is running.
namespace roofline {

/// One ceiling that a chart may draw: a slope (DRAM, a cache) or a level (a datapath).
struct ChartRoof {
  std::string resource;  ///< "dram", "tensor:bf16"
  std::string title;     ///< "DRAM", "BF16 tensor, dense"
  std::string unit;      ///< "B/s", "FLOP/s", "op/s"
  CeilingKind kind = CeilingKind::datasheet;
  double per_second = 0;
  bool used = false;  ///< some kernel of the chart meets it
  bool is_slope() const { return unit == "B/s"; }
  /// A datapath's peak. Special functions are part of a kernel's FLOPs: their rate is no roof over
  /// those.
  bool is_level() const { return !is_slope() && resource != "sfu"; }
};

/// What the work of a datapath is counted in: integer ones do operations, not FLOPs.
enum class WorkUnit : unsigned char { flop, op };
std::string_view work_unit_name(WorkUnit unit);  ///< "FLOP", "op"
std::string_view work_rate_name(WorkUnit unit);  ///< "FLOP/s", "op/s"

/// Bytes that crossed one level of memory, as counters saw them.
struct LevelTraffic {
  std::string label;     ///< on the chart: "L2", "L1", "sh"
  std::string resource;  ///< "l2"
  double bytes = 0;
};

/// What a kernel took in the runs of a history, the oldest first.
struct ChartHistory {
  std::string machine;      ///< "h100-sxm5-80gb, 700 W, ECC on"
  std::string first, last;  ///< days of its runs: "2026-11-30"
  std::size_t earlier = 0;  ///< runs before those that are shown
  std::vector<double> times_s = {};
  std::vector<std::size_t> steps = {};  ///< the first run behind each lasting change
};

/// What a gate said of the result.
struct ChartGate {
  Outcome status = Outcome::pass;
  std::string headline;            ///< "FAIL: 2 entries break 4 limits; 7 hold"
  std::vector<std::string> lines;  ///< of what does not pass, the worst first
};

/// One kernel (at one point of a sweep). Amounts and times are of one launch.
struct ChartKernel {
  std::size_t number = 0;  ///< from 1, by time: the same in every picture and table of a report
  std::string name;        ///< printable, of bounded length
  std::string full_name;   ///< printable, of bounded length; empty: the same
  std::string label;       ///< as baselines and histories name it, where no gate does
  std::string function;    ///< canonical name of the function; empty: not known
  std::string point;       ///< of a sweep: "M = 64"
  std::string point_name;  ///< the sweep's first variable
  double point_value = 0;  ///< and its value, to order a series by
  std::string pipe;        ///< resource of the headline work; empty: not known
  std::string pipes;       ///< for people; of mixed precision every datapath that matters
  std::string limiter;     ///< resource that sets the floor; empty: not known
  Bound bound = Bound::unknown;
  bool balanced = false;
  std::optional<Status> status;
  double launches = 1;  ///< in one run
  WorkUnit work = WorkUnit::flop;
  double flops = 0;  ///< of integer datapaths their operations, as `work` says
  double bytes = 0;
  std::optional<double> dram_bytes;          ///< measured
  std::vector<LevelTraffic> levels;          ///< measured
  std::optional<double> intensity;           ///< compulsory; absent without FLOPs or bytes
  std::optional<double> measured_intensity;  ///< FLOPs over measured DRAM bytes
  std::optional<double> floor_s, time_s, attainable_s;
  std::optional<double> run_s;  ///< all its launches in one run; absent: not told, so many medians
  std::optional<double> fraction_of_ceiling, dram_busy, excess_traffic;
  double share = 0;  ///< of the time of all kernels; of the floors where no times are known
  std::string advice, cause;
  std::string gate_id;                  ///< of the entry that a gate has for it; empty: none
  std::optional<Outcome> outcome;       ///< the worst that a gate said of it
  std::optional<double> time_limit_s;   ///< the longest time that the gate allows it
  std::optional<ChartHistory> history;  ///< with at least one run

  double total_time() const {
    return time_s && run_s ? *run_s : launches * time_s.value_or(floor_s.value_or(0));
  }
  double total_floor() const { return launches * floor_s.value_or(0); }
  /// Seconds of a run that lie above the floor; 0 where either is not known, or the time is below
  /// its floor.
  double recoverable() const;
  std::optional<double> achieved_flop_rate() const;    ///< FLOP/s; absent without a time or FLOPs
  std::optional<double> attainable_flop_rate() const;  ///< FLOP/s at the floor
  std::optional<double> achieved_bandwidth() const;  ///< B/s: measured bytes, else compulsory ones
  /// The intensity at which it stands: compulsory, else measured.
  std::optional<double> placed_intensity() const {
    return intensity ? intensity : measured_intensity;
  }
  /// It has a place on axes of FLOP/B and FLOP/s.
  bool placeable() const;
};

/// One GPU's kernels, ready to be drawn.
struct Chart {
  std::string gpu_id, gpu_name;
  std::string source;  ///< the file, without its folder
  std::string tool_version;
  std::vector<ChartRoof> roofs;
  std::vector<ChartKernel> kernels;     ///< most time first
  std::vector<ChartKernel> before;      ///< of another result, by the same names: drawn as ghosts
  std::vector<std::string> conditions;  ///< needed to reproduce: clocks, runs, driver
  std::vector<std::string> warnings;    ///< what was lost, what cannot be drawn
  std::optional<ChartGate> gate;
  bool measured = false;  ///< some kernel carries a time
  bool swept = false;     ///< kernels stand at several points

  double total_time() const;
  double total_floor() const;
  double recoverable() const;
  const ChartRoof* dram() const;  ///< the datasheet's; nullptr: not known
};

/// A saved result. A GPU without ceilings in the file takes those of the table, if it is there.
Chart chart_of(const ResultRecord& result);
/// One chart for each datapath: its kernels with their numbers and shares, the roofs that they
/// meet, titled by the datapath; kernels without a place on the axes are in none. In the order of
/// the time that they take.
std::vector<Chart> split_by_datapath(const Chart& chart);
/// Draws `before` as ghosts of the kernels of the same name and point.
void set_before(Chart& chart, const Chart& before);

/// What a gate said of this chart's result: of each kernel its worst outcome and its time limit.
void set_gate(Chart& chart, const GateResult& result);
/// Reads the runs of a history, oldest first, and gives each kernel those on this chart's GPU:
/// under the name of its gate's entry, where set_gate() came before, else under its own. Errors: of
/// a file that cannot be read or is damaged.
Checked<void> set_history(Chart& chart, std::span<const std::string> files);

/// A sweep may have millions of points; a picture of more than these would show nothing.
inline constexpr std::size_t kMostChartKernels = 20'000;

/// Collects the charts of an analysis: one for each GPU and file.
class ChartCollector final : public ReportWriter {
 public:
  explicit ChartCollector(std::string tool_version) : tool_version_(std::move(tool_version)) {}
  void begin_gpu(const GpuReport& report) override;
  void kernel(const KernelReport& report) override;
  void end_gpu() override;
  std::vector<Chart> take() { return std::move(charts_); }

 private:
  std::string tool_version_;
  std::size_t beyond_ = 0;
  std::vector<Chart> charts_;
};

/// "2 kernels take 1.2 ms, 3.1x their floor; 0.8 ms could be won back, 0.5 ms of it in gemm.": the
/// verdict on the whole.
std::string chart_sentence(const Chart& chart);

enum class Theme { light, dark, print };
std::optional<Theme> find_theme(std::string_view name);

/// Small charts on the same axes: one for each datapath of a GPU's kernels, or one for each GPU.
enum class Panels { none, dtype, gpu };

struct PictureOptions {
  Theme theme = Theme::light;
  Panels panels = Panels::none;  ///< of an SVG
  bool levels = false;           ///< traffic of caches as satellites
  std::size_t rows = 30;         ///< kernels that are numbered and listed in an SVG
  std::size_t width = 80;        ///< columns of a terminal
  bool colour = false;
  bool ascii = false;  ///< no braille
};

/// A whole SVG document: the chart, the bars, the table; one below the other for several GPUs.
void write_svg(std::span<const Chart> charts, const PictureOptions& options, const TextSink& sink);
/// A page of HTML that needs nothing else: the chart and the bars linked with a table.
void write_html(std::span<const Chart> charts, const PictureOptions& options, const TextSink& sink);
/// Bars, then the chart in characters.
void write_terminal_plot(const Chart& chart, const PictureOptions& options, const TextSink& sink);
/// A report for a pull request; `svg`: the picture beside it, empty for none.
void write_markdown_report(std::span<const Chart> charts, std::string_view svg,
                           const TextSink& sink);
/// The data of the pictures: one row for each kernel.
void write_chart_csv(std::span<const Chart> charts, const TextSink& sink);
void write_chart_json(std::span<const Chart> charts, const TextSink& sink);

}  // namespace roofline
