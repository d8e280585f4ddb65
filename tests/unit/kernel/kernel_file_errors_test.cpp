#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"

// Every file of tests/data/kernels/bad ends with what must be said of it, all together, in the
// order of its lines:
//   # RF2007 2:19 "010" starts with 0 | octal is not read: write 10
namespace roofline {
namespace {

const std::filesystem::path kFolder = std::string(ROOFLINE_TEST_DATA) + "/kernels/bad";

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string expected_errors(const std::string& text) {
  std::string expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# RF")) expected += line.substr(2) + "\n";
  return expected;
}

std::string as_lines(Errors errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  std::string lines;
  for (const auto& error : errors)
    lines += code_name(error.code) + " " + std::to_string(error.where.line) + ":" +
             std::to_string(error.where.column) + " " + error.what +
             (error.hint.empty() ? "" : " | " + error.hint) + "\n";
  return lines;
}

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  if (std::filesystem::is_directory(kFolder))
    for (const auto& entry : std::filesystem::directory_iterator(kFolder))
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class BadKernelFile : public testing::TestWithParam<std::string> {};

TEST_P(BadKernelFile, EveryMistakeIsSaidWithItsPlace) {
  const auto text = text_of(kFolder / (GetParam() + ".yaml"));
  const auto expected = expected_errors(text);
  ASSERT_FALSE(expected.empty());
  const auto document = read_yaml(text, GetParam() + ".yaml");
  ASSERT_TRUE(document) << format_errors(document.error(), false);
  const auto file = KernelFile::read(*document);
  ASSERT_FALSE(file);
  EXPECT_EQ(as_lines(file.error()), expected);
  for (const auto& error : file.error()) {
    EXPECT_EQ(error.where.file, GetParam() + ".yaml");
    EXPECT_FALSE(error.where.source_line.empty()) << error.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BadKernelFile, testing::ValuesIn(bad_files()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace roofline
