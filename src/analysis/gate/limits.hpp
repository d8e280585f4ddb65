#pragma once

#include <vector>

#include "kernel/reading.hpp"
#include "roofline/analysis/gate_file.hpp"

namespace roofline {

/// Where a node stands; the whole of the file where it has no place of its own.
GatePlace place_of(const YamlNode& node);

/// The map of an entry's `assert:` in table order. Every limit is checked: its unit, its range,
/// that it may stand in this section, and that no limit is given in two spellings.
std::vector<Assertion> read_assertions(Reading& reading, const YamlNode& node, GateSection section);

}  // namespace roofline
