#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "own_file.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

/// A configuration folder of its own for each test, and the environment pointed at it.
class UserFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / ("roofline-user-folder-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(xdg());
    fs::create_directories(home());
    remember("XDG_CONFIG_HOME", old_xdg_);
    remember("HOME", old_home_);
    ::setenv("XDG_CONFIG_HOME", (root_ / "xdg").c_str(), 1);
    ::setenv("HOME", (root_ / "home").c_str(), 1);
  }
  void TearDown() override {
    restore("XDG_CONFIG_HOME", old_xdg_);
    restore("HOME", old_home_);
    fs::remove_all(root_);
  }

  fs::path xdg() const { return root_ / "xdg" / "roofline" / "gpus"; }
  fs::path home() const { return root_ / "home" / ".config" / "roofline" / "gpus"; }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  fs::path root_;

 private:
  static void remember(const char* name, std::optional<std::string>& into) {
    if (const char* value = std::getenv(name)) into = value;
  }
  static void restore(const char* name, const std::optional<std::string>& from) {
    if (from) ::setenv(name, from->c_str(), 1);
    else ::unsetenv(name);
  }
  std::optional<std::string> old_xdg_, old_home_;
};

std::string own_file_named(std::string_view id) { return replaced(std::string(kOwnFile), "id: my-card", "id: " + std::string(id)); }

TEST_F(UserFolder, FileIsFoundByItsNameInAnySpelling) {
  write(xdg() / "my-card.yaml", std::string(kOwnFile));
  for (const char* name : {"my-card", "My Card", "MY_CARD"}) {
    const auto gpu = find_gpu(name);
    ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
    EXPECT_EQ(gpu->id, "my-card");
    EXPECT_EQ(gpu->file, (xdg() / "my-card.yaml").string());
    EXPECT_TRUE(gpu->launch_floor) << "filled from the defaults";
    EXPECT_EQ(gpu->attainable.size(), 1u);
  }
}

TEST_F(UserFolder, SecondFolderIsLookedAtAfterTheFirst) {
  write(home() / "my-card.yml", replaced(std::string(kOwnFile), "name: My card", "name: From home"));
  ASSERT_TRUE(find_gpu("my-card"));
  EXPECT_EQ(find_gpu("my-card")->name, "From home");
  write(xdg() / "my-card.yaml", std::string(kOwnFile));
  EXPECT_EQ(find_gpu("my-card")->name, "My card");
}

TEST_F(UserFolder, OverridesAnEntryOfTheTableUnderEverySpelling) {
  write(xdg() / "h100-sxm5-80gb.yaml", own_file_named("h100-sxm5-80gb"));
  for (const char* name : {"h100-sxm5-80gb", "h100", "NVIDIA H100 80GB HBM3", "10de:2330"}) {
    const auto gpu = find_gpu(name);
    ASSERT_TRUE(gpu);
    EXPECT_EQ(gpu->name, "My card") << name;
  }
  const auto all = all_gpus();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 74u);
  EXPECT_EQ(all->back().name, "My card");
}

TEST_F(UserFolder, ErrorsOfTheFileAreReportedAndNotSkipped) {
  write(xdg() / "my-card.yaml", replaced(std::string(kOwnFile), "320 GB/s", "320"));
  const auto gpu = find_gpu("my-card");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().front().code, Code::needs_unit);
  EXPECT_EQ(gpu.error().front().where.line, 15);
  EXPECT_FALSE(all_gpus());
  EXPECT_TRUE(find_gpu("h100")) << "a broken file of another name does not matter";
}

TEST_F(UserFolder, TwoFilesOfOneNameAreAmbiguous) {
  write(xdg() / "my-card.yaml", std::string(kOwnFile));
  write(xdg() / "my-card.yml", std::string(kOwnFile));
  const auto gpu = find_gpu("my-card");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().front().code, Code::ambiguous_gpu);
}

TEST_F(UserFolder, OwnFilesComeAfterTheTable) {
  write(xdg() / "my-card.yaml", std::string(kOwnFile));
  write(xdg() / "notes.txt", "not a spec");
  const auto all = all_gpus();
  ASSERT_TRUE(all) << format_errors(all.error(), false);
  EXPECT_EQ(all->size(), 75u);
  EXPECT_EQ(all->back().id, "my-card");
}

TEST_F(UserFolder, APathIsReadWhateverItsName) {
  const fs::path path = root_ / "h100.yaml";
  write(path, std::string(kOwnFile));
  const auto gpu = find_gpu(path.string());
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->id, "my-card");
  const auto missing = find_gpu((root_ / "none.yaml").string());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().front().code, Code::cannot_read);
  EXPECT_FALSE(find_gpu(root_.string() + "/")) << "a folder";
}

TEST_F(UserFolder, WithoutAnyFolderTheTableIsThere) {
  ::unsetenv("XDG_CONFIG_HOME");
  ::unsetenv("HOME");
  EXPECT_TRUE(find_gpu("h100"));
}

}  // namespace
}  // namespace roofline
