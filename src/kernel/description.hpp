#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/entry.hpp"
#include "kernel/shared_tensors.hpp"
#include "kernel/variables.hpp"

namespace roofline {

/// A kernel description with its expressions compiled: what KernelFile holds.
struct Description {
  std::uint64_t identity = 0;  ///< no two have the same: a workload remembers who filled it
  YamlDocument places;         ///< the text, without its tree
  std::vector<std::string> gpus;
  std::optional<Location> gpu_place;
  Variables variables;
  SharedTensors tensors;
  std::vector<Entry> entries;
};

/// Reads a whole file, and evaluates its first point so that sizes and operands are checked too.
Checked<Description> read_description(const YamlDocument& document);

}  // namespace roofline
