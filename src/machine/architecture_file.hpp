#pragma once

#include <span>
#include <string_view>

#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// Reads what a chip family can do per clock (roofline.architecture/1, docs/specs.md). Rates are fused multiply-adds
/// per clock and unit. Errors: all of the file, each with its place.
Checked<Architecture> read_architecture(const YamlDocument& document, std::span<const std::string_view> source_keys);

}  // namespace roofline
