#pragma once

#include <functional>
#include <span>
#include <vector>

#include "report/plot/roofline_plot.hpp"

namespace roofline::plot {

/// Puts labels where nothing is yet: a label is never laid over another one.
class LabelPlacer {
 public:
  explicit LabelPlacer(RooflinePlot& plot);

  /// Each roof's name and value on its line; of roofs at one height one label.
  void roofs(const Chart& chart);
  void ridges();
  /// Numbers in or beside marks, as far as there is room; of a sweep the swept values.
  void numbers(const Chart& chart, std::size_t numbered);
  void names(const Chart& chart);
  void crossings();

 private:
  struct Obstacle {
    Quad box;
    std::size_t owner;
  };
  /// How much a place may cover: nothing; lines; lines and marks.
  enum class Tolerance { none, lines, marks };

  bool is_free(const Quad& box, Tolerance tolerance, std::size_t owner) const;
  bool place(PlotLabel label, std::span<const Point> candidates, Tolerance tolerance);
  void keep(PlotLabel label);
  void slope_label(const PlotRoof& roof, const std::string& text);
  void level_label(const PlotRoof& roof, const std::string& text);
  bool beside(PlotLabel label, const PlotMark& mark);

  RooflinePlot& plot_;
  std::vector<Obstacle> marks_;
  std::vector<Quad> lines_;
};

}  // namespace roofline::plot
