#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline::formats {

/// The name of a kernel without what AMD's tools add: "vecCopy(double*) [clone .kd]", "(.kd)",
/// "scale.kd".
std::string_view amd_kernel_name(std::string_view name);

/// Counters of AMD's CDNA chips by the names of the counters that mean the same here: traffic of
/// the L2 with the memory, FLOPs of the vector and the matrix units. `counters`: sums over all
/// channels, by the profiler's names. What is not in it is not in the result.
/// Source: ROCm Compute Profiler documentation, "Definitions" and "L2 cache (TCC)": a read request
/// is of 64 B, of 32 B where it is counted so, of 128 B where TCC_BUBBLE counts it (MI300); a write
/// is of 32 B or, counted so, of 64 B; a vector instruction is of 64 lanes, a MOP of 512 FLOP.
std::vector<std::pair<std::string, double>> translated_amd_counters(
    const std::map<std::string, double, std::less<>>& counters);

}  // namespace roofline::formats
