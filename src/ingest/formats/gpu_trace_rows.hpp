#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "roofline/ingest/import_sink.hpp"

namespace roofline::formats {

/// One row of a table of GPU work as nvprof (--print-gpu-trace) and nsys (cuda_gpu_trace) print it:
/// a kernel, a copy or a set.
struct GpuTraceRow {
  std::uint64_t start = 0, duration = 0;  ///< ns
  std::array<std::uint64_t, 3> grid{}, block{};
  std::uint64_t registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0, bytes = 0;
  std::uint64_t context = 0, stream = 0, correlation = 0;
  std::string_view device, name, source;  ///< device: "GeForce RTX 2080 Ti (0)"; source: "Pageable"
  std::uint64_t ordinal = 0;              ///< of a device that is not named
};

/// "[CUDA memcpy HtoD]" and "[CUDA memset]" are no kernels.
bool is_copy_row(std::string_view name);

/// The last number in round brackets of "GeForce RTX 2080 Ti (0)", and the name before it.
std::pair<std::string_view, std::uint64_t> split_device(std::string_view text);

class GpuTraceRows {
 public:
  explicit GpuTraceRows(ImportSink& sink) : sink_(sink) {}
  void add(const GpuTraceRow& row);
  void finish();  ///< writes the devices, in the order of their use

 private:
  ImportSink& sink_;
  std::map<std::string, std::uint64_t, std::less<>> devices_;  // text -> ordinal
};

}  // namespace roofline::formats
