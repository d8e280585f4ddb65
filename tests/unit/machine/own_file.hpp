#pragma once

#include <string>
#include <string_view>

#include "roofline/machine/catalog.hpp"

namespace roofline {

/// A small file of a user's own that reads and verifies; tests change one thing in it.
inline constexpr std::string_view kOwnFile = R"(schema: roofline.gpu/1
id: my-card
name: My card
vendor: acme
sources:
  sheet: "Data sheet of my card"
  test: {title: "my test", seen: direct}
sm_count: {value: 10, source: sheet}
clocks:
  boost: {value: 1 GHz, source: sheet}
dram:
  capacity: {value: 24 GiB, source: sheet}
  bus: {value: 256 bit, source: sheet}
  data_rate: {value: 10 Gbit/s, source: sheet}
  bandwidth: {value: 320 GB/s, source: [sheet, test]}
  measured: {value: 280 GB/s, pattern: copy, measured_by: me, source: test}
peaks:
  vector:
    fp32: {dense: 2.56 TFLOP/s, fma_per_clock_per_sm: 128, clock: boost, source: sheet}
  tensor:
    bf16: {dense: 10.24 TFLOP/s, sparse: 20.48 TFLOP/s, fma_per_clock_per_sm: 512, clock: boost, source: sheet}
    fp8: {dense: 20.48 TFLOP/s, fma_per_clock_per_sm: 1024, clock: boost, accumulate: fp32, source: sheet}
    int8: {dense: 20.48 TOP/s, fma_per_clock_per_sm: 1024, clock: boost, source: sheet}
)";

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  return at == std::string::npos ? "NOT FOUND: " + std::string(from) : text.replace(at, from.size(), to);
}

inline Checked<Gpu> read_own(std::string text) {
  const auto document = read_yaml(std::move(text), "own.yaml");
  if (!document) return tl::unexpected(document.error());
  return read_gpu(*document);
}

}  // namespace roofline
