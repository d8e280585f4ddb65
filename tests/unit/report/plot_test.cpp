#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/plot/bars.hpp"
#include "report/plot/roofline_plot.hpp"
#include "unit/report/chart_corpus.hpp"

namespace roofline::plot {
namespace {

using hand_made::finished;
using hand_made::h100_chart;
using hand_made::h100_kernel;

// Six decades of FLOP/B over 600 pixels: 100 pixels each.
constexpr Rect kArea{0, 0, 600, 400};

RooflinePlot plot_of(std::vector<ChartKernel> kernels, bool levels = false) {
  return layout(finished(h100_chart(), std::move(kernels)), {.area = kArea, .levels = levels});
}

TEST(Frame, comes_from_the_gpu_alone) {
  const auto empty = plot_of({}).frame;
  const auto full =
      plot_of({h100_kernel("far", 1e20, 1, 1.0), h100_kernel("tiny", 1, 1e9, 10.0)}).frame;
  // 0.01 FLOP/B x 3.35 TB/s is 33.5 GFLOP/s; two decades below is 335 MFLOP/s. Half a decade above
  // FP8's 1978.9 TFLOP/s.
  EXPECT_NEAR(empty.y.low, std::log10(3.35e8), 1e-12);
  EXPECT_NEAR(empty.y.high, std::log10(1978.9e12) + 0.5, 1e-12);
  EXPECT_EQ(empty.x.low, -2);
  EXPECT_EQ(empty.x.high, 4);
  EXPECT_EQ(empty.y.low, full.y.low);
  EXPECT_EQ(empty.y.high, full.y.high);
  EXPECT_EQ(empty.x.high, full.x.high);
}

TEST(Frame, holds_every_ridge) {
  auto chart = h100_chart();
  chart.roofs[1].per_second = 3.35e12 * 20'000;  // a ridge at 20 000 FLOP/B
  EXPECT_EQ(frame_of(chart, kArea).x.high, 5);
  chart.roofs[3].per_second = 3.35e12 * 0.004;
  EXPECT_EQ(frame_of(chart, kArea).x.low, -3);
}

struct PlaceRow {
  const char* name;
  double flops, bytes;
  std::optional<double> time;
  double x, rate;  // pixels; FLOP/s at which it must stand
  Edge edge;
  friend void PrintTo(const PlaceRow& row, std::ostream* out) { *out << row.name; }
};
const PlaceRow kPlaces[] = {
    {"one_flop_per_byte", 1e9, 1e9, 1e-3, 200, 1e12, Edge::none},
    {"hundred_flop_per_byte", 1e12, 1e10, 1e-2, 400, 1e14, Edge::none},
    {"without_a_time_on_the_roof", 1e9, 1e9, {}, 200, 3.35e12, Edge::none},
    {"left_of_the_frame", 1e6, 1e9, 1e-3, 7, 1e9, Edge::left},
    {"right_of_the_frame", 1e15, 1e9, 10, 593, 1e14, Edge::right},
};
class Place : public testing::TestWithParam<PlaceRow> {};
TEST_P(Place, is_where_arithmetic_says) {
  const auto& row = GetParam();
  const auto plot = plot_of({h100_kernel("k", row.flops, row.bytes, row.time)});
  ASSERT_EQ(plot.marks.size(), 1u);
  const auto& mark = plot.marks[0];
  EXPECT_NEAR(mark.at.x, row.x, 1e-6);
  EXPECT_EQ(mark.edge, row.edge);
  EXPECT_EQ(mark.hollow, !row.time);
  const double decades = std::log10(1978.9e12) + 0.5 - std::log10(3.35e8);
  EXPECT_NEAR(mark.at.y, 400 - (std::log10(row.rate) - std::log10(3.35e8)) / decades * 400, 1e-6);
  EXPECT_EQ(plot.outside.size(), row.edge == Edge::none ? 0u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Rows, Place, testing::ValuesIn(kPlaces),
                         [](const auto& row) { return row.param.name; });

TEST(Plot, ring_stands_at_the_attainable_rate) {
  const auto plot = plot_of({h100_kernel("k", 1e9, 1e9, 1e-2)});
  ASSERT_TRUE(plot.marks[0].attainable);
  EXPECT_NEAR(plot.frame.y.value_at(plot.marks[0].attainable->y), 3.35e12, 1e6);
  EXPECT_EQ(plot.marks[0].attainable->x, plot.marks[0].at.x);
}

TEST(Plot, excess_traffic_points_left) {
  auto kernel = h100_kernel("k", 1e9, 1e9, 1e-2);
  kernel.dram_bytes = 1e10;
  kernel.measured_intensity = 0.1;
  const auto plot = plot_of({kernel});
  ASSERT_TRUE(plot.marks[0].measured_x);
  EXPECT_NEAR(*plot.marks[0].measured_x, 100, 1e-6);
}

TEST(Plot, kernels_without_flops_or_bytes_are_listed) {
  const auto plot =
      plot_of({h100_kernel("copy", 0, 1e9, 1e-3), h100_kernel("registers", 1e9, 0, 1e-3),
               h100_kernel("k", 1e9, 1e9, 1e-3)});
  EXPECT_EQ(plot.marks.size(), 1u);
  EXPECT_EQ(plot.unplaced.size(), 2u);
}

TEST(Plot, area_follows_the_share_of_time) {
  const auto plot = plot_of({h100_kernel("a", 1e9, 1e9, 0.8), h100_kernel("b", 1e9, 1e8, 0.2)});
  ASSERT_EQ(plot.marks.size(), 2u);
  EXPECT_NEAR(plot.marks[0].radius, 24 * std::sqrt(0.8), 1e-9);
  EXPECT_NEAR(std::pow(plot.marks[0].radius / plot.marks[1].radius, 2), 4, 1e-9);
}

TEST(Plot, draws_the_roofs_that_are_met) {
  const auto plot = plot_of({h100_kernel("a", 1e12, 1e9, 0.8)});
  ASSERT_EQ(plot.roofs.size(), 2u);  // DRAM and BF16; no kernel meets FP8 or FP32
  ASSERT_EQ(plot.ridges.size(), 1u);
  EXPECT_NEAR(plot.ridges[0].intensity, 989.4 / 3.35, 1e-9);
  EXPECT_NEAR(plot.roofs[0].b.x, plot.ridges[0].x, 1e-6);
  EXPECT_EQ(plot.roofs[1].b.x, 600);
}

TEST(Plot, levels_are_satellites_on_request) {
  auto kernel = h100_kernel("k", 1e9, 1e9, 1e-2);
  kernel.levels = {{"L2", "l2", 1e10}};
  EXPECT_TRUE(plot_of({kernel}).marks[0].levels.empty());
  const auto plot = plot_of({kernel}, true);
  ASSERT_EQ(plot.marks[0].levels.size(), 1u);
  EXPECT_NEAR(plot.marks[0].levels[0].at.x, 100, 1e-6);
}

TEST(Plot, sweep_crosses_the_ridge_between_two_values) {
  std::vector<ChartKernel> kernels;
  for (const double m : {100.0, 1000.0}) {
    auto kernel = h100_kernel("gemm", m * 1e9, 1e9);  // intensity m
    kernel.point_name = "M";
    kernel.point_value = m;
    kernel.point = "M = " + std::to_string(static_cast<int>(m));
    kernels.push_back(kernel);
  }
  const auto plot = plot_of(kernels);
  ASSERT_EQ(plot.series.size(), 1u);
  ASSERT_TRUE(plot.series[0].crossing);
  EXPECT_EQ(plot.series[0].crossing_text, "M = 295");
  EXPECT_LT(plot.series[0].points[0].x, plot.series[0].points[1].x);
}

TEST(Plot, before_is_a_ghost_of_the_same_kernel) {
  auto chart =
      finished(h100_chart(), {h100_kernel("a", 1e9, 1e9, 1e-3), h100_kernel("b", 1e9, 1e8, 1e-4)});
  set_before(chart, finished(h100_chart(), {h100_kernel("a", 1e9, 1e9, 1e-2)}));
  const auto plot = layout(chart, {.area = kArea});
  ASSERT_TRUE(plot.marks[0].before);
  EXPECT_NEAR(plot.frame.y.value_at(plot.marks[0].before->y), 1e11, 1e5);
  EXPECT_FALSE(plot.marks[1].before);
  EXPECT_EQ(chart.warnings.size(), 1u);
}

/// 2 x 4096^3 operations on 4096^2 x 3 bytes; INT8 counts operations, and has a roof of its own.
TEST(Plot, integer_kernels_stand_under_a_roof_of_operations) {
  auto chart = h100_chart();
  chart.roofs.push_back({.resource = "tensor:int8",
                         .title = "INT8 tensor, dense",
                         .unit = "op/s",
                         .per_second = 1978.9e12});
  chart.roofs.push_back(
      {.resource = "sfu", .title = "special function", .unit = "op/s", .per_second = 4.2e12});
  auto kernel =
      h100_kernel("int8_gemm", 2.0 * 4096 * 4096 * 4096, 3.0 * 4096 * 4096, 120e-6, "tensor:int8");
  kernel.limiter = "sfu";
  const auto done = finished(chart, {kernel});
  EXPECT_EQ(work_unit_of("tensor:int8"), WorkUnit::op);
  EXPECT_EQ(work_unit_of("int"), WorkUnit::op);
  EXPECT_EQ(work_unit_of("vector:fp32"), WorkUnit::flop);
  EXPECT_EQ(work_unit_of("sfu"), WorkUnit::flop);
  EXPECT_EQ(work_unit_of("no such"), WorkUnit::flop);
  const auto plot = layout(done, {.area = kArea});
  ASSERT_EQ(plot.marks.size(), 1u);
  ASSERT_EQ(plot.roofs.size(), 2u);  // DRAM and INT8; special functions are no roof
  EXPECT_EQ(done.roofs[plot.roofs[1].roof].resource, "tensor:int8");
  EXPECT_NEAR(plot.ridges[0].intensity, 1978.9 / 3.35, 1e-9);
}

TEST(Panels, one_for_each_datapath_on_the_same_axes) {
  const auto chart = finished(
      h100_chart(),
      {h100_kernel("gemm", 1e12, 1e9, 4e-3), h100_kernel("copy", 0, 1e9, 3e-3),
       h100_kernel("norm", 1e9, 1e9, 2e-3, "vector:fp32"), h100_kernel("gemm2", 1e11, 1e9, 1e-3)});
  const auto parts = split_by_datapath(chart);
  ASSERT_EQ(parts.size(), 2u);  // the copy has no place on these axes
  EXPECT_EQ(parts[0].gpu_name, "BF16 tensor");
  ASSERT_EQ(parts[0].kernels.size(), 2u);
  EXPECT_EQ(parts[0].kernels[1].number, 4u);  // numbers are those of the whole
  EXPECT_NEAR(parts[0].kernels[0].share, 0.4, 1e-12);
  EXPECT_EQ(parts[1].gpu_name, "FP32 vector");
  const auto one = span_of(parts[0]), two = span_of(parts[1]);
  EXPECT_EQ(one.y_high, two.y_high);
  EXPECT_EQ(one.x_low, two.x_low);
}

TEST(Panels, of_several_gpus_hold_the_frames_of_all) {
  const auto small = span_of(h100_chart());
  auto chart = h100_chart();
  chart.roofs[2].per_second = 3.35e12 * 20'000;
  const auto both = small.with(span_of(chart));
  EXPECT_EQ(both.x_high, 5);
  EXPECT_EQ(both.y_low, small.y_low);
  EXPECT_NEAR(both.y_high, std::log10(3.35e12 * 20'000) + 0.5, 1e-12);
  const auto plot = layout(h100_chart(), {.area = kArea, .span = both});
  EXPECT_EQ(plot.frame.x.high, 5);
}

TEST(Bars, are_linear_and_by_what_could_be_won_back) {
  const auto chart = finished(h100_chart(), {h100_kernel("long", 1e9, 3.35e9, 1.1e-3),
                                             h100_kernel("worse", 1e9, 3.35e8, 0.6e-3)});
  const auto panel = layout_bars(chart, {0, 0, 110, 100}, 10);
  ASSERT_EQ(panel.bars.size(), 2u);
  EXPECT_EQ(chart.kernels[panel.bars[0].kernel].name, "worse");  // 0.5 ms to win against 0.1 ms
  EXPECT_NEAR(panel.bars[0].time_width, 60, 1e-9);
  EXPECT_NEAR(panel.bars[0].floor_width, 10, 1e-9);
  EXPECT_NEAR(panel.bars[1].time_width, 110, 1e-9);
  EXPECT_NEAR(panel.bars[1].floor_width, 100, 1e-9);
}

TEST(Bars, what_has_no_room_is_summed) {
  const auto chart =
      finished(h100_chart(), {h100_kernel("a", 1, 3.35e9, 3e-3), h100_kernel("b", 1, 3.35e9, 2e-3),
                              h100_kernel("c", 1, 3.35e9, 1.5e-3)});
  const auto panel = layout_bars(chart, {0, 0, 100, 10}, 10);
  EXPECT_EQ(panel.left_out, 2u);
  EXPECT_NEAR(panel.left_out_time, 3.5e-3, 1e-12);
  EXPECT_NEAR(panel.left_out_win, 1.5e-3, 1e-12);
}

TEST(Overlap, of_turned_rectangles) {
  const auto flat = quad_of({0, 0, 10, 10});
  EXPECT_TRUE(overlap(flat, quad_of({9, 9, 20, 20})));
  EXPECT_FALSE(overlap(flat, quad_of({10, 0, 20, 10})));  // an edge in common
  // A diamond whose bounding box meets the square, and which does not: its corner lies at (12, 12)
  // - 3 sqrt(2)/2.
  const auto diamond = turned_quad({12 + 3, 12}, 0.785398163, 4.24, 4.24);
  EXPECT_FALSE(overlap(flat, diamond));
}

/// An arrow at the frame's edge reaches 7 pixels, whatever its kernel's share.
double drawn_radius(const PlotMark& mark) { return mark.edge == Edge::none ? mark.radius : 7; }
Quad square(Point at, double r) { return quad_of({at.x - r, at.y - r, at.x + r, at.y + r}); }
Quad leader_quad(const PlotLabel& label) {
  return quad_of_line(label.leader->first, label.leader->second, 1);
}

/// What is wrong with the labels of a plot, worked out anew from the rectangles: labels over one
/// another or outside the frame, names and numbers over marks of others, leaders over labels.
std::vector<std::string> label_faults(const RooflinePlot& plot) {
  std::vector<std::string> faults;
  for (std::size_t a = 0; a < plot.labels.size(); ++a) {
    const auto& label = plot.labels[a];
    for (const auto& corner : label.box.corners)
      if (!plot.frame.area.contains(corner)) faults.push_back(label.text + " leaves the frame");
    for (std::size_t b = 0; b < plot.labels.size(); ++b) {
      const auto& other = plot.labels[b];
      if (b > a && overlap(label.box, other.box))
        faults.push_back(label.text + " lies over " + other.text);
      if (b != a && other.leader && overlap(label.box, leader_quad(other)))
        faults.push_back("the leader of " + other.text + " crosses " + label.text);
    }
    if (label.kind != LabelKind::name && label.kind != LabelKind::number) continue;
    for (std::size_t m = 0; m < plot.marks.size(); ++m)
      if (m != label.owner &&
          overlap(label.box, square(plot.marks[m].at, drawn_radius(plot.marks[m]))))
        faults.push_back(label.text + " lies over the mark of another kernel");
  }
  return faults;
}

double gap_between(const PlotLabel& label, const PlotMark& mark) {
  const auto& c = label.box.corners;  // of labels beside marks: not turned
  const Point nearest{std::clamp(mark.at.x, c[0].x, c[1].x), std::clamp(mark.at.y, c[0].y, c[2].y)};
  return distance(nearest, mark.at) - drawn_radius(mark);
}

TEST(Labels, never_collide_in_200_generated_charts) {
  std::size_t numbers = 0, leaders = 0;
  std::set<std::string> gpus;
  std::size_t fewest = 1000, most = 0;
  for (std::size_t i = 0; i < hand_made::kCorpus; ++i) {
    const auto chart = hand_made::corpus_chart(i);
    const auto plot = layout(chart, {.area = kArea});
    EXPECT_EQ(label_faults(plot), std::vector<std::string>()) << "chart " << i;
    const auto of_kind = [&](LabelKind kind) {
      return std::count_if(plot.labels.begin(), plot.labels.end(),
                           [&](const auto& label) { return label.kind == kind; });
    };
    EXPECT_GT(of_kind(LabelKind::roof), 0) << i;
    numbers += static_cast<std::size_t>(of_kind(LabelKind::number) + of_kind(LabelKind::name));
    for (const auto& label : plot.labels) leaders += label.leader ? 1 : 0;
    EXPECT_EQ(plot.marks.size() + plot.unplaced.size() + plot.left_out, chart.kernels.size()) << i;
    gpus.insert(chart.gpu_id);
    fewest = std::min(fewest, chart.kernels.size());
    most = std::max(most, chart.kernels.size());
  }
  EXPECT_EQ(gpus.size(), gpu_ids().size());
  EXPECT_LE(fewest, 2u);
  EXPECT_GT(most, 450u);
  EXPECT_GT(numbers, hand_made::kCorpus * 3);
  EXPECT_GT(leaders, hand_made::kCorpus);
}

/// The areas of a document's chart, and of one of its small ones.
TEST(Labels, never_collide_in_charts_of_other_sizes) {
  for (const auto& area : {Rect{74, 74, 704, 514}, Rect{74, 46, 577, 388}})
    for (std::size_t i = 0; i < hand_made::kCorpus; i += 3)
      EXPECT_EQ(label_faults(layout(hand_made::corpus_chart(i), {.area = area, .levels = true})),
                std::vector<std::string>())
          << "chart " << i << " " << area.width() << " pixels wide";
}

TEST(Labels, a_collision_is_a_fault) {
  auto plot = layout(hand_made::corpus_chart(1), {.area = kArea});
  ASSERT_GE(plot.labels.size(), 2u);
  EXPECT_EQ(label_faults(plot), std::vector<std::string>());
  const auto moved_to = [&](const Quad& box) {
    auto bad = plot;
    bad.labels.back().box = box;
    return label_faults(bad);
  };
  EXPECT_NE(moved_to(plot.labels.front().box), std::vector<std::string>());
  EXPECT_NE(moved_to(quad_of({-5, 10, 20, 20})), std::vector<std::string>());
  auto crossed = plot;
  const auto& box = plot.labels.front().box.corners;
  crossed.labels.back().leader = {box[0], box[2]};
  EXPECT_NE(label_faults(crossed), std::vector<std::string>());
}

/// Whose a label is can be seen: its mark is the nearest one and close, or a leader runs to it.
TEST(Labels, stand_at_their_marks_or_have_a_leader) {
  for (std::size_t i = 0; i < hand_made::kCorpus; i += 7) {
    const auto plot = layout(hand_made::corpus_chart(i), {.area = kArea});
    for (const auto& label : plot.labels) {
      if (label.kind != LabelKind::name && label.kind != LabelKind::number) continue;
      if (label.inside) continue;
      const auto& own = plot.marks[label.owner];
      const double gap = gap_between(label, own);
      if (label.leader) {
        EXPECT_NEAR(distance(label.leader->second, own.at), drawn_radius(own), 0.01)
            << i << label.text;
        continue;
      }
      EXPECT_LE(gap, 10.01) << i << label.text;
      for (std::size_t m = 0; m < plot.marks.size(); ++m) {
        if (m == label.owner) continue;
        EXPECT_GE(gap_between(label, plot.marks[m]), gap - 0.01) << i << label.text;
      }
    }
  }
}

TEST(Labels, are_the_same_every_time) {
  const auto chart = hand_made::corpus_chart(4);
  const auto one = layout(chart, {.area = kArea}), two = layout(chart, {.area = kArea});
  ASSERT_EQ(one.labels.size(), two.labels.size());
  for (std::size_t i = 0; i < one.labels.size(); ++i) {
    EXPECT_EQ(one.labels[i].text, two.labels[i].text);
    EXPECT_EQ(one.labels[i].at.x, two.labels[i].at.x);
  }
}

}  // namespace
}  // namespace roofline::plot
