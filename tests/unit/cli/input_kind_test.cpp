#include "cli/input_kind.hpp"

#include <gtest/gtest.h>

#include <string>

namespace roofline::cli {
namespace {

struct KindRow {
  const char* name;
  std::string content, part;  ///< of the answer; empty: it may be a description
  friend void PrintTo(const KindRow& row, std::ostream* out) { *out << row.name; }
};
const KindRow kRows[] = {
    {"description", "kernels:\n  - {op: gemm}\n", ""},
    {"description_that_talks_of_traces", "# from a trace with traceEvents\nkernels: []\n", ""},
    {"json_description", R"({"kernels": [{"op": "gemm"}]})", ""},
    {"trace", R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [)", "trace"},
    {"database", std::string("SQLite format 3\0", 16), "Nsight Systems"},
    {"gzip", "\x1f\x8b\x08", "gzip"},
    {"own_result", R"({"schema": "roofline.result/1", "kernels": []})", "result"},
    {"model", R"({"architectures": ["LlamaForCausalLM"]})", "model"},
    {"mark_past_the_head", std::string(10'000, '#') + "\"traceEvents\"", ""},
    {"empty", "", ""},
};
class Kind : public testing::TestWithParam<KindRow> {};
TEST_P(Kind, IsSaidWhenItIsPlain) {
  const auto kind = foreign_kind(GetParam().content);
  if (GetParam().part.empty())
    EXPECT_EQ(kind, "");
  else
    EXPECT_NE(kind.find(GetParam().part), std::string::npos) << kind;
}
INSTANTIATE_TEST_SUITE_P(Rows, Kind, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline::cli
