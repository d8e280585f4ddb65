#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/ingest/import_sink.hpp"

namespace roofline::formats {

/// One profiled kernel of an Nsight Compute report, whatever the format: metrics by NVIDIA's names
/// in base units (ns, B, Hz, B/s, %). Of a summary (--print-summary) they are means of `launches`.
struct NcuKernel {
  std::string name;
  std::array<std::uint64_t, 3> grid{}, block{};
  std::uint64_t device = 0, context = 0, stream = 0;
  std::uint64_t major = 0, minor = 0;  ///< compute capability
  std::string gpu;                     ///< display name; empty: not told
  std::vector<std::pair<std::string, double>> metrics;
  std::optional<std::uint64_t> launches;  ///< of a summary
  double least_ns = 0, most_ns = 0;       ///< of a summary: 0 where not told

  /// A metric with the unit that its row has. What a page calls it ("Duration") becomes the name of
  /// the metric that NVIDIA's section shows under that label; unknown units leave it out.
  void add(std::string_view metric, std::string_view unit, double value);
  std::optional<double> find(std::string_view metric) const;
};

/// "(128, 1, 1)": false when it is something else.
bool read_extent(std::string_view text, std::array<std::uint64_t, 3>& extent);

/// How much of the base unit one of this unit is: "usecond" is 1000 (ns), "Mbyte" 1e6, "Ghz" 1e9,
/// "Gbyte/second" 1e9, "byte/block" 1. Nothing: unknown.
std::optional<double> ncu_unit(std::string_view unit);

/// Writes kernels as launches of a replayed run, with their counters.
class NcuWriter {
 public:
  explicit NcuWriter(ImportSink& sink) : sink_(sink) { sink_.replayed(); }
  void add(NcuKernel kernel);
  /// Devices, and what no kernel had.
  void finish();
  std::uint64_t kernels() const { return kernels_; }

 private:
  void note_device(const NcuKernel& kernel);

  ImportSink& sink_;
  std::uint64_t kernels_ = 0, clock_ = 1'000'000'000, untimed_ = 0;
  std::map<std::uint64_t, std::uint64_t> occurrences_;  // by shape
  std::map<std::uint64_t, capture::Device> devices_;
  bool traffic_ = false;
};

}  // namespace roofline::formats
