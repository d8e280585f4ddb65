#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace roofline::testing {

/// Executes the PTX of the calibration kernels, slowly: every instruction for all threads of a
/// block before the next one, so that barriers and instructions of a whole warp need no scheduling.
/// Branches must go the same way in all threads of a block. Instructions that it does not know, and
/// accesses beyond the two buffers, are failures.
struct PtxMachine {
  std::vector<unsigned char> input, output;
  std::uint64_t count = 0;
  std::uint32_t iterations = 0;

  /// What went wrong; empty: the kernel ran to its end.
  std::string run(const std::string& ptx, unsigned blocks, unsigned threads);
  std::map<std::string, std::uint64_t> executed;  ///< warp instructions, by their first two words
};

}  // namespace roofline::testing
