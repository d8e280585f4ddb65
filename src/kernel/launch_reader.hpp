#pragma once

#include <optional>
#include <vector>

#include "kernel/entry.hpp"

namespace roofline {

/// Reads `launch:` of an entry: expressions become slots, names of tensors are looked up when the
/// entry is evaluated.
class LaunchReader {
 public:
  /// `values`: of the names in scope at the first point, or nullptr.
  LaunchReader(Reading& reading, const Scope& scope, const std::vector<Count>* values, Entry& entry)
      : reading_(reading), scope_(scope), values_(values), entry_(entry) {}

  void read(const YamlNode& node);

 private:
  void read_code(YamlMap& map, const YamlNode& node);
  void read_size(const YamlNode* node, LaunchField field, std::string_view what);
  void read_count(const YamlNode* node, LaunchField field, std::string_view what, Count minimum,
                  int index = 0);
  void read_arguments(const YamlNode* node);
  void read_argument(const YamlNode& node);
  void read_typed(const YamlNode& node);
  void read_integer(const YamlNode& node, ArgumentType type);
  void read_buffers(const YamlNode* node);
  void read_buffer(const YamlNode& key, const YamlNode& node);
  void read_options(const YamlNode* node);
  LaunchRecipe& recipe() { return entry_.prototype.launch.front(); }
  void add_argument(LaunchArgument argument, const YamlNode& node);

  Reading& reading_;
  const Scope& scope_;
  const std::vector<Count>* values_;
  Entry& entry_;
};

/// Finds the tensors that arguments name: buffers of the launch, shared tensors, operands of the
/// op. Checks the limits that every CUDA device has. Errors with their places.
std::optional<Error> resolve_launch(const Entry& entry, const Surroundings& around, Kernel& kernel);

}  // namespace roofline
