#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"

namespace roofline {
namespace {

/// What reading `text` as a kernel description reports.
Errors errors_of(const std::string& text) {
  const auto document = read_yaml(text, "example.yaml");
  if (!document) return document.error();
  const auto file = KernelFile::read(*document);
  return file ? Errors{} : file.error();
}

// `roofline explain RF2003` shows input that causes the error; here it does.
TEST(CodeExamples, DescriptionsCauseTheErrorThatTheyStandFor) {
  int descriptions = 0;
  for (const auto& entry : error_codes()) {
    if (!entry.example.starts_with("kernels:") && !entry.example.starts_with("tensors:")) continue;
    ++descriptions;
    const auto errors = errors_of(std::string(entry.example));
    EXPECT_TRUE(std::any_of(errors.begin(), errors.end(),
                            [&](const Error& e) { return e.code == entry.code; }))
        << code_name(entry.code) << "\n"
        << entry.example << "\n"
        << format_errors(errors, false);
  }
  EXPECT_GE(descriptions, 10);
}

}  // namespace
}  // namespace roofline
