#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {
namespace {

/// `name` as a scalar of YAML in single quotes; nothing in it means anything there.
std::string yaml_quoted(std::string_view name) {
  std::string text = "'";
  for (const char c : printable(name)) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

/// An id that no other entry has, from a kernel's name.
std::string id_for(std::string_view name, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 60;
  std::string id;
  for (const char c : name.substr(0, kLongest)) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (word || (!id.empty() && id.back() != '_')) id += word ? c : '_';
  }
  while (!id.empty() && id.back() == '_') id.pop_back();
  if (id.empty()) id = "kernel";
  std::string unique = id;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", id, n);
  return unique;
}

/// Three digits, rounded up: a limit stands above what was measured.
double rounded_up(double value) {
  if (!(value > 0)) return 0;
  const double step = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::ceil(value / step - 1e-9) * step;
}

class Draft {
 public:
  Draft(const ResultRecord& result, const GateDraftOptions& options)
      : result_(result), options_(options) {}

  std::string write() {
    const auto order = by_time();
    text_ = fmt::format(
        "# From {}: every limit is what was measured there plus {:.0f} %. Read each of them; what "
        "physics says\n"
        "# (a `spec:` with max_time_over_floor, max_excess_traffic) holds longer than what was "
        "measured once.\n"
        "schema: roofline.gate/1\n",
        printable(options_.source), options_.margin * 100);
    if (!result_.gpu.id.empty()) text_ += fmt::format("gpu: {}\n", result_.gpu.id);
    text_ += "\nkernels:\n";
    for (const auto index : order) write_kernel(result_.kernels[index]);
    if (order.size() < result_.kernels.size())
      text_ +=
          fmt::format("  # and {} kernels with less time\n", result_.kernels.size() - order.size());
    write_ranges();
    return std::move(text_);
  }

 private:
  static double time_of(const ResultKernel& kernel) {
    if (kernel.time_share) return *kernel.time_share;
    if (!kernel.measured || !kernel.measured->time) return 0;
    return kernel.measured->time->value() * static_cast<double>(kernel.launches.value_or(1));
  }

  std::vector<std::size_t> by_time() const {
    std::vector<std::size_t> order(result_.kernels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return time_of(result_.kernels[a]) > time_of(result_.kernels[b]);
    });
    if (order.size() > options_.most) order.resize(options_.most);
    return order;
  }

  /// Of the kernels that fit, the place of `kernel`, from 1, and how many there are.
  template <class Fits>
  std::pair<std::size_t, std::size_t> place_among(const ResultKernel& kernel, Fits fits) const {
    std::size_t place = 0, all = 0;
    for (const auto& other : result_.kernels) {
      if (!fits(other)) continue;
      ++all;
      if (&other == &kernel) place = all;
    }
    return {place, all};
  }

  static std::string extent(const Extent& e) {
    return fmt::format("[{}, {}, {}]", e[0], e[1], e[2]);
  }

  std::string match_of(const ResultKernel& kernel) const {
    const auto same_name = [&](const ResultKernel& k) {
      return k.name == kernel.name &&
             (kernel.operation.empty() || k.operation == kernel.operation);
    };
    std::string text = "{name: " + yaml_quoted(kernel.name);
    if (!kernel.operation.empty()) text += ", operation: " + yaml_quoted(kernel.operation);
    if (place_among(kernel, same_name).second > 1) {
      if (kernel.grid) text += ", grid: " + extent(*kernel.grid);
      if (kernel.block) text += ", block: " + extent(*kernel.block);
      const auto [place, all] = place_among(kernel, [&](const ResultKernel& k) {
        return same_name(k) && k.grid == kernel.grid && k.block == kernel.block;
      });
      if (all > 1) text += fmt::format(", ordinal: {}", place);
    }
    return text + "}";
  }

  void limit(std::string_view key, const std::string& value) {
    limits_ += fmt::format("      {}: {}\n", key, value);
  }
  double above(double value) const { return rounded_up(value * (1 + options_.margin)); }

  void write_kernel(const ResultKernel& kernel) {
    limits_.clear();
    const auto* m = kernel.measured ? &*kernel.measured : nullptr;
    if (!kernel.bound.empty() && kernel.bound != "unknown")
      limit("bound", "[" + kernel.bound + "]");
    if (m && m->time && kernel.time_floor && *kernel.time_floor > Seconds(0))
      limit("max_time_over_floor",
            format_number(std::max(1.0, above(*m->time / *kernel.time_floor))));
    else if (m && m->time && *m->time > Seconds(0))
      limit("max_time", format_seconds(Seconds(above(m->time->value()))));
    if (m && m->excess_traffic)
      limit("max_excess_traffic", format_number(above(*m->excess_traffic)));
    else if (m && m->dram_bytes && *m->dram_bytes > Bytes(0))
      limit("max_dram_bytes", format_bytes(above(m->dram_bytes->value())));
    if (kernel.registers) limit("max_registers", std::to_string(*kernel.registers));
    if (kernel.spill_bytes) limit("max_spill_bytes", std::to_string(*kernel.spill_bytes));
    if (limits_.empty()) return;
    text_ += fmt::format("  - id: {}\n    match: {}\n    assert:\n{}", id_for(kernel.id, taken_),
                         match_of(kernel), limits_);
  }

  void write_ranges() {
    std::string ranges;
    for (const auto& range : result_.ranges) {
      std::optional<std::int64_t> least, most;
      for (const auto& run : range.runs) {
        if (!run.launches) continue;
        least = std::min(least.value_or(*run.launches), *run.launches);
        most = std::max(most.value_or(*run.launches), *run.launches);
      }
      if (!most || least != most) continue;
      ranges += fmt::format(
          "  - id: {}\n    match: {}\n    assert: {{max_launches: {}}}\n",
          id_for(range.name.empty() ? "whole_run" : range.name, taken_),
          range.name.empty() ? std::string("all") : "{nvtx: " + yaml_quoted(range.name) + "}",
          *most);
    }
    if (!ranges.empty()) text_ += "\nranges:\n" + ranges;
  }

  const ResultRecord& result_;
  const GateDraftOptions& options_;
  std::string text_, limits_;
  std::set<std::string> taken_;
};

}  // namespace

std::string draft_gate(const ResultRecord& result, const GateDraftOptions& options) {
  return Draft(result, options).write();
}

}  // namespace roofline
