#pragma once

#include <array>
#include <string_view>

#include "roofline/report/chart.hpp"

namespace roofline {

/// What a colour is for. A theme gives each role its colour.
enum class Ink {
  background,
  memory_region,
  compute_region,
  text,
  muted,
  grid,
  roof,
  ghost,
  memory,
  compute,
  overhead,
  other,
  on_memory,
  on_compute,
  on_overhead,
  on_other,
};
inline constexpr std::size_t kInks = 16;
std::string_view ink_name(Ink ink);  ///< "memory-region": of a CSS variable

/// "#0064a8". Marks: at least 3:1 on the background and both regions, 30 or more apart (CIE76) for
/// every pair, with normal vision and with the three simulations of its lack; text at least 4.5:1
/// on what it stands on. A test computes all of it.
std::string_view colour(Theme theme, Ink ink);

/// What a kernel is drawn in: its bound's colour, and that of text on it.
Ink ink_of(const ChartKernel& kernel);
Ink ink_on(Ink mark);

}  // namespace roofline
