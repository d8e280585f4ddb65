#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/margin.hpp"
#include "roofline/analysis/sequence.hpp"
#include "roofline/analysis/tile.hpp"
#include "roofline/analysis/verdict.hpp"

namespace roofline {

/// Everything a format may print of one kernel at one point on one GPU. Plain data, base units, all computed.
struct KernelReport {
  const Kernel* kernel = nullptr;
  std::span<const Binding> point;  ///< values of the swept variables
  Verdict verdict;
  std::vector<Lever> levers;
  std::vector<Remark> notes;
  std::optional<Margin> margin;    ///< not computed in long sweeps
  std::optional<TileModel> tile;
};

/// Sums over the kernels of one point, repeats included.
struct Totals {
  Seconds time_floor;
  std::optional<Seconds> time;  ///< where every kernel carries one
  Count launches, flops, bytes;
  std::size_t kernels = 0;
};

/// What follows the kernels of one point.
struct PointReport {
  std::span<const Binding> point;
  std::optional<Sequence> sequence;         ///< where launch costs are known
  Bound bound = Bound::unknown;             ///< of the sequence: overhead, or the bound that holds most of the floor
  Totals totals;
};

/// What stands above the kernels of one GPU.
struct GpuReport {
  const Ceilings* ceilings = nullptr;
  std::string_view device_name;             ///< what an imported file calls it; empty: the table's name
  std::string_view source_file;             ///< as the user named it
  std::span<const std::string> swept;       ///< names of the swept variables
  Count points = 1;
  std::size_t kernels_per_point = 0;
  std::optional<Seconds> launch_cost;       ///< `--launch-cost`, for kernels without their own
  std::size_t gpu_index = 0, gpu_count = 1; ///< which of the GPUs that this file is held against
};

struct ReportOptions {
  bool explain = false;       ///< the arithmetic of every term with the document of every peak
  int verbosity = 0;          ///< -1 verdict lines only, 1 how numbers were derived
  bool colour = false;
  std::size_t width = 100;    ///< columns of the terminal
  std::size_t gpu_count = 1;  ///< begin_gpu() calls to come, over all files
  std::string_view tool_version;
};

/// A format receives a report piece by piece, so that a sweep of a million points needs no memory:
/// begin, then for each GPU begin_gpu, kernels, the point after its kernels, end_gpu; then end.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  virtual void begin() {}
  virtual void begin_gpu(const GpuReport&) {}
  virtual void kernel(const KernelReport&) = 0;
  virtual void point(const PointReport&) {}
  virtual void end_gpu() {}
  virtual void end() {}
};

/// Where text goes; called with pieces of any size.
using TextSink = std::function<void(std::string_view)>;

/// One row of the table of output formats.
struct OutputFormat {
  std::string_view name, extension, doc;
  std::unique_ptr<ReportWriter> (*make)(TextSink sink, const ReportOptions& options);
  bool wants_remarks;  ///< levers, notes and margins are computed only for formats that print them
};
std::span<const OutputFormat> output_formats();
const OutputFormat* find_output_format(std::string_view name);

struct AnalyzeOptions {
  CeilingOptions ceilings;
  std::optional<Seconds> launch_cost;
  std::optional<Timing> timing;        ///< for kernels that do not say
  bool remarks = true;                 ///< levers, notes
  Count margin_points = 64;            ///< margins are computed when there are no more kernels than this in all
};

/// Judges every kernel of `file` at every point on every GPU and hands the results to `writer`.
/// Errors (a missing rate, an expression that fails at some point) have their place; what was written before stands.
/// `go_on` is asked now and then: false stops quietly (the reader of the output went away).
Errors analyze(const KernelFile& file, std::span<const Gpu> gpus, const AnalyzeOptions& options, ReportWriter& writer,
               const std::function<bool()>& go_on = {});

}  // namespace roofline
