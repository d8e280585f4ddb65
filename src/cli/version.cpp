#include "cli/version.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/schemas.hpp"
#include "cli/style.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kCommit = ROOFLINE_COMMIT;  // empty outside a repository
constexpr std::string_view kBuildType = ROOFLINE_BUILD_TYPE;

#if defined(__clang__)
#define ROOFLINE_COMPILER "clang " __clang_version__
#else
#define ROOFLINE_COMPILER "gcc " __VERSION__
#endif
constexpr std::string_view kCompiler = ROOFLINE_COMPILER;
#undef ROOFLINE_COMPILER

/// "kernel/1 result/1".
std::string schema_list(std::string_view quote, std::string_view separator) {
  std::string text;
  for (const auto& name : schema_names())
    text += fmt::format("{}{}{}/1{}", text.empty() ? "" : separator, quote, name, quote);
  return text;
}

std::string as_text() {
  const auto commit = kCommit.empty() ? std::string() : fmt::format(" ({})", kCommit);
  return fmt::format(
      "roofline {}{}\n"
      "  built with    {}, C++20, {}\n"
      "  GPU table     {} accelerators, revision {}\n"
      "  schemas       {}\n",
      version_number(), commit, kCompiler, kBuildType, gpu_ids().size(), gpu_table_revision(),
      schema_list("", " "));
}

std::string as_json() {
  return fmt::format(
      "{{\"schema\": \"roofline.version/1\", \"version\": \"{}\", \"commit\": \"{}\", "
      "\"compiler\": \"{}\", \"build_type\": \"{}\", "
      "\"gpu_table\": {{\"accelerators\": {}, \"revision\": \"{}\"}}, \"schemas\": [{}]}}\n",
      version_number(), kCommit, kCompiler, kBuildType, gpu_ids().size(), gpu_table_revision(),
      schema_list("\"", ", "));
}

}  // namespace

std::string_view version_number() { return ROOFLINE_VERSION; }

int run_version(Words words) {
  const auto args = parse<VersionArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  return print(args->json ? as_json() : as_text());
}

}  // namespace roofline::cli
