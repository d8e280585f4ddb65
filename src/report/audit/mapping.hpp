#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/audit/row_fields.hpp"
#include "roofline/kernel/op.hpp"

namespace roofline::audit_rows {

/// How a parameter follows from the cells of a row: "kv_prefix+q_len|q", "[h,w]", "[[rows,cols],[rows,cols]]".
class Mapping {
 public:
  /// `text` is one of our own tables': it is well formed.
  static Mapping of(const ParamSpec& param, std::string_view text);
  const ParamSpec& param() const { return *param_; }

  /// nullopt: a name is missing, or its cell is no count.
  std::optional<Value> value(const RowFields& row) const;

 private:
  struct Node {
    std::vector<Node> items;                      // of a list
    std::vector<std::vector<std::string_view>> sum;  // of a count: alternatives of each summand
    bool list = false;
  };
  static Node parse(std::string_view& text);
  static std::optional<Value> evaluate(const Node& node, const RowFields& row);

  const ParamSpec* param_ = nullptr;
  Node root_;
};

/// The mappings of one row of the table of words. Names of parameters are those of `op`.
std::vector<Mapping> parse_mappings(const OpEntry& op, std::string_view text);

const ParamSpec* find_param(const OpEntry& op, std::string_view name);

}  // namespace roofline::audit_rows
