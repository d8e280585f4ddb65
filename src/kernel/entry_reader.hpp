#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/arguments.hpp"
#include "kernel/defaults.hpp"
#include "kernel/entry.hpp"

namespace roofline {

/// What the entries of one description share.
struct EntrySurroundings {
  Scope& scope;  ///< the variables; an entry adds its symbols while it is read
  const SharedTensors& tensors;
  const Defaults& defaults;
  std::vector<Count>*
      values;  ///< of the variables at the first point; nullptr where a mistake left some unknown
};

/// Keeps the names of kernels apart: the second "gemm" is "gemm#2".
class KernelNames {
 public:
  std::string unique(std::string name);

 private:
  std::map<std::string, int> used_;  ///< name -> how often it was asked for
};

/// Reads one entry of `kernels:`. Nothing comes back where the op is not known; every other mistake
/// is reported and leaves an entry that must not be evaluated.
class EntryReader {
 public:
  EntryReader(Reading& reading, const EntrySurroundings& around, KernelNames& names)
      : reading_(reading), around_(around), names_(names) {}

  /// `file_keys`: keys of `node` that belong to the file (a file that is a single entry).
  std::optional<Entry> read(const YamlNode& node, std::span<const std::string_view> file_keys = {});

 private:
  /// A key that gives a parameter, by its name or by an alias.
  struct Given {
    const ParamSpec* spec = nullptr;  ///< nullptr: given way to another key
    const ParamAlias* alias = nullptr;
    const YamlNode* key = nullptr;
    const YamlNode* value = nullptr;
    bool of_several =
        false;  ///< the alias stands for several parameters: any of them may be given on its own
    bool contradicts = false;
  };
  using KeyReader = void (EntryReader::*)(const YamlNode&);
  struct GeneralKey {
    std::string_view name;
    KeyReader read;
  };
  static std::span<const GeneralKey> general_keys();

  bool read_op(const YamlNode& node);
  void read_keys(const YamlNode& node, std::span<const std::string_view> file_keys);
  bool read_key(const YamlNode& key, const YamlNode& value);
  bool give_argument(const YamlNode& key, const YamlNode& value);
  void report_unknown_key(const YamlNode& key, bool nested);

  void resolve_aliases();
  void give_way(std::size_t i);
  void report_without_effect();
  void read_arguments(const YamlNode& node);
  void check_required(const YamlNode& node);

  void bind_operands();
  void bind_operand(const YamlNode& key, const YamlNode& value);
  void bind_named(std::span<const NamedTensor> named);
  void use_tensor(std::string operand, const OperandSpec* spec, const YamlNode& tensor);

  // Keys that every op has.
  void ignore(const YamlNode&) {}
  void read_name(const YamlNode& node);
  void read_nested(const YamlNode& node);
  void read_entry_dtype(const YamlNode& node);
  void read_dtypes(const YamlNode& node) { dtypes_ = &node; }
  void read_operands(const YamlNode& node) { operands_ = &node; }
  void read_repeat(const YamlNode& node);
  void read_tile(const YamlNode& node);
  void read_time(const YamlNode& node);
  void read_entry_timing(const YamlNode& node);
  void read_working_set(const YamlNode& node);
  void read_entry_launch_cost(const YamlNode& node);
  void read_entry_path(const YamlNode& node);
  void read_entry_link(const YamlNode& node);
  void read_match(const YamlNode& node);
  std::vector<std::uint64_t> read_sizes(const YamlNode& node, std::string_view what);
  void check_pattern(const YamlNode& match, std::string_view key, const std::string& text);
  void read_launch(const YamlNode& node) { launch_ = &node; }
  void read_reads(const YamlNode& node) { reads_ = &node; }
  void read_writes(const YamlNode& node) { writes_ = &node; }

  void add_slot(Slot::Target target, Expression expression, std::string_view what, Count minimum,
                std::size_t field);
  bool is_generic() const { return entry_.prototype.op->name == "generic"; }

  Reading& reading_;
  const EntrySurroundings& around_;
  KernelNames& names_;

  // Of the entry being read.
  Entry entry_;
  std::vector<Given> given_;
  std::optional<DType> dtype_;
  const YamlNode* dtypes_ = nullptr;
  const YamlNode* operands_ = nullptr;
  const YamlNode* launch_ = nullptr;
  const YamlNode* reads_ = nullptr;
  const YamlNode* writes_ = nullptr;
  bool has_repeat_ = false;
  bool wrong_dtype_ = false;
  bool unknown_key_ = false;  ///< which may be the misspelt name of what is missing
};

}  // namespace roofline
