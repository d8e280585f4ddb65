#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression.hpp"
#include "kernel/shared_tensors.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// Part of a file without its text, small enough to keep for every parameter of a million kernels.
struct Place {
  int line = 0, column = 0, length = 1;
  static Place of(const YamlNode& node);
};

/// A count that an expression gives, and where in the kernel it goes. Everything else of a kernel
/// is the same at every point and stands in the entry's prototype.
struct Slot {
  enum class Target : unsigned char { argument, symbol, repeat, tile, launch };
  Expression expression;
  Target target = Target::argument;
  /// argument, symbol: position in the OpInput, then of the item in each nested list or map. tile:
  /// row of tile_fields(). launch: LaunchField, then the position in it.
  std::array<int, 4> path = {};
  int depth = 0;
  std::string_view what;  ///< the parameter, in messages
  Count minimum = 0;
};

/// The counts of `launch:`.
enum class LaunchField : int {
  grid,
  block,
  shared,
  warmups,
  repeats,
  argument,
  buffer_bytes,
  buffer_below
};

/// An operand bound to a shared tensor.
struct OperandUse {
  std::string operand;
  std::size_t tensor = 0;
  const OperandSpec* spec = nullptr;
  bool several_passes = false;  ///< a chain of kernels may read the same tensor more than once
  /// Where the description itself says what is read and written (generic, fused_chain), also in
  /// chip.
  bool declared = false, reads = false, writes = false, reads_first = false;
  Place place;
};

/// One entry of `kernels:`, compiled.
struct Entry {
  Kernel prototype;  ///< its expressions are 0, its place and work are empty
  std::vector<Slot> slots;
  std::vector<OperandUse> uses;
  std::vector<std::pair<std::string_view, Place>>
      arguments;  ///< where each parameter and dtype was given
  Place place;
  bool varies = false;
  Place launch_place;                ///< of `launch:`
  std::vector<Place> launch_places;  ///< of its arguments
};

/// Adds a slot to an entry. Its value at the first point comes back; a mistake in it is reported at
/// once, whatever else is wrong with the entry. `values`: of the names in scope at the first point,
/// nullptr where some are not known.
Count add_slot(Reading& reading, const std::vector<Count>* values, Slot slot, Entry& entry);

/// What every evaluation of one description needs.
struct Surroundings {
  const YamlDocument& places;
  const SharedTensors& declared;
  std::span<const SharedTensor> tensors;  ///< at this point
};

/// The entry at one point into `kernel`; with `varying_only` the rest is there from the point
/// before. `values` are those of the variables; the entry's symbols follow them while it is
/// evaluated.
std::optional<Error> evaluate(const Entry& entry, bool varying_only, const Surroundings& around,
                              std::vector<Count>& values, Kernel& kernel);

/// Fields of `tile:`, by name.
struct TileField {
  std::string_view name;
  Count Tile::*field;
  Count minimum;
  bool required;
};
std::span<const TileField> tile_fields();

}  // namespace roofline
