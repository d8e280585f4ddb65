#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/machine/gpu.hpp"

namespace roofline {

/// One spelling under which an accelerator of the table is found.
struct NameRow {
  std::string_view key;  ///< as name_key() writes it
  std::size_t gpu;       ///< position in the table
  friend bool operator==(const NameRow&, const NameRow&) = default;
};

/// What of a name matters: lower case, no blanks, hyphens or underscores, no "NVIDIA" in front, no "0x" before a PCI id.
std::string name_key(std::string_view name);

/// The keys of one entry: id, aliases, device names, PCI ids with and without the vendor's number. No duplicates.
std::vector<std::string> name_keys(const Gpu& gpu);

/// Whether a row has exactly this name.
bool is_exact_name(std::string_view name, std::span<const NameRow> rows);

/// Positions of the accelerators that a user's word names: exactly, or (none exactly) those of which it is the
/// leading words ("rtx-pro-6000-blackwell"); a single one of the latter is a suggestion and not a match.
/// `rows` are sorted by key, `ids` in table order. One position is an answer, none is unknown, more are ambiguous.
std::vector<std::size_t> resolve_name(std::string_view name, std::span<const NameRow> rows,
                                      std::span<const std::string_view> ids);

}  // namespace roofline
