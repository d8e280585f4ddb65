#include "report/plot/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::plot {
namespace {

constexpr double kSmall = 11;
constexpr std::size_t kNameColumns = 26;
using Tolerance = LabelSpace::Tolerance;

std::string kind_suffix(CeilingKind kind) {
  return kind == CeilingKind::datasheet ? std::string()
                                        : fmt::format(" ({})", ceiling_kind_name(kind));
}

/// "BF16 tensor, dense, FP16 tensor, dense 989.4 TFLOP/s" of roofs at one height would repeat
/// itself: "BF16, FP16 tensor, dense".
std::string joined_titles(std::vector<std::string> titles) {
  if (titles.size() < 2) return titles.empty() ? std::string() : titles.front();
  const auto tail = titles.front().find(' ');
  const bool same =
      tail != std::string::npos &&
      std::all_of(titles.begin(), titles.end(), [&](const std::string& title) {
        const auto cut = title.find(' ');
        return cut != std::string::npos && title.substr(cut) == titles.front().substr(tail);
      });
  if (!same) return joined(titles, "; ");
  std::vector<std::string> heads;
  for (const auto& title : titles) heads.push_back(title.substr(0, title.find(' ')));
  return joined(heads, "/") + titles.front().substr(tail);
}

}  // namespace

void LabelPlacer::keep(PlotLabel label) {
  space_.add(label);
  plot_.labels.push_back(std::move(label));
}

bool LabelPlacer::keep_found(std::optional<PlotLabel> label) {
  if (!label) return false;
  keep(std::move(*label));
  return true;
}

/// Along its line to the place that is furthest from every mark.
void LabelPlacer::slope_label(const PlotRoof& roof, const std::string& text) {
  PlotLabel label{.kind = LabelKind::roof,
                  .text = text,
                  .angle = std::atan2(roof.b.y - roof.a.y, roof.b.x - roof.a.x),
                  .size = 12,
                  .owner = kNobody};
  // It ends before its line does, where there is room for that.
  const double last = 1 - label_width(label) / std::max(distance(roof.a, roof.b), 1.0);
  constexpr int kSteps = 60;
  constexpr double kAbove[] = {5, -17, -29};  // pixels: best above its line
  std::optional<std::pair<double, PlotLabel>> best;
  // Beyond the end of its line it is easier to read than over a mark.
  struct Attempt {
    Tolerance tolerance;
    bool beyond;
  };
  constexpr Attempt kAttempts[] = {{Tolerance::none, false},
                                   {Tolerance::lines, false},
                                   {Tolerance::none, true},
                                   {Tolerance::lines, true},
                                   {Tolerance::marks, false}};
  for (const auto [tolerance, beyond] : kAttempts) {
    for (int step = 1; step < 3 * kSteps; ++step) {
      const double t = static_cast<double>(step % kSteps) / kSteps;
      if (!beyond && t > last && t > 1.5 / kSteps) continue;
      const double up = kAbove[step / kSteps];
      label.at = {roof.a.x + t * (roof.b.x - roof.a.x) + std::sin(label.angle) * up,
                  roof.a.y + t * (roof.b.y - roof.a.y) - std::cos(label.angle) * up};
      label.box = box_of(label, label.at);
      if (!space_.is_free(label.box, tolerance, kNobody)) continue;
      const auto box = bounds(label.box);
      const Point centre{(box.left + box.right) / 2, (box.top + box.bottom) / 2};
      // Further away than 200 pixels is not better: then the middle of the line is.
      double room = 200;
      for (const auto& mark : plot_.marks) {
        const double dx = std::abs(centre.x - mark.at.x), dy = std::abs(centre.y - mark.at.y);
        if (std::max(dx, dy) - mark.radius < room)
          room = std::min(room, std::sqrt(dx * dx + dy * dy) - mark.radius);
      }
      room -= std::abs(t - 0.4) * 20 + (up < 0 ? -up : 0);
      if (!best || room > best->first) best.emplace(room, label);
    }
    if (best) return keep(std::move(best->second));
  }
}

void LabelPlacer::level_label(const PlotRoof& roof, const std::string& text) {
  PlotLabel label{.kind = LabelKind::roof, .text = text, .size = 12, .owner = kNobody};
  const double width = text_width(text, label.size);
  // On its line; only where that is full, left of where the line starts.
  std::vector<Point> on_line, left_of_it;
  for (double right = roof.b.x - 6; right - width >= plot_.frame.area.left; right -= 16)
    for (const double down : {-5.0, 14.0})
      (right - width >= roof.a.x ? on_line : left_of_it)
          .push_back({right - width, roof.a.y + down});
  for (const auto* candidates : {&on_line, &left_of_it})
    for (const auto tolerance : {Tolerance::none, Tolerance::lines})
      if (keep_found(space_.first_free(label, *candidates, tolerance))) return;
  if (!keep_found(space_.first_free(label, on_line, Tolerance::marks)))
    keep_found(space_.first_free(label, left_of_it, Tolerance::marks));
}

