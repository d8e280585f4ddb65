#include "report/report_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/op.hpp"

namespace roofline {
namespace {

bool is_explained(std::string_view word) {
  return std::any_of(report_words().begin(), report_words().end(),
                     [&](const ReportWord& row) { return row.word == word; });
}

TEST(ReportWords, EveryWordOnceInItsKind) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& row : report_words()) {
    EXPECT_TRUE(seen.insert({row.kind, row.word}).second) << row.word;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.word;
  }
}

TEST(ReportWords, HoldEveryEnumerator) {
  for (const auto bound :
       {Bound::memory, Bound::compute, Bound::overhead, Bound::link, Bound::unknown})
    EXPECT_TRUE(is_explained(bound_name(bound)));
  for (const auto status :
       {Status::impossible, Status::at_ceiling, Status::near, Status::under_roof})
    EXPECT_TRUE(is_explained(status_name(status)));
  for (const auto level : {Confidence::high, Confidence::likely, Confidence::floor})
    EXPECT_TRUE(is_explained(confidence_name(level)));
}

/// The codes stand as literals where the remarks are made: none may be forgotten here.
TEST(ReportWords, HoldEveryCodeOfTheAnalysis) {
  std::size_t codes = 0;
  for (const char* file : {"advice.cpp", "causes.cpp"}) {
    std::ifstream stream(std::string(ROOFLINE_SOURCE_DIR "/src/analysis/") + file);
    ASSERT_TRUE(stream) << file;
    const std::string source((std::istreambuf_iterator<char>(stream)), {});
    const std::regex literal("\\{\"([a-z0-9_]+)\",");
    for (std::sregex_iterator it(source.begin(), source.end(), literal), end; it != end; ++it) {
      const auto code = (*it)[1].str();
      if (find_op(code)) continue;  // a list of operations
      ++codes;
      EXPECT_TRUE(is_explained(code)) << code << " of " << file;
    }
  }
  EXPECT_GT(codes, 20U);
}

}  // namespace
}  // namespace roofline
