#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// specs/sources.yaml: every document that a figure comes from, sorted by key.
Checked<std::vector<Source>> read_sources(const YamlDocument& document);
/// One entry of it, as it is embedded.
Checked<Source> read_one_source(const YamlDocument& document, std::string_view key);

/// specs/defaults.yaml: what holds where an entry says nothing, and the order of the table.
struct TableDefaults {
  std::string revision;  ///< the day the figures were compiled
  LaunchFloor launch_floor;
  std::vector<std::string> order;  ///< ids; vendor, then generation
};
Checked<TableDefaults> read_defaults(const YamlDocument& document, std::span<const std::string_view> source_keys);

}  // namespace roofline
