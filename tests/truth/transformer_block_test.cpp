// 71 rows of a transformer block on H100: counts, side, the time of every resource, limiter and floor.

#include <fstream>
#include <nlohmann/json.hpp>

#include "truth/described.hpp"

namespace roofline {
namespace {

using Json = nlohmann::json;

Json rows() {
  std::ifstream file(std::string(ROOFLINE_TEST_DATA) + "/truth/values/transformer_block.json");
  return Json::parse(file).at("cases");
}

std::string entry_of(const Json& row) {
  Json entry = row.at("params");
  entry["name"] = row.at("id");
  entry["op"] = row.at("op");
  entry["dtypes"] = row.at("dtypes");
  return entry.dump();
}

double microseconds_of(const Verdict& verdict, PipeKind kind) {
  Seconds longest;
  for (const auto& item : verdict.floor.resources())
    if (item.ceiling.resource.is_compute() && item.ceiling.resource.pipe.kind == kind) longest = std::max(longest, item.time);
  return longest.value() * 1e6;
}

std::string case_name(const ::testing::TestParamInfo<Json>& param) {
  return testing::test_name(param.param.at("id"));
}

class TransformerBlock : public ::testing::TestWithParam<Json> {};

TEST_P(TransformerBlock, CountsSidesAndFloors) {
  const auto& row = GetParam();
  const Gpu machine = testing::gpu(row.at("gpu").at("name"));
  const auto verdict = testing::judged(entry_of(row), machine);
  EXPECT_EQ(verdict.flops.to_string(), row.at("flops"));
  EXPECT_EQ(verdict.bytes_read.to_string(), row.at("bytes_read"));
  EXPECT_EQ(verdict.bytes_written.to_string(), row.at("bytes_written"));
  ASSERT_TRUE(verdict.side.has_value());
  EXPECT_EQ(side_name(*verdict.side), row.at("verdict"));
  const auto& times = row.at("times_us");
  const auto close = [](double value) { return value * 1e-12 + 1e-15; };
  EXPECT_NEAR(verdict.floor.dram().value() * 1e6, times.at("memory"), close(times.at("memory")));
  EXPECT_NEAR(microseconds_of(verdict, PipeKind::tensor), times.at("tensor"), close(times.at("tensor")));
  EXPECT_NEAR(microseconds_of(verdict, PipeKind::vector), times.at("cuda_fp32"), close(times.at("cuda_fp32")));
  EXPECT_NEAR(microseconds_of(verdict, PipeKind::sfu), times.at("sfu"), close(times.at("sfu")));
  EXPECT_NEAR(verdict.floor.time.value() * 1e6, row.at("floor_all_resources_us"), close(row.at("floor_all_resources_us")));
}

INSTANTIATE_TEST_SUITE_P(Truth, TransformerBlock, ::testing::ValuesIn(rows().get<std::vector<Json>>()), case_name);

}  // namespace
}  // namespace roofline
