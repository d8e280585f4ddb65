#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/reading.hpp"
#include "roofline/kernel/formula.hpp"

namespace roofline {

/// The names that an expression may use, in the order of their values.
struct Scope {
  std::vector<std::string> names;
  std::vector<bool> varies;   ///< takes another value at another point of the sweep
  std::vector<bool> unknown;  ///< a mistake was reported: its uses are no mistakes as well

  std::size_t size() const { return names.size(); }
  void add(std::string name, bool varying, bool value_unknown = false);
  void shrink(std::size_t size);  ///< leaves an inner scope
};

/// A count as a user wrote it: an expression and where it stands.
struct Expression {
  Formula formula;
  int line = 0, column = 0;
  bool quoted = false;
  bool varies = false;
  bool unknown = false;

  YamlNode node() const;  ///< the scalar that it was read from
};

/// Compiles a scalar; anything else, and every mistake in it, is reported. `what` names it in
/// messages.
std::optional<Expression> read_expression(Reading& reading, const YamlNode& node,
                                          std::string_view what, const Scope& scope);

/// The smallest count: a minimum that every integer reaches.
inline constexpr Count kAnyInteger =
    Count(0) - Count::from_int128(static_cast<__int128>(~static_cast<unsigned __int128>(0) >> 1));

/// The value, at least `minimum`, or the error with its place.
Result<Count> evaluate(const Expression& expression, std::string_view what, Count minimum,
                       std::span<const Count> values, const YamlDocument& places);

/// A count that is known when it is read: no name, or only names that do not vary.
std::optional<Count> read_constant(Reading& reading, const YamlNode& node, std::string_view what,
                                   Count minimum, const Scope& scope,
                                   std::span<const Count> values);

}  // namespace roofline
