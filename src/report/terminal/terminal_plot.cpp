#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/cells.hpp"
#include "report/page/phrases.hpp"
#include "report/plot/bars.hpp"
#include "report/plot/roofline_plot.hpp"
#include "report/table.hpp"
#include "report/terminal/screen.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using terminal::Screen;

constexpr std::size_t kAxisColumns = 7;    // "  1P +"
constexpr std::size_t kLabelColumns = 30;  // of roofs, at the right
constexpr std::size_t kUnitColumns = 11;   // of the axis, where no roof is named beside the chart
constexpr std::size_t kLabelsFrom = 76;    // columns: below, roofs are named under the chart
constexpr std::size_t kLeastRows = 14, kMostRows = 20;
constexpr std::size_t kMostBars = 12;
constexpr std::string_view kSymbols = "123456789abcdefghijklmnopqrstuvwxyz";

std::string seconds(double value) { return format_seconds(Seconds(value)); }

/// One character for a kernel: its number, then letters; of the rest a dot that the table does not
/// name.
std::string symbol(std::size_t number) {
  return number <= kSymbols.size() ? std::string(1, kSymbols[number - 1]) : "*";
}

std::string_view colour_of(const ChartKernel& kernel) {
  if (kernel.balanced) return "\x1b[1m";
  switch (kernel.bound) {
    case Bound::memory: return "\x1b[1;34m";
    case Bound::compute: return "\x1b[1;35m";
    case Bound::overhead: return "\x1b[1;33m";
    case Bound::link:
    case Bound::unknown: break;
  }
  return "\x1b[1m";
}

