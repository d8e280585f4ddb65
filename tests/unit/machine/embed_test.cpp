// The build refuses a spec tree that is wrong, and says where.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "machine/embed/spec_tree.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

class SpecTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / ("roofline-spec-tree-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::copy(fs::path(ROOFLINE_SOURCE_DIR) / "specs", root_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(root_); }

  void change(const std::string& file, std::string_view from, std::string_view to) {
    std::ostringstream text;
    text << std::ifstream(root_ / file).rdbuf();
    std::string changed = text.str();
    const auto at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << file << " has no " << from;
    std::ofstream(root_ / file) << changed.replace(at, from.size(), to);
  }
  std::string errors() {
    const auto tree = read_spec_tree(root_.string());
    return tree ? "" : format_errors(tree.error(), false);
  }

  fs::path root_;
};

#define EXPECT_SAYS(text)                                                  \
  do {                                                                     \
    const std::string said = errors();                                     \
    EXPECT_NE(said.find(text), std::string::npos) << "it said: " << said;  \
  } while (false)

TEST_F(SpecTreeTest, OfTheRepositoryIsRight) {
  const auto tree = read_spec_tree(root_.string());
  ASSERT_TRUE(tree) << format_errors(tree.error(), false);
  EXPECT_EQ(tree->gpus.size(), 74u);
  EXPECT_EQ(tree->architectures.size(), 28u);
  EXPECT_EQ(generated_source(*tree), generated_source(*tree));
}

TEST_F(SpecTreeTest, AFigureThatFailsItsArithmetic) {
  change("gpus/h100-sxm5-80gb.yaml", "bandwidth: {value: 3.35 TB/s", "bandwidth: {value: 3.95 TB/s");
  EXPECT_SAYS("dram: stated 3.95 TB/s, computed 3.352 TB/s");
}

TEST_F(SpecTreeTest, AFigureWithoutAUnit) {
  change("gpus/l4.yaml", "300 GB/s", "300");
  EXPECT_SAYS("gpus/l4.yaml:");
}

TEST_F(SpecTreeTest, AnEntryThatIsNotListed) {
  fs::copy(root_ / "gpus/l4.yaml", root_ / "gpus/l5.yaml");
  EXPECT_SAYS("does not list this entry");
}

TEST_F(SpecTreeTest, AListedEntryThatIsMissing) {
  fs::remove(root_ / "gpus/l4.yaml");
  EXPECT_SAYS("l4.yaml");
}

TEST_F(SpecTreeTest, AnIdThatIsNotTheFilesName) {
  change("gpus/l4.yaml", "id: l4", "id: l5");
  EXPECT_SAYS("the id is l5");
}

TEST_F(SpecTreeTest, AnAliasThatTwoEntriesClaim) {
  change("gpus/l4.yaml", "aliases: [l4-24gb]", "aliases: [l4-24gb, h100]");
  EXPECT_SAYS("names both l4 and h100-sxm5-80gb");
}

TEST_F(SpecTreeTest, AnUnknownSource) {
  change("gpus/l4.yaml", "source: l4-ds", "source: l4-dss");
  EXPECT_SAYS("unknown source \"l4-dss\"");
}

TEST_F(SpecTreeTest, ASourceWithoutATitle) {
  change("sources.yaml", "    title: NVIDIA Tesla V100", "    titel: NVIDIA Tesla V100");
  EXPECT_SAYS("titel");
}

TEST_F(SpecTreeTest, ATemplateThatDoesNotVerify) {
  change("template.yaml", "dense: 121 TFLOP/s", "dense: 242 TFLOP/s");
  EXPECT_SAYS("template.yaml");
}

}  // namespace
}  // namespace roofline
