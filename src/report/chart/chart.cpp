#include "roofline/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "report/chart/numbering.hpp"
#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

bool is_positive(std::optional<double> value) {
  return value && *value > 0 && std::isfinite(*value);
}

double sum(const std::vector<ChartKernel>& kernels, double (ChartKernel::*figure)() const) {
  double total = 0;
  for (const auto& kernel : kernels) total += (kernel.*figure)();
  return total;
}

/// Most time first; the rest makes the order the same whatever order the file had.
bool goes_before(const ChartKernel& a, const ChartKernel& b) {
  const auto key = [](const ChartKernel& k) {
    return std::tie(k.name, k.full_name, k.point_value, k.point);
  };
  const double ta = a.total_time(), tb = b.total_time();
  return ta != tb ? ta > tb : key(a) < key(b);
}

/// A sum over the points of a sweep would mean nothing: what the least and the most is.
std::string sweep_sentence(const Chart& chart) {
  std::set<std::string_view> names;
  double least = 0, most = 0;
  for (const auto& kernel : chart.kernels) {
    names.insert(kernel.name);
    const double value = chart.measured ? kernel.total_time() : kernel.total_floor();
    if (value <= 0) continue;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return fmt::format(
      "{} at {} points: {} from {} to {}.",
      names.size() == 1 ? shortened(*names.begin(), 48) : fmt::format("{} kernels", names.size()),
      chart.kernels.size() / names.size(), chart.measured ? "time" : "floor",
      format_seconds(Seconds(least)), format_seconds(Seconds(most)));
}

std::string heaviest_to_win(const Chart& chart) {
  const ChartKernel* most = nullptr;
  for (const auto& kernel : chart.kernels)
    if (!most || kernel.recoverable() > most->recoverable()) most = &kernel;
  if (!most || most->recoverable() <= 0 || chart.kernels.size() == 1) return {};
  return fmt::format(", {} of it in {}", format_seconds(Seconds(most->recoverable())),
                     shortened(most->name, 48));
}

}  // namespace

double ChartKernel::recoverable() const {
  return time_s && floor_s ? launches * std::max(0.0, *time_s - *floor_s) : 0;
}

std::optional<double> ChartKernel::achieved_flop_rate() const {
  if (!is_positive(time_s) || flops <= 0) return std::nullopt;
  return flops / *time_s;
}

std::optional<double> ChartKernel::attainable_flop_rate() const {
  if (!is_positive(floor_s) || flops <= 0) return std::nullopt;
  return flops / *floor_s;
}

std::optional<double> ChartKernel::achieved_bandwidth() const {
  const double moved = dram_bytes.value_or(bytes);
  if (!is_positive(time_s) || moved <= 0) return std::nullopt;
  return moved / *time_s;
}

bool ChartKernel::placeable() const {
  const auto rate = achieved_flop_rate() ? achieved_flop_rate() : attainable_flop_rate();
  return is_positive(placed_intensity()) && is_positive(rate);
}

double Chart::total_time() const { return sum(kernels, &ChartKernel::total_time); }
double Chart::total_floor() const { return sum(kernels, &ChartKernel::total_floor); }
double Chart::recoverable() const { return sum(kernels, &ChartKernel::recoverable); }

const ChartRoof* Chart::dram() const {
  for (const auto& roof : roofs)
    if (roof.resource == "dram" && roof.kind == CeilingKind::datasheet) return &roof;
  return nullptr;
}

void number_kernels(Chart& chart) {
  std::sort(chart.kernels.begin(), chart.kernels.end(), goes_before);
  const double total = chart.total_time();
  std::size_t number = 0;
  for (auto& kernel : chart.kernels) {
    kernel.number = ++number;
    kernel.share = total > 0 ? kernel.total_time() / total : 0;
    chart.measured = chart.measured || kernel.time_s.has_value();
    chart.swept = chart.swept || !kernel.point.empty();
  }
}

