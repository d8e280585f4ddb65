#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/calibrate.hpp"
#include "cli/own_process.hpp"
#include "cli/terminal.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/profile/launcher.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostAnswers = std::size_t{1} << 20;
constexpr int kStart = 60, kEach = 60;  // seconds that a child may take, and each of its tests

double number_of(const YamlNode& node, std::string_view key) {
  const auto* value = node.find(key);
  return value ? parse_number(value->text).value_or(0) : 0;
}
std::optional<double> maybe_number(const YamlNode& node, std::string_view key) {
  return node.find(key) ? std::optional(number_of(node, key)) : std::nullopt;
}

CeilingAnswer answer_of(const profile::CeilingTest& test, const YamlNode& node) {
  CeilingAnswer answer{&test, {}, {}, {}};
  if (const auto* missing = node.find("missing")) answer.missing = missing->text;
  if (const auto* fault = node.find("fault")) answer.fault = fault->text;
  auto& ceiling = answer.ceiling;
  ceiling.name = test.name;
  ceiling.resource = test.resource;
  ceiling.unit = test.unit;
  ceiling.mma_sync = test.mma_sync;
  ceiling.value = number_of(node, "value");
  ceiling.samples = static_cast<int>(number_of(node, "samples"));
  ceiling.spread = number_of(node, "spread");
  ceiling.rounds_differ = number_of(node, "rounds_differ");
  ceiling.clock_mhz = maybe_number(node, "clock_mhz");
  ceiling.power_w = maybe_number(node, "power_w");
  ceiling.throttled_share = maybe_number(node, "throttled_share");
  return answer;
}

/// The whole lines that a child left; none where it did not come to write any.
std::vector<CeilingAnswer> read_answers(const std::string& path) {
  std::vector<CeilingAnswer> answers;
  const auto text = read_input(path, kMostAnswers);
  if (!text) return answers;
  for (std::size_t at = 0; at < text->size();) {
    const auto end = text->find('\n', at);
    if (end == std::string::npos) break;  // it died while it wrote
    const auto document = read_yaml(text->substr(at, end - at), path);
    at = end + 1;
    const auto* name = document ? document->root().find("name") : nullptr;
    if (const auto* test = name ? profile::find_ceiling_test(name->text) : nullptr)
      answers.push_back(answer_of(*test, document->root()));
  }
  return answers;
}

std::string why_not(const ProgramEnd& end) {
  if (end.timed_out) return "it did not end: the kernel hangs, or the GPU is not free";
  return "the process that measured it ended with " + end.text();
}

Result<ProgramEnd> run_child(const CeilingRequest& request, const std::string& path,
                             std::span<const profile::CeilingTest* const> tests) {
  ProgramCommand command;
  command.words = {own_program(),
                   std::string(kMeasureWord),
                   fmt::format("{}", request.ordinal),
                   fmt::format("{}", request.pace.settle_s),
                   fmt::format("{}", request.pace.samples),
                   path};
  for (const auto* test : tests) command.words.emplace_back(test->name);
  command.timeout = std::chrono::seconds(kStart + kEach * static_cast<long>(tests.size()));
  return run_program_to_end(command);
}

}  // namespace

Result<std::vector<CeilingAnswer>> measure_in_children(const CeilingRequest& request) {
  const auto folder = TemporaryFolder::make("roofline-calibrate");
  if (!folder) return tl::unexpected(folder.error());
  std::vector<CeilingAnswer> answers;
  const std::span all(request.tests);
  for (int child = 0; answers.size() < all.size(); ++child) {
    const auto left = all.subspan(answers.size());
    const auto path = fmt::format("{}/answers.{}", folder->path(), child);
    const auto end = run_child(request, path, left);
    if (!end) return tl::unexpected(end.error());
    if (end->interrupted)
      return fail(Code::interrupted, {}, "interrupted: nothing of this calibration is kept");
    auto read = read_answers(path);
    if (read.size() < left.size() && (read.empty() || read.back().missing.empty())) {
      // It ended within the test behind the last answer.
      const auto& test = *left[read.size()];
      read.push_back({&test, {}, {}, why_not(*end)});
    }
    std::move(read.begin(), read.end(), std::back_inserter(answers));
  }
  return answers;
}

}  // namespace roofline::cli
