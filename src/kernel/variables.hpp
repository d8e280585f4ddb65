#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/expression.hpp"

namespace roofline {

/// Values that a swept variable takes, by position: nothing is expanded, so a range of 10^12 values
/// costs nothing.
struct Range {
  Count first, step;  ///< step: added, or multiplied by where `geometric`
  bool geometric = false;
  Count size;
  Count at(Count position) const;
};
using SweptList = std::vector<Expression>;

/// `params:` of a description: named integers. A list or a range sweeps; the points of a
/// description are the product of all that sweep, the last declared fastest.
class Variables {
 public:
  /// Values of variables that a caller sets for itself, by position.
  using Pins = std::span<const std::pair<std::size_t, Count>>;

  /// Every mistake is reported; names of wrong variables stay known, so that their uses are no
  /// mistakes as well.
  static Variables read(Reading& reading, const YamlNode* node);

  const Scope& scope() const { return scope_; }
  std::span<const std::string> swept() const { return swept_names_; }
  Count points() const { return points_; }  ///< overflowed past 2^127
  /// Values at the first point of the variables that do not vary; 0 for the others.
  std::span<const Count> constants() const { return constants_; }

  /// Every variable at `point` into `values`. With `varying_only` the others are there from the
  /// point before. Errors have the place of the expression.
  std::optional<Error> evaluate(Count point, bool varying_only, Pins pins,
                                std::vector<Count>& values, const YamlDocument& places) const;

  std::optional<std::size_t> find(std::string_view name) const;
  std::size_t swept_position(std::size_t axis) const { return axes_[axis].variable; }
  /// Marks what the marked variables are computed from.
  void mark_dependencies(std::vector<bool>& marked) const;

 private:
  struct Axis {
    std::size_t variable;
    std::variant<Range, SweptList> values;
    Count size() const;
  };

  void read_variable(Reading& reading, const YamlNode& key, const YamlNode& node);
  void read_scalar(Reading& reading, const std::string& name, const YamlNode& node);
  void read_list(Reading& reading, const std::string& name, const YamlNode& node);
  void read_range(Reading& reading, const std::string& name, const YamlNode& node);
  void declare(std::string name, bool varies, Count value, std::optional<Expression> expression);
  void sweep(const std::string& name, std::variant<Range, SweptList> values);

  Scope scope_;
  std::vector<Count> constants_;
  std::vector<std::optional<Expression>>
      expressions_;  ///< of variables that are neither constant nor swept
  std::vector<Axis> axes_;
  std::vector<std::string> swept_names_;
  Count points_ = 1;
};

}  // namespace roofline
