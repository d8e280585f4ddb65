#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/profile/cuda_api.hpp"
#include "roofline/profile/gpu_watch.hpp"

/// Measuring what a GPU itself can do: one kernel of ours, or one kind of copy, for each of its
/// limits. Methods after the Empirical Roofline Toolkit (arXiv 2009.05257) and mixbench.
namespace roofline::profile {

/// One limit that can be measured.
struct CeilingTest {
  std::string_view name;      ///< "dram_copy"
  std::string_view resource;  ///< as results name it: "dram", "tensor:bf16", "launch:stream"
  std::string_view unit;      ///< "B/s", "FLOP/s", "op/s" or "s"
  std::string_view how;       ///< a line for people
  int least_capability = 0, most_capability = 999;  ///< 10 * major + minor
  bool mma_sync = false;  ///< on GPUs with a faster path this is the second, lower tensor ceiling

  bool runs_on(int capability) const {
    return capability >= least_capability && capability <= most_capability;
  }
  bool is_time() const { return unit == "s"; }
};

/// All of them, in the order in which they are measured and reported.
std::span<const CeilingTest> ceiling_tests();
const CeilingTest* find_ceiling_test(std::string_view name);

/// PTX of the test's kernel for a GPU of `capability` that runs it, in the oldest version of the
/// language that has its instructions, so that older drivers take it. Empty: it has no kernel.
std::string ceiling_code(const CeilingTest& test, int capability);

/// How long it is measured.
struct CalibrationPace {
  double settle_s = 1.0;  ///< of work before the first sample: clocks fall to what power allows
  int samples = 20;       ///< of each of two rounds
};

/// What one test gave.
struct CeilingMeasurement {
  double work = 0;              ///< of one sample: bytes, operations, or launches
  std::vector<double> seconds;  ///< of each sample, both rounds one after the other
  std::optional<bool>
      verified;       ///< the kernel's output is what it must be; absent: nothing to look at
  std::string fault;  ///< what was wrong with it
  GpuLoad load;       ///< clock and power meanwhile

  double median_s() const;
  /// work / median, or of a time median / work.
  double value(const CeilingTest& test) const;
  double spread() const;         ///< quartile distance over the median
  double rounds_differ() const;  ///< of the two rounds' medians, over the smaller
};

/// Measures one limit of a device. The driver must be initialised. Errors: driver_failed;
/// out_of_range where its buffers do not fit.
Result<CeilingMeasurement> measure_ceiling(const cuda::Api& api, const cuda::DeviceInfo& device,
                                           const CeilingTest& test, const CalibrationPace& pace);

}  // namespace roofline::profile
