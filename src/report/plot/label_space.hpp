#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/plot/roofline_plot.hpp"

namespace roofline::plot {

inline constexpr std::size_t kNobody = static_cast<std::size_t>(-1);  ///< PlotLabel::owner
inline constexpr double kLabelGap = 4;  ///< pixels between a mark and a label beside it
inline constexpr double kAscent = 0.8,  ///< of the size: what letters take above the base line
    kDescent = 0.22;                    ///< and below it

double label_width(const PlotLabel& label);
/// The turned rectangle that `label` covers with its base line starting at `at`.
Quad box_of(const PlotLabel& label, Point at);
Rect bounds(const Quad& quad);

/// What labels keep off, and the search for a free place. Labels and leaders are never covered;
/// marks and lines as far as is tolerated.
class LabelSpace {
 public:
  /// How much a place may cover: nothing; lines; lines and marks.
  enum class Tolerance { none, lines, marks };

  explicit LabelSpace(const RooflinePlot& plot);

  bool is_free(const Quad& box, Tolerance tolerance, std::size_t owner) const;
  void add(const PlotLabel& label);

  /// `label` at the first free of `candidates`; nullopt: none is.
  std::optional<PlotLabel> first_free(PlotLabel label, std::span<const Point> candidates,
                                      Tolerance tolerance) const;
  /// `label` at the best place round its mark. Where another mark stands nearer to it, or its own
  /// stands off, it gets a leader; a place whose leader would cross a label or another leader is
  /// none. nullopt: there is no place within 60 pixels.
  std::optional<PlotLabel> beside(PlotLabel label, const PlotMark& mark) const;

 private:
  struct Obstacle {
    Quad box;
    Rect bounds;
    std::size_t owner;
  };
  static Obstacle obstacle(const Quad& box, std::size_t owner);
  bool hits(const std::vector<Obstacle>& all, const Quad& box, const Rect& around,
            std::size_t owner) const;
  std::optional<double> cost(PlotLabel& label, const PlotMark& mark, double limit) const;
  bool nearer_to_another(const Rect& box, std::size_t owner, double gap) const;

  const RooflinePlot& plot_;
  std::vector<Obstacle> marks_, rings_, lines_, labels_, leaders_;
};

}  // namespace roofline::plot
