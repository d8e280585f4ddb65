#pragma once

#include <optional>
#include <string>

#include "report/plot/label_space.hpp"

namespace roofline::plot {

/// Puts labels where nothing is yet: a label is never laid over another one.
class LabelPlacer {
 public:
  explicit LabelPlacer(RooflinePlot& plot) : plot_(plot), space_(plot) {}

  /// Each roof's name and value on its line; of roofs at one height one label.
  void roofs(const Chart& chart);
  void ridges();
  /// Numbers in or beside marks, as far as there is room, the heaviest kernels with their names; of
  /// a sweep the swept values, and the names at the ends of its lines.
  void kernels(const Chart& chart, std::size_t numbered);
  void crossings();

 private:
  void keep(PlotLabel label);
  bool keep_found(std::optional<PlotLabel> label);
  void slope_label(const PlotRoof& roof, const std::string& text);
  void level_label(const PlotRoof& roof, const std::string& text);
  bool number_inside(PlotLabel label, const PlotMark& mark);
  void series_ends();

  RooflinePlot& plot_;
  LabelSpace space_;
};

}  // namespace roofline::plot
