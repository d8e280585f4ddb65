#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/quantities/count.hpp"

namespace roofline {

/// An integer expression that a user wrote: + - * / // % ** parentheses, min, max, ceil, floor, ceil_div, log2 over
/// named values; exact rational arithmetic inside, and a result that is not an integer is an error that names the
/// expression. Data, never code: bounded in length, depth and value (2^127), no side effects.
class Formula {
 public:
  /// Parses `text`; names are resolved to positions in `names` once, here. Errors carry the column within `text`
  /// (1-based) in Location::column and the length of the offending part; the caller adds file and line.
  static Result<Formula> parse(std::string_view text, std::span<const std::string> names);

  /// The value over `values` (same order as `names`). Errors: not an integer, division by zero, past 2^127, a
  /// negative or huge exponent, log2 of what is no power of two where it would be rounded (log2 must be exact or
  /// wrapped in ceil/floor).
  Result<Count> evaluate(std::span<const Count> values) const;

  bool constant() const;                 ///< uses no name
  std::span<const int> names() const;    ///< positions of the names it uses
  const std::string& text() const { return text_; }

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
  std::string text_;
};

}  // namespace roofline
