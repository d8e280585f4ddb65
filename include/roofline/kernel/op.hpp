#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/work.hpp"
#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// The value of one op parameter, after expressions were evaluated.
struct Value;
using ValueList = std::vector<Value>;
struct NamedValue;
using ValueMap = std::vector<NamedValue>;  // of a struct: a pair of what is not complete yet is none for every compiler
struct Value {
  std::variant<std::monostate, Count, double, bool, std::string, ValueList, ValueMap> data;
};
struct NamedValue {
  std::string name;
  Value value;
};

enum class ParamType {
  count,        ///< non-negative integer, written as a number or an expression
  number,       ///< any finite decimal (alpha, beta)
  flag,         ///< true or false
  choice,       ///< one of `choices`
  counts,       ///< list of counts: a shape
  count_lists,  ///< list of lists of counts: shapes, groups
  symbols,      ///< map of name -> count, in scope for the expressions of the same entry (generic)
  tensors,      ///< list of {name, shape, access} (generic)
  steps,        ///< list of {reads, writes, flops, sfu} (fused_chain)
  names,        ///< list of names (outputs)
  work_map,     ///< map of datapath -> count, such as {vector.fp32: 9*N, matmul.bf16: 2*N*N, sfu: N, int: 0} (generic)
};

struct ParamSpec {
  std::string_view name;
  ParamType type = ParamType::count;
  bool required = true;
  std::string_view doc;
  std::string_view default_value = {};        ///< as text, for the documentation
  std::span<const std::string_view> choices = {};
  Count minimum = 0;                          ///< of a count, and of every count in a list
};

/// Which dtype an operand has when the entry does not say.
struct OperandSpec {
  std::string_view name;
  std::string_view doc;
  std::string_view default_dtype = {};  ///< "": the entry's `dtype`; "=a": that of operand a; else a fixed dtype's name
  bool optional = false;                ///< absent unless given (an fp32 master copy)
  std::string_view traffic = {};        ///< its names in Work, separated by spaces, where they are not just `name`
  bool partial = false;                 ///< the op may touch less than the whole tensor (rows of a table)
};

/// Another spelling of a parameter: M for m, heads for heads_q, causal: true for mask: causal.
struct ParamAlias {
  std::string_view alias;
  std::string_view targets;             ///< one or several parameter names, separated by spaces
  std::string_view value_if_true = {};  ///< the target's value when the alias is a flag (causal -> "causal")
};

/// What a model function is given: every parameter evaluated and checked against its ParamSpec, every dtype known.
class OpInput {
 public:
  void set(std::string_view name, Value value);
  void set_dtype(std::string_view operand, DType dtype);
  void set_dtypes(std::string_view operand, std::vector<DType> list);  ///< elementwise: one per input
  void clear();

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Value* find(std::string_view name) const;
  /// Where a value stands, for writing it again at every point of a sweep; -1 when absent. Setting a new name does not
  /// move the others.
  int position(std::string_view name) const;
  Value& at(int position) { return values_[static_cast<std::size_t>(position)].second; }
  Count count(std::string_view name, Count otherwise = 0) const;
  double number(std::string_view name, double otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::string_view choice(std::string_view name, std::string_view otherwise) const;
  std::vector<Count> counts(std::string_view name) const;  ///< empty when absent
  std::vector<std::vector<Count>> count_lists(std::string_view name) const;

  bool has_dtype(std::string_view operand) const;
  DType dtype(std::string_view operand) const;  ///< must be there: OperandSpec guarantees it
  std::span<const DType> dtype_list(std::string_view operand) const;

 private:
  std::vector<std::pair<std::string_view, Value>> values_;  // names point into ParamSpecs or the caller's strings
  std::vector<std::pair<std::string, std::vector<DType>>> dtypes_;
};

/// Why an op cannot be counted: which parameter, what is wrong, how to mend it.
struct OpError {
  std::string param;  ///< a parameter or operand name; empty when it is the whole entry
  std::string what, hint;
};

using OpModel = tl::expected<Work, OpError> (*)(const OpInput&);

/// One row of the table of operations: everything that help, docs, error hints and tests need to know of it.
struct OpEntry {
  std::string_view name;
  std::string_view family;
  std::string_view doc;                  ///< one line
  std::span<const ParamSpec> params;
  std::span<const OperandSpec> operands;
  std::span<const ParamAlias> aliases;
  std::string_view work;                 ///< FLOPs in closed form
  std::string_view bytes;                ///< compulsory bytes in closed form
  std::string_view intensity;            ///< in closed form
  std::string_view source;
  std::string_view example;              ///< a kernel description in YAML that runs
  OpModel model;
};

std::span<const OpEntry> ops();                 ///< sorted by name
const OpEntry* find_op(std::string_view name);
std::span<const std::string_view> op_names();

}  // namespace roofline
