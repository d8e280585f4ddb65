#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"

namespace roofline {
namespace {

/// The blocks of a page that are marked as YAML.
std::vector<std::string> yaml_blocks(const std::string& path) {
  std::vector<std::string> blocks;
  std::ifstream file(path);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```yaml")
      blocks.emplace_back();
    else if (inside && line != "```")
      blocks.back() += line + "\n";
    if (line.starts_with("```")) inside = line == "```yaml";
  }
  return blocks;
}

TEST(KernelDocs, EveryExampleIsReadAndCounted) {
  const auto blocks = yaml_blocks(std::string(ROOFLINE_SOURCE_DIR) + "/docs/kernels.md");
  EXPECT_GE(blocks.size(), 5u);
  for (const auto& block : blocks) {
    SCOPED_TRACE(block);
    const auto document = read_yaml(block, "kernels.md");
    ASSERT_TRUE(document) << format_errors(document.error(), false);
    const auto file = KernelFile::read(*document);
    ASSERT_TRUE(file) << format_errors(file.error(), false);
    Workload workload;
    for (Count point = 0; point < file->points(); point += Count(1))
      EXPECT_TRUE(file->evaluate(point, workload).empty());
  }
}

TEST(KernelDocs, TheSweepHasThePointsThatThePageSays) {
  const auto blocks = yaml_blocks(std::string(ROOFLINE_SOURCE_DIR) + "/docs/kernels.md");
  std::vector<std::string> points;
  for (const auto& block : blocks)
    points.push_back(KernelFile::read(*read_yaml(block, "kernels.md"))->points().to_string());
  EXPECT_EQ(points, (std::vector<std::string>{"1", "1", "1", "21", "1", "1"}));
}

}  // namespace
}  // namespace roofline
