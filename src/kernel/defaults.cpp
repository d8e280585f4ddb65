#include "kernel/defaults.hpp"

#include <array>

#include "kernel/shared_tensors.hpp"

namespace roofline {
namespace {

constexpr std::array<std::string_view, 2> kPaths = {"default", "mma_sync"};
constexpr std::array<std::string_view, 3> kLinks = {"nvlink", "pcie", "c2c"};
constexpr std::array<std::string_view, 5> kTimings = {"stream", "kernel", "event", "graph", "e2e"};

}  // namespace

std::optional<Timing> read_timing(Reading& reading, const YamlNode& node) {
  const auto choice = read_choice(reading, node, "timing", kTimings);
  return choice ? find_timing(kTimings[*choice]) : std::nullopt;
}

std::optional<Seconds> read_launch_cost(Reading& reading, const YamlNode& node) {
  const auto seconds = read_seconds(reading, node, "launch_cost", true);
  return seconds ? std::optional(Seconds(*seconds)) : std::nullopt;
}

std::optional<bool> read_path(Reading& reading, const YamlNode& node) {
  const auto choice = read_choice(reading, node, "path", kPaths);
  return choice ? std::optional(*choice == 1) : std::nullopt;
}

std::optional<std::string> read_link(Reading& reading, const YamlNode& node) {
  const auto choice = read_choice(reading, node, "link", kLinks);
  return choice ? std::optional(std::string(kLinks[*choice])) : std::nullopt;
}

Defaults read_defaults(Reading& reading, const YamlNode* node, const Scope& scope) {
  Defaults defaults;
  if (node == nullptr || node->is_null()) return defaults;
  YamlMap map(reading.document(), *node, "defaults", reading.errors());
  if (const auto* value = map.find("dtype")) {
    defaults.dtype = read_dtype(reading, *value);
    defaults.wrong_dtype = !defaults.dtype;
  }
  if (const auto* value = map.find("launch_cost"))
    defaults.launch_cost = read_launch_cost(reading, *value);
  if (const auto* value = map.find("timing"))
    defaults.timing = read_timing(reading, *value).value_or(Timing::unknown);
  if (const auto* value = map.find("path"))
    defaults.mma_sync = read_path(reading, *value).value_or(false);
  if (const auto* value = map.find("link")) defaults.link = read_link(reading, *value).value_or("");
  if (const auto* value = map.find("repeat"))
    defaults.repeat = read_expression(reading, *value, "repeat", scope);
  map.close();
  return defaults;
}

}  // namespace roofline
