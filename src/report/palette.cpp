#include "report/palette.hpp"

namespace roofline {
namespace {

struct Row {
  Ink ink;
  std::string_view name, light, dark, print;
};
constexpr Row kInkTable[kInks] = {
    {Ink::background, "background", "#ffffff", "#0d1117", "#ffffff"},
    {Ink::memory_region, "memory-region", "#f1f6fa", "#0e1620", "#ffffff"},
    {Ink::compute_region, "compute-region", "#fdf5f0", "#17130f", "#ffffff"},
    {Ink::text, "text", "#111111", "#e6edf3", "#000000"},
    {Ink::muted, "muted", "#4a5158", "#9ba6b2", "#333333"},
    {Ink::grid, "grid", "#d8dde2", "#262d36", "#c8c8c8"},
    {Ink::roof, "roof", "#111111", "#e6edf3", "#000000"},
    {Ink::ghost, "ghost", "#767c83", "#858e99", "#666666"},
    {Ink::memory, "memory", "#0064a8", "#4fa3e0", "#0064a8"},
    {Ink::compute, "compute", "#c8500a", "#e8701a", "#c8500a"},
    {Ink::overhead, "overhead", "#111111", "#f7f2dc", "#111111"},
    {Ink::other, "other", "#8e8e8e", "#7d8590", "#8e8e8e"},
    {Ink::on_memory, "on-memory", "#ffffff", "#0d1117", "#ffffff"},
    {Ink::on_compute, "on-compute", "#ffffff", "#0d1117", "#ffffff"},
    {Ink::on_overhead, "on-overhead", "#ffffff", "#0d1117", "#ffffff"},
    {Ink::on_other, "on-other", "#000000", "#000000", "#000000"},
};
constexpr const Row& row(Ink ink) { return kInkTable[static_cast<std::size_t>(ink)]; }
consteval bool in_order() {
  for (std::size_t i = 0; i < kInks; ++i)
    if (static_cast<std::size_t>(kInkTable[i].ink) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::string_view ink_name(Ink ink) { return row(ink).name; }

std::string_view colour(Theme theme, Ink ink) {
  switch (theme) {
    case Theme::light: return row(ink).light;
    case Theme::dark: return row(ink).dark;
    case Theme::print: break;
  }
  return row(ink).print;
}

Ink ink_of(const ChartKernel& kernel) {
  if (kernel.balanced) return Ink::other;
  switch (kernel.bound) {
    case Bound::memory: return Ink::memory;
    case Bound::compute: return Ink::compute;
    case Bound::overhead: return Ink::overhead;
    case Bound::link:
    case Bound::unknown: break;
  }
  return Ink::other;
}

Ink ink_on(Ink mark) {
  switch (mark) {
    case Ink::memory: return Ink::on_memory;
    case Ink::compute: return Ink::on_compute;
    case Ink::overhead: return Ink::on_overhead;
    default: return Ink::on_other;
  }
}

}  // namespace roofline