void LabelPlacer::roofs(const Chart& chart) {
  std::vector<bool> done(plot_.roofs.size());
  for (std::size_t i = 0; i < plot_.roofs.size(); ++i) {
    if (done[i]) continue;
    const auto& roof = chart.roofs[plot_.roofs[i].roof];
    std::vector<std::string> titles;
    for (std::size_t j = i; j < plot_.roofs.size(); ++j) {
      const auto& other = chart.roofs[plot_.roofs[j].roof];
      if (other.unit != roof.unit || other.kind != roof.kind || other.per_second != roof.per_second)
        continue;
      done[j] = true;
      titles.push_back(other.title);
    }
    const auto text = joined_titles(std::move(titles)) + " " +
                      format_quantity(roof.per_second, roof.unit) + kind_suffix(roof.kind);
    if (roof.is_slope())
      slope_label(plot_.roofs[i], text);
    else
      level_label(plot_.roofs[i], text);
  }
}

void LabelPlacer::ridges() {
  for (const auto& ridge : plot_.ridges) {
    const double rounded = ridge.intensity >= 10 ? std::round(ridge.intensity) : ridge.intensity;
    PlotLabel label{.kind = LabelKind::ridge,
                    .text = "ridge " + format_number(rounded),
                    .size = kSmall,
                    .owner = kNobody};
    const double width = text_width(label.text, label.size);
    std::vector<Point> candidates;
    for (double y = plot_.frame.area.bottom - 6; y > ridge.top + 20; y -= 14)
      for (const double x : {ridge.x + kLabelGap, ridge.x - kLabelGap - width})
        candidates.push_back({x, y});
    if (!keep_found(space_.first_free(label, candidates, Tolerance::none)))
      keep_found(space_.first_free(label, candidates, Tolerance::marks));
  }
}

/// Smaller marks are drawn over larger ones: a number under them cannot be read, and is not kept.
bool LabelPlacer::number_inside(PlotLabel label, const PlotMark& mark) {
  const double width = label_width(label);
  if (mark.edge != Edge::none || width + 4 > 1.7 * mark.radius) return false;
  label.inside = true;
  label.at = {mark.at.x - width / 2, mark.at.y + label.size * 0.36};
  label.box = box_of(label, label.at);
  if (!space_.is_free(label.box, Tolerance::lines, label.owner)) return false;
  keep(std::move(label));
  return true;
}

void LabelPlacer::kernels(const Chart& chart, std::size_t numbered) {
  // By number, so that where there is no room for all, the heaviest kernels keep theirs.
  std::vector<std::size_t> order(plot_.marks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plot_.marks[a].kernel < plot_.marks[b].kernel;
  });
  for (const auto i : order) {
    const auto& mark = plot_.marks[i];
    const auto& kernel = chart.kernels[mark.kernel];
    if (!kernel.point.empty()) {
      keep_found(space_.beside({.kind = LabelKind::point,
                                .text = format_number(kernel.point_value),
                                .size = kSmall,
                                .owner = i},
                               mark));
      continue;
    }
    if (kernel.number > numbered) continue;
    const PlotLabel number{.kind = LabelKind::number,
                           .text = std::to_string(kernel.number),
                           .size = kSmall,
                           .owner = i};
    const bool inside = number_inside(number, mark);
    if (kernel.number <= kMostNames) {
      const auto name = shortened(kernel.name, kNameColumns);
      PlotLabel label{.kind = LabelKind::name, .text = name, .size = kSmall, .owner = i};
      if (!inside) {
        label.strong = number.text;
        label.text = " " + name;
      }
      if (keep_found(space_.beside(std::move(label), mark))) continue;
    }
    if (!inside) keep_found(space_.beside(number, mark));
  }
  if (chart.swept) series_ends();
}

void LabelPlacer::crossings() {
  for (const auto& series : plot_.series) {
    if (!series.crossing) continue;
    PlotMark at;
    at.at = *series.crossing;
    keep_found(space_.beside({.kind = LabelKind::crossing,
                              .text = series.crossing_text,
                              .size = kSmall,
                              .owner = kNobody},
                             at));
  }
}

void LabelPlacer::series_ends() {
  for (const auto& series : plot_.series) {
    const auto end = series.marks.back();
    keep_found(space_.beside({.kind = LabelKind::name,
                              .text = shortened(series.name, kNameColumns),
                              .size = kSmall,
                              .owner = end},
                             plot_.marks[end]));
  }
}

}  // namespace roofline::plot
