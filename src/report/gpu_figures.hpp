#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/machine/gpu.hpp"

namespace roofline {

/// One figure of an entry, ready to be printed: what `gpus show` lists outside the table of peaks.
struct FigureRow {
  std::string_view group;  ///< "Memory"
  std::string_view title;  ///< "DRAM bandwidth"
  std::string_view key;    ///< of JSON, ends in its unit: "dram_bandwidth_bytes_per_s"
  std::string text;        ///< "3.35 TB/s"
  double value = 0;        ///< base units
  Origin origin;
};

/// The figures that the entry has, in the order of the printed groups.
std::vector<FigureRow> figure_rows(const Gpu& gpu);

/// One arithmetic ceiling with what it is printed as.
struct PeakRow {
  std::string_view path;  ///< "vector", "tensor", "mma.sync"
  RateType type;
  const Peak* peak;
};
std::vector<PeakRow> peak_rows(const Gpu& gpu);

/// "?" for a doubtful figure, "~" for an unconfirmed one, else nothing.
std::string_view flag_mark(const Origin& origin);
/// The same of a quotient: the worse of the two.
std::string_view flag_mark(const Origin& a, const Origin& b);

bool is_integer_rate(RateType type);            ///< counted in op/s
std::string tera_text(FlopRate rate);            ///< in 10^12 per second: "989.4", "1978.9"
double ridge(const Gpu& gpu, const Peak& peak);  ///< dense peak / DRAM bandwidth, FLOP/B
std::string ridge_text(double ridge);            ///< whole numbers from 10 on

/// Figures of the entry that carry a flag.
struct FlagCounts {
  int unconfirmed = 0, doubtful = 0;
};
FlagCounts count_flags(const Gpu& gpu);

}  // namespace roofline