std::string painted(std::string_view text, std::string_view colour) {
  return std::string(colour) + std::string(text) + "\x1b[0m";
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

std::string name_of(const ChartKernel& kernel) {
  return kernel.point.empty() ? kernel.name : kernel.name + ", " + kernel.point;
}

// ---------------------------------------------------------------- bars

/// Widths of the parts of a line of bars, by what the terminal has.
struct BarColumns {
  std::size_t name = 0, bar = 0;
  bool times = true;  ///< time and floor besides what is to win

  BarColumns(std::size_t width, std::size_t longest_name) {
    times = width >= 72;
    name = std::clamp<std::size_t>(width / 4, 10, 36);
    name = std::min(name, std::max<std::size_t>(longest_name, 6));
    const std::size_t figures = times ? 33 : 11, rest = 4 + name + 1 + figures;
    bar = width > rest + 8 ? width - rest : 8;
  }
};

std::string bar_of(const plot::Bar& bar, std::size_t width, const ChartKernel& kernel,
                   const PictureOptions& options) {
  const auto columns = [&](double pixels) { return static_cast<std::size_t>(std::lround(pixels)); };
  const auto solid = std::min(
      columns(std::min(bar.floor_width, kernel.time_s ? bar.time_width : bar.floor_width)), width);
  const auto all = std::min(
      std::max(columns(bar.time_width), bar.time_width > 0 ? std::size_t{1} : std::size_t{0}),
      width);
  const auto above = all > solid ? all - solid : 0;
  auto floor = repeated(options.ascii ? "#" : "█", solid);
  if (options.colour && solid > 0) floor = painted(floor, colour_of(kernel));
  return floor + repeated(options.ascii ? "." : "░", above) +
         std::string(width - solid - above, ' ');
}

std::string bar_line(const Chart& chart, const plot::Bar& bar, const BarColumns& columns,
                     const PictureOptions& options) {
  const auto& kernel = chart.kernels[bar.kernel];
  const auto name = name_of(kernel);
  auto line = padded(symbol(kernel.number), 3, true) + " " +
              padded(shortened_middle(name, columns.name), columns.name) + " " +
              bar_of(bar, columns.bar, kernel, options);
  const auto figure = [&](bool known, double value) {
    line += padded(known ? seconds(value) : "-", 11, true);
  };
  if (columns.times) figure(kernel.time_s.has_value(), kernel.total_time());
  if (columns.times) figure(kernel.floor_s.has_value(), kernel.total_floor());
  if (chart.measured)
    figure(kernel.time_s && kernel.floor_s, kernel.recoverable());
  else if (!columns.times)
    figure(kernel.floor_s.has_value(), kernel.total_floor());
  return line;
}

void write_bars(const Chart& chart, const PictureOptions& options, const TextSink& sink) {
  if (chart.kernels.empty()) return sink("no kernels\n");
  std::size_t longest = 0;
  for (const auto& kernel : chart.kernels)
    longest = std::max(longest, display_width(name_of(kernel)));
  const BarColumns columns(options.width, longest);
  const auto panel = plot::layout_bars(
      chart, {0, 0, static_cast<double>(columns.bar), static_cast<double>(kMostBars)}, 1);
  const auto legend =
      options.ascii ? std::string("# floor  . above it") : std::string("█ floor  ░ above it");
  auto title =
      std::string(4 + columns.name + 1, ' ') + padded(shortened(legend, columns.bar), columns.bar);
  if (columns.times) title += padded("time", 11, true) + padded("floor", 11, true);
  if (chart.measured)
    title += padded("to win", 11, true);
  else if (!columns.times)
    title += padded("floor", 11, true);
  sink(title + "\n");
  for (const auto& bar : panel.bars) sink(bar_line(chart, bar, columns, options) + "\n");
  if (panel.left_out == 0) return;
  const auto rest = fmt::format("and {} more: {}, floor {}, {} to win", panel.left_out,
                                seconds(panel.left_out_time), seconds(panel.left_out_floor),
                                seconds(panel.left_out_win));
  sink("    " + wrapped(rest, options.width - 4, 4) + "\n");
}

// ---------------------------------------------------------------- the chart

/// The chart in cells: `frame` measures in dots, 2 x 4 to a cell.
struct CellPlot {
  Screen screen;
  plot::RooflinePlot plot;
  std::vector<std::string> right;  ///< of each row: what the roof at that height is
  std::vector<std::string> below;  ///< roofs that found no room beside it
};

std::string roof_words(const ChartRoof& roof) {
  auto title = roof.title;
  if (const auto comma = title.find(", dense"); comma != std::string::npos) title.erase(comma, 7);
  auto text = title + " " + format_quantity(roof.per_second, roof.unit);
  return roof.kind == CeilingKind::datasheet
             ? text
             : text + " (" + std::string(ceiling_kind_name(roof.kind)) + ")";
}

/// The highest level is a whole line, others are broken, so that they can be told apart.
void draw_line(Screen& screen, const plot::PlotRoof& line, bool broken, bool ascii) {
  const double dx = line.b.x - line.a.x, dy = line.b.y - line.a.y;
  if (ascii) {
    for (double x = std::max(0.0, line.a.x); x < line.b.x; x += 2) {
      const double y = line.a.y + (x - line.a.x) / dx * dy;
      const auto column = static_cast<std::size_t>(x / 2);
      if (y < 0 || (broken && column % 4 > 1)) continue;
      screen.put(column, static_cast<std::size_t>(y / 4), dy < 0 ? "/" : broken ? "-" : "=");
    }
    return;
  }
  const auto steps = static_cast<std::size_t>(std::max(std::abs(dx), std::abs(dy)) * 2);
  for (std::size_t i = 0; i <= steps; ++i) {
    const double t = steps > 0 ? static_cast<double>(i) / static_cast<double>(steps) : 0;
    const double x = line.a.x + t * dx, y = line.a.y + t * dy;
    if (!broken || static_cast<std::size_t>(x) % 6 < 3) screen.dot(x, y);
  }
}

void draw_roofs(const Chart& chart, const PictureOptions& options, CellPlot& cells) {
  const auto highest = std::min_element(cells.plot.roofs.begin(), cells.plot.roofs.end(),
                                        [](const auto& a, const auto& b) { return a.b.y < b.b.y; });
  for (auto roof = cells.plot.roofs.begin(); roof != cells.plot.roofs.end(); ++roof) {
    const auto& from = chart.roofs[roof->roof];
    // Two lines a third of a row apart would be one thick one: what was calibrated is named, not
    // drawn.
    if (from.kind != CeilingKind::datasheet) {
      cells.below.push_back(roof_words(from));
      continue;
    }
    const bool top = roof->b.y == highest->b.y;
    draw_line(cells.screen, *roof, from.is_level() && !top, options.ascii);
    const auto words = roof_words(from);
    if (from.is_slope() || options.width < kLabelsFrom) {
      cells.below.push_back(words);
      continue;
    }
    // Two roofs near each other: the nearest free line beside the chart.
    const auto row = static_cast<std::size_t>(std::max(0.0, roof->b.y / 4));
    bool found = false;
    for (const std::size_t away : {0, 1, 2, 3})
      for (const auto at : {row + away, row - away}) {
        if (found || at >= cells.right.size() || !cells.right[at].empty()) continue;
        cells.right[at] = words;
        found = true;
      }
    if (!found) cells.below.push_back(words);
  }
}

/// The nearest free cell of the row, first to the right.
std::optional<std::size_t> free_column(const std::vector<bool>& taken, std::size_t wanted) {
  for (std::size_t away = 0; away < taken.size(); ++away) {
    if (wanted + away < taken.size() && !taken[wanted + away]) return wanted + away;
    if (away <= wanted && !taken[wanted - away]) return wanted - away;
  }
  return std::nullopt;
}

void draw_marks(const Chart& chart, const PictureOptions& options, CellPlot& cells) {
  auto& screen = cells.screen;
  std::vector<std::vector<bool>> taken(screen.rows(), std::vector<bool>(screen.columns()));
  // By number: where marks crowd, the heaviest stand where they belong.
  auto marks = cells.plot.marks;
  std::sort(marks.begin(), marks.end(),
            [](const auto& a, const auto& b) { return a.kernel < b.kernel; });
  for (const auto& mark : marks) {
    const auto& kernel = chart.kernels[mark.kernel];
    const auto row =
        std::min(static_cast<std::size_t>(std::max(0.0, mark.at.y / 4)), screen.rows() - 1);
    const auto wanted =
        std::min(static_cast<std::size_t>(std::max(0.0, mark.at.x / 2)), screen.columns() - 1);
    if (kernel.number > kSymbols.size() && taken[row][wanted]) continue;
    const auto column = free_column(taken[row], wanted);
    if (!column) continue;
    taken[row][*column] = true;
    screen.put(*column, row, symbol(kernel.number),
               options.colour ? colour_of(kernel) : std::string_view());
  }
}

/// "  1T": of the rows in which a power of ten lies, every other one.
std::vector<std::string> row_labels(const plot::LogAxis& axis, std::size_t rows) {
  std::vector<std::string> labels(rows);
  std::size_t last = rows + 2;
  for (const auto& tick : plot::ticks(axis, true)) {
    if (tick.label.empty()) continue;
    const auto row =
        static_cast<std::size_t>(std::clamp(tick.at / 4, 0.0, static_cast<double>(rows) - 1));
    if (last <= row + 1) continue;
    last = row;
    labels[row] = tick.label;
    std::erase(labels[row], ' ');
  }
  return labels;
}

/// "FLOP/B", "op/B", "FLOP/B, op/B": of the marks.
std::string intensity_unit(const Chart& chart, const plot::RooflinePlot& plot) {
  bool flops = false, operations = false;
  for (const auto& mark : plot.marks)
    (chart.kernels[mark.kernel].work == WorkUnit::op ? operations : flops) = true;
  return !operations ? "FLOP/B" : flops ? "FLOP/B, op/B" : "op/B";
}

void write_x_axis(const plot::LogAxis& axis, std::size_t columns, bool ascii, std::string_view unit,
                  const TextSink& sink) {
  std::vector<std::string> line(columns, ascii ? "-" : "─");
  std::string labels(columns + 12, ' ');
  std::size_t free_from = 0;
  for (const auto& tick : plot::ticks(axis, false)) {
    if (tick.label.empty()) continue;
    const auto column = std::min(static_cast<std::size_t>(tick.at / 2), columns - 1);
    line[column] = ascii ? "+" : "┴";
    const auto text = tick.label.size() / 2;
    const auto start = column > text ? column - text : 0;
    if (start < free_from || start + tick.label.size() > labels.size()) continue;
    labels.replace(start, tick.label.size(), tick.label);
    free_from = start + tick.label.size() + 1;
  }
  std::string axis_line = std::string(kAxisColumns - 1, ' ') + (ascii ? "+" : "└");
  for (const auto& part : line) axis_line += part;
  sink(axis_line + "\n");
  const auto end = labels.find_last_not_of(' ');
  sink(std::string(kAxisColumns, ' ') + labels.substr(0, end + 1) + "  " + std::string(unit) +
       "\n");
}

/// "roofs: a; b" under the chart, as wide as the terminal.
void write_list(const std::vector<std::string>& words, std::string_view label, std::size_t width,
                const TextSink& sink) {
  if (words.empty()) return;
  const std::string margin(kAxisColumns, ' ');
  sink(
      margin +
      wrapped(fmt::format("{}{}", label, joined(words, "; ")), width - kAxisColumns, kAxisColumns) +
      "\n");
}

void write_chart(const Chart& chart, const PictureOptions& options, const TextSink& sink) {
  const bool labels_beside = options.width >= kLabelsFrom;
  const std::size_t taken = kAxisColumns + (labels_beside ? kLabelColumns : kUnitColumns);
  const std::size_t columns = options.width > taken + 20 ? options.width - taken : 20;
  const std::size_t rows = std::clamp(options.width / 5, kLeastRows, kMostRows);
  CellPlot cells{.screen = Screen(columns, rows),
                 .plot = {},
                 .right = std::vector<std::string>(rows),
                 .below = {}};
  cells.plot = plot::layout(
      chart, {.area = {0, 0, 2.0 * static_cast<double>(columns), 4.0 * static_cast<double>(rows)},
              .numbered = 0});
  draw_roofs(chart, options, cells);
  draw_marks(chart, options, cells);
  const auto labels = row_labels(cells.plot.frame.y, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool labelled = !labels[row].empty();
    auto line = padded(labels[row], kAxisColumns - 2, true) +
                (options.ascii ? (labelled ? " +" : " |") : (labelled ? " ┤" : " │"));
    const auto body = cells.screen.row(row);
    line += body;
    if (labels_beside && !cells.right[row].empty()) {
      // Colours take no columns, so the width is counted without them.
      std::string bare = body;
      for (auto at = bare.find('\x1b'); at != std::string::npos; at = bare.find('\x1b'))
        bare.erase(at, bare.find('m', at) - at + 1);
      line += std::string(columns - std::min(columns, display_width(bare)), ' ') + " " +
              shortened(cells.right[row], kLabelColumns - 1);
    }
    sink(line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
  }
  const auto unit = intensity_unit(chart, cells.plot);
  write_x_axis(cells.plot.frame.x, columns, options.ascii, unit, sink);
  std::vector<std::string> ridges;
  for (const auto& ridge : cells.plot.ridges)
    ridges.push_back(
        format_number(ridge.intensity >= 10 ? std::round(ridge.intensity) : ridge.intensity));
  write_list(cells.below, "roofs: ", options.width, sink);
  if (!ridges.empty())
    sink(std::string(kAxisColumns, ' ') + (ridges.size() > 1 ? "ridges: " : "ridge: ") +
         joined(ridges) + " " + unit + "\n");
  std::vector<std::string> unplaced;
  for (std::size_t i = 0; i < std::min<std::size_t>(cells.plot.unplaced.size(), 8); ++i) {
    const auto& kernel = chart.kernels[cells.plot.unplaced[i]];
    auto text = symbol(kernel.number) + " " + shortened_middle(kernel.name, 32);
    if (const auto rate = kernel.achieved_bandwidth()) text += " " + format_quantity(*rate, "B/s");
    unplaced.push_back(std::move(text));
  }
  if (cells.plot.unplaced.size() > 8)
    unplaced.push_back(fmt::format("{} more", cells.plot.unplaced.size() - 8));
  write_list(unplaced, "without FLOPs or bytes, so not in the chart: ", options.width, sink);
}

void write_legend(const Chart& chart, const PictureOptions& options, const TextSink& sink) {
  AlignedTable table({{"#", Align::right},
                      {"kernel", Align::left, 6},
                      {"bound", Align::left, 0, 1},
                      {"FLOP/B", Align::right},
                      {chart.measured ? "achieved" : "attainable", Align::right, 0, 3},
                      {"of ceiling", Align::right, 0, 2}},
                     options.width, 2, sink);
  const auto columns = chart_columns(chart);
  const auto cell = [&](std::string_view key, const ChartKernel& kernel) {
    for (const auto& column : columns)
      if (column.key == key) return column.cell(kernel);
    return std::string("-");
  };
  const auto shown = std::min(chart.kernels.size(), kSymbols.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& kernel = chart.kernels[i];
    table.row({symbol(kernel.number), cell("name", kernel), cell("bound", kernel),
               cell("intensity", kernel), cell(chart.measured ? "achieved" : "attainable", kernel),
               cell("fraction", kernel)});
  }
  table.finish();
  if (shown < chart.kernels.size())
    sink(fmt::format("  * {} more kernels, with less time\n", chart.kernels.size() - shown));
}

}  // namespace

void write_terminal_plot(const Chart& chart, const PictureOptions& options, const TextSink& sink) {
  sink(shortened(chart.gpu_name.empty() ? "GPU not known" : chart.gpu_name, options.width) +
       "\n\n");
  write_bars(chart, options, sink);
  if (chart.kernels.empty()) return;
  sink("\n");
  write_chart(chart, options, sink);
  sink("\n");
  write_legend(chart, options, sink);
  sink("\n");
  if (chart.gate) {
    sink(wrapped("gate: " + chart.gate->headline, options.width, 6) + "\n");
    for (const auto& line : chart.gate->lines)
      sink("  " + wrapped(line, options.width - 2, 4) + "\n");
  }
  for (const auto& warning : chart.warnings)
    sink(wrapped("note: " + warning, options.width, 6) + "\n");
  sink(wrapped(chart_sentence(chart), options.width) + "\n");
}

}  // namespace roofline
