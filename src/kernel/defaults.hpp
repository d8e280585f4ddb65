#pragma once

#include <optional>
#include <string>

#include "kernel/expression.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// `defaults:` of a description: what holds for every kernel that does not say otherwise.
struct Defaults {
  std::optional<DType> dtype;
  bool wrong_dtype = false;  ///< given, but not a dtype: not said again of every kernel
  std::optional<Seconds> launch_cost;
  Timing timing = Timing::unknown;
  bool mma_sync = false;
  std::string link;
  std::optional<Expression> repeat;
};

Defaults read_defaults(Reading& reading, const YamlNode* node, const Scope& scope);

// The keys that a kernel has too.
std::optional<Timing> read_timing(Reading& reading, const YamlNode& node);
std::optional<Seconds> read_launch_cost(Reading& reading, const YamlNode& node);
std::optional<bool> read_path(Reading& reading, const YamlNode& node);  ///< true: mma.sync
std::optional<std::string> read_link(Reading& reading, const YamlNode& node);

}  // namespace roofline
