#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/entry.hpp"

namespace roofline {

/// A tensor that an entry declares or names itself (generic, fused_chain).
struct NamedTensor {
  std::string name;
  const YamlNode* node = nullptr;  ///< where it is named first
  std::optional<DType> dtype;      ///< its own
  bool reads = false, writes = false, reads_first = false;
};

/// Reads the parameters of an op into an entry: constants as values, everything else as slots.
class ArgumentReader {
 public:
  /// `values`: of the names in scope at the first point, or nullptr. Symbols are added to both.
  ArgumentReader(Reading& reading, Scope& scope, std::vector<Count>* values,
                 const SharedTensors& shared, Entry& entry)
      : reading_(reading), scope_(scope), values_(values), shared_(shared), entry_(entry) {}

  void read(const ParamSpec& spec, const YamlNode& node);
  /// A choice that was not written as such (`causal: true`).
  void set_choice(const ParamSpec& spec, std::string_view choice, const YamlNode& node);
  /// `reads:` and `writes:` of generic, as tensors with the shapes that they share.
  void read_accesses(const ParamSpec& tensors, const YamlNode* reads, const YamlNode* writes);

  const std::vector<NamedTensor>& named() const { return named_; }

 private:
  /// Where in the OpInput a value is being read into: what a slot remembers.
  struct Path {
    std::array<int, 4> steps = {};
    int depth = 0;
    Path operator/(std::size_t index) const;
  };

  Value read_value(const ParamSpec& spec, const YamlNode& node, Path path);
  Value read_count(std::string_view what, Count minimum, const YamlNode& node, Path path);
  Value read_number(const ParamSpec& spec, const YamlNode& node, Path path);
  Value read_counts(std::string_view what, Count minimum, const YamlNode& node, Path path);
  Value read_count_lists(const ParamSpec& spec, const YamlNode& node, Path path);
  Value read_symbols(const YamlNode& node, Path path);
  Value read_work(const YamlNode& node, Path path);
  Value read_tensors(const YamlNode& node, Path path);
  std::optional<Value> read_tensor(const YamlNode& node, Path path);
  Value read_steps(const YamlNode& node, Path path);
  Value read_step(const YamlNode& node, Path path);
  ValueList read_step_names(const YamlNode* node, std::string_view what, bool written);
  Value read_name_list(const YamlNode& node, std::string_view what);

  /// Its value at the first point, where that is known.
  Count add_slot(Slot::Target target, Expression expression, std::string_view what, Count minimum,
                 Path path);
  std::optional<Value> shared_shape(const YamlNode& name, Path path);
  Value described(std::string_view name, Value shape, std::string_view access) const;
  void name_tensor(const YamlNode& node, std::optional<DType> dtype, bool reads, bool writes);
  /// The items of a list; none, and an error, where they are more than an op is counted with.
  std::span<const YamlNode> items_of(const YamlNode& list, std::string_view what, std::size_t most);

  Reading& reading_;
  Scope& scope_;
  std::vector<Count>* values_;
  const SharedTensors& shared_;
  Entry& entry_;
  std::vector<NamedTensor> named_;
};

}  // namespace roofline
