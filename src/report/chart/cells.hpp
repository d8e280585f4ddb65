#pragma once

#include <span>
#include <string>
#include <string_view>

#include "roofline/report/chart.hpp"

namespace roofline {

/// A column of the table beside a picture: the same in SVG, HTML and Markdown.
struct ChartColumn {
  std::string_view key;  ///< stable: of HTML's data and the URL
  std::string_view title;
  bool right = false;  ///< a figure
  double pixels = 0;   ///< in an SVG; 0: what is left
  std::string (*cell)(const ChartKernel&);
  /// To sort by; NaN: nothing. nullptr: sorted by its text.
  double (*value)(const ChartKernel&) = nullptr;
  bool (*wanted)(const Chart&) = nullptr;  ///< nullptr: always
};
inline constexpr double kNumberPixels = 34;

/// The columns that this chart has something to say in.
std::vector<ChartColumn> chart_columns(const Chart& chart);

/// "H100: DRAM 3.35 TB/s; ceilings: datasheet, dense; 1 FMA = 2 FLOP; 5 runs; roofline 0.1.0": what
/// a picture needs to be made again.
std::string caption_of(const Chart& chart);

}  // namespace roofline
