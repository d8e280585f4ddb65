#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// Reads one accelerator (roofline.gpu/1, docs/specs.md) from a parsed file; `architecture` entries it names must be in
/// the table. Every figure needs a unit, every unit its dimension, every source key its document.
Checked<Gpu> read_gpu(const YamlDocument& document);

/// A GPU by what the user wrote: a path to a file (contains '/' or ends in .yaml/.yml), an id of the user's folder
/// ($XDG_CONFIG_HOME/roofline/gpus, then ~/.config/roofline/gpus), then id, alias, driver device name or PCI id
/// ("10de:2330", "2330") of the embedded table. Letter case, blanks and "NVIDIA " in front do not matter.
/// Errors: unknown_gpu with near names, ambiguous_gpu with all candidates, or the errors of the user's file.
Checked<Gpu> find_gpu(std::string_view name);

/// Every embedded accelerator, in table order (vendor, generation), then the user's own.
Checked<std::vector<Gpu>> all_gpus();
std::span<const std::string_view> gpu_ids();  ///< embedded ids, for did-you-mean
std::string_view gpu_table_revision();        ///< the day the figures were compiled, "2026-11-30"

Result<Source> find_source(std::string_view key);
/// The document behind a key of one entry: its own sources first, then the table's.
Result<Source> find_source(const Gpu& gpu, std::string_view key);

/// One figure derived again from others of the same entry.
struct Check {
  std::string figure;  ///< "tensor/bf16", "dram"
  double stated = 0, computed = 0;
  std::string unit;        ///< of both: "FLOP/s", "OP/s", "B/s"
  std::string arithmetic;  ///< "132 SM x 2048 FMA x 2 x 1830 MHz"
  std::string reason;      ///< the recorded reason of a deviation above 2 %, empty when none is recorded
  bool derived = false;    ///< the stated figure is itself derived (the check is circular)
  double deviation() const { return computed / stated - 1; }
};

/// Every peak from units x rate x 2 x clock and every bandwidth from width x data rate. A deviation above 2 %
/// without a recorded reason is a failure, and so is a recorded reason that explains nothing.
struct Verification {
  std::vector<Check> checks;
  std::vector<std::string> failures;  ///< sentences
};
Verification verify(const Gpu& gpu);

}  // namespace roofline
