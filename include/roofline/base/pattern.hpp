#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "roofline/base/result.hpp"

namespace roofline {

/// A pattern for names, compiled. Matching takes at most length of the pattern x length of the text
/// steps and no stack, whatever either holds: patterns and kernel names come from strangers, and
/// std::regex takes exponential time on some patterns and overflows the stack on names of some ten
/// kilobytes. It works on bytes.
class Pattern {
 public:
  /// The whole text: * any characters, ? one, [abc] [a-z] [!a] one of a set.
  static Result<Pattern> glob(std::string_view text);

  /// Searched anywhere in the text: the usual syntax ( | ) (?: ) . [ ] * + ? {n,m} ^ $ \b \d \w \s
  /// and their opposites, \xhh. Without what needs backtracking: back-references and look-around.
  /// Errors: bad_expression; the column of their Location counts within `text`, from 1.
  static Result<Pattern> regex(std::string_view text);

  bool matches(std::string_view text) const;

 private:
  struct Program;
  explicit Pattern(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
};

inline constexpr std::size_t kMostPatternBytes = 4096;
inline constexpr std::size_t kMostPatternSteps = 20'000;  ///< of a compiled pattern

}  // namespace roofline
