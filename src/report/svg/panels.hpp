#pragma once

#include <span>
#include <string>

#include "report/plot/bars.hpp"
#include "report/plot/roofline_plot.hpp"
#include "report/svg/canvas.hpp"

/// The parts of the picture. Each draws one thing and says how far down it reached.
namespace roofline::svg {

struct Sheet {
  const Chart& chart;
  const plot::RooflinePlot& plot;
  const PictureOptions& options;
};

/// What a kernel's mark says when it is pointed at, or read aloud.
std::string mark_text(const ChartKernel& kernel);

/// Axes, regions, roofs, ridges, marks and labels.
void draw_plot(Canvas& canvas, const Sheet& sheet);
/// What the shapes mean; only those that are there. Returns the bottom.
double draw_legend(Canvas& canvas, const Sheet& sheet, plot::Point at, double right);
/// Floor and excess, linear. Returns the bottom.
double draw_bars(Canvas& canvas, const Chart& chart, const plot::Rect& area);
/// The kernels by number. Returns the bottom.
double draw_table(Canvas& canvas, const Sheet& sheet, double left, double right, double top);
/// What is needed to reproduce the picture, and what was lost. Returns the bottom.
double draw_caption(Canvas& canvas, const Sheet& sheet, double left, double right, double top);

/// Charts of one size on the same axes, two side by side, each under its title. Returns the bottom.
double draw_grid(Canvas& canvas, std::span<const Chart> charts, const PictureOptions& options,
                 double left, double right, double top);

/// What a kernel with a history took over its runs, for a page of HTML: an svg element.
void write_inline_sparkline(XmlWriter& xml, const ChartKernel& kernel);

/// The chart and the bars of one GPU alone, for a page of HTML: an svg element without a table.
void write_inline_svg(XmlWriter& xml, const Chart& chart, const PictureOptions& options,
                      std::string_view id);

}  // namespace roofline::svg