void mark_used_roofs(Chart& chart) {
  const auto meets = [&](const ChartRoof& roof) {
    return std::any_of(chart.kernels.begin(), chart.kernels.end(), [&](const ChartKernel& kernel) {
      return kernel.pipe == roof.resource || kernel.limiter == roof.resource;
    });
  };
  for (auto& roof : chart.roofs) roof.used = roof.resource == "dram" || meets(roof);
  const bool some_level = std::any_of(chart.roofs.begin(), chart.roofs.end(), [](const auto& roof) {
    return roof.used && roof.is_level();
  });
  if (some_level) return;
  // Nothing says which datapath: the two that everybody knows.
  for (auto& roof : chart.roofs)
    roof.used = roof.used || roof.resource == "tensor:bf16" || roof.resource == "vector:fp32";
}

void set_before(Chart& chart, const Chart& before) {
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, const ChartKernel*> known;
  for (const auto& kernel : before.kernels) known.emplace(Key(kernel.name, kernel.point), &kernel);
  chart.before.clear();
  std::size_t found = 0;
  for (const auto& kernel : chart.kernels) {
    const auto match = known.find(Key(kernel.name, kernel.point));
    if (match == known.end()) continue;
    ++found;
    chart.before.push_back(*match->second);
    chart.before.back().number = kernel.number;
  }
  chart.conditions.push_back(fmt::format("before: {}", before.source));
  if (found < chart.kernels.size())
    chart.warnings.push_back(fmt::format("{} of {} kernels are not in {}",
                                         chart.kernels.size() - found, chart.kernels.size(),
                                         before.source));
}

std::vector<Chart> split_by_datapath(const Chart& chart) {
  std::vector<Chart> parts;
  for (const auto& kernel : chart.kernels) {
    if (!kernel.placeable()) continue;
    auto part = std::find_if(parts.begin(), parts.end(), [&](const Chart& other) {
      return other.kernels.front().pipe == kernel.pipe;
    });
    if (part == parts.end()) {
      auto fresh = chart;
      fresh.kernels.clear();
      part = parts.insert(parts.end(), std::move(fresh));
    }
    part->kernels.push_back(kernel);
  }
  for (auto& part : parts) {
    mark_used_roofs(part);
    const auto& pipe = part.kernels.front().pipe;
    part.gpu_name = pipe.empty() ? "datapath not known" : pipes_text(pipe, {});
  }
  return parts;
}

std::string chart_sentence(const Chart& chart) {
  if (chart.kernels.empty()) return "No kernels: nothing was described or measured.";
  if (chart.swept) return sweep_sentence(chart);
  const auto count = chart.kernels.size() == 1 ? std::string("1 kernel")
                                               : fmt::format("{} kernels", chart.kernels.size());
  const bool one = chart.kernels.size() == 1;
  const double floor = chart.total_floor();
  if (!chart.measured)
    return fmt::format("{} {} a floor of {}; no time was given.", count, one ? "has" : "have",
                       format_seconds(Seconds(floor)));
  double judged = 0;  // a time without a floor is no part of a ratio
  for (const auto& kernel : chart.kernels)
    if (kernel.time_s && kernel.floor_s) judged += kernel.total_time();
  auto text = fmt::format("{} {} {}", count, one ? "takes" : "take",
                          format_seconds(Seconds(chart.total_time())));
  if (floor <= 0 || judged <= 0) return text + "; no floor is known.";
  const auto floor_text = format_seconds(Seconds(floor));
  text += judged < 0.999 * chart.total_time()
              ? fmt::format("; {} of it has a floor, {}",
                            phrases::percent(judged / chart.total_time()), floor_text)
              : fmt::format(", {} {} floor of {}", phrases::times(judged / floor),
                            one ? "its" : "their", floor_text);
  return text + fmt::format("; {} could be won back{}.",
                            format_seconds(Seconds(chart.recoverable())), heaviest_to_win(chart));
}

std::optional<Theme> find_theme(std::string_view name) {
  constexpr std::pair<std::string_view, Theme> kThemes[] = {
      {"light", Theme::light}, {"dark", Theme::dark}, {"print", Theme::print}};
  for (const auto& [word, theme] : kThemes)
    if (word == name) return theme;
  return std::nullopt;
}

}  // namespace roofline
