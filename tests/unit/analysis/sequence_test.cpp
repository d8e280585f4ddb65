#include "roofline/analysis/sequence.hpp"

#include "values.hpp"

namespace roofline {
namespace {

using testing::case_name;
using testing::value_cases;
using testing::ValueCase;

/// The values are in ns and stay so: the model is linear in its unit.
class SequenceValues : public ::testing::TestWithParam<ValueCase> {
 protected:
  std::vector<Step> steps() const {
    const auto& in = GetParam().inputs;
    std::vector<Step> list;
    const auto &launch = in.at("launch_ns"), &kernel = in.at("kernel_ns");
    if (!launch.is_array()) return {{Seconds(launch.get<double>()), Seconds(kernel.get<double>()), 1'000'000'000}};
    for (std::size_t i = 0; i < launch.size(); ++i)
      list.push_back({Seconds(launch[i].get<double>()), Seconds(kernel[i].get<double>()), 1});
    return list;
  }
  bool is(const char* part) const { return GetParam().id.find(part) != std::string::npos; }
};

TEST_P(SequenceValues, Pipeline) {
  const auto& c = GetParam();
  if (is("sync-each")) {
    const double n = c.inputs.at("n"), k = c.inputs.at("kernel_ns"), sync = c.inputs.at("sync_cost_ns");
    const Step step{Seconds(sync), Seconds(k), Count(static_cast<long long>(n))};
    EXPECT_DOUBLE_EQ(run_sequence({&step, 1}).serial.value(), c.value);
    return;
  }
  const auto list = steps();
  const auto got = run_sequence(list, Seconds(c.inputs.value("gap_ns", 0.0)));
  if (is("graph-threshold")) {  // the gain of a graph as the number of kernels grows
    EXPECT_NEAR(got.makespan / got.as_graph, c.value, 1e-6);
  } else if (is("-serial")) {
    EXPECT_DOUBLE_EQ(got.serial.value(), c.value);
  } else if (is("-gpu-busy")) {
    EXPECT_DOUBLE_EQ(got.gpu_time.value(), c.value);
  } else if (is("-idle")) {
    EXPECT_NEAR(1 - got.gpu_busy, c.value, 1e-12);
  } else {
    EXPECT_DOUBLE_EQ(got.makespan.value(), c.value);
  }
}
INSTANTIATE_TEST_SUITE_P(Truth, SequenceValues, ::testing::ValuesIn(value_cases("overhead")), case_name);

/// A run of equal kernels is the same as writing it out.
TEST_P(SequenceValues, RepeatsEqualCopies) {
  if (!GetParam().inputs.contains("launch_ns") || !GetParam().inputs.at("launch_ns").is_array()) return;
  std::vector<Step> merged;
  const auto list = steps();
  for (const auto& step : list) {
    const bool same = !merged.empty() && merged.back().launch == step.launch && merged.back().gpu == step.gpu;
    if (same) merged.back().repeat += 1;
    else merged.push_back(step);
  }
  const auto a = run_sequence(list, Seconds(700)), b = run_sequence(merged, Seconds(700));
  EXPECT_DOUBLE_EQ(a.makespan.value(), b.makespan.value());
  EXPECT_EQ(a.launches, b.launches);
}

TEST(Sequence, TwentySmallOps) {  // the worked example: 103, 160 and 65 us, 58 % busy
  const Step step{Seconds(5), Seconds(3), 20};
  const auto got = run_sequence({&step, 1});
  EXPECT_DOUBLE_EQ(got.makespan.value(), 103);
  EXPECT_DOUBLE_EQ(got.serial.value(), 160);
  EXPECT_DOUBLE_EQ(got.as_graph.value(), 65);
  EXPECT_NEAR(got.gpu_busy, 60.0 / 103, 1e-12);
  EXPECT_TRUE(got.launch_bound);
}

}  // namespace
}  // namespace roofline
