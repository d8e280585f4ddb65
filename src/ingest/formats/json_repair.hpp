#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// An object that writers of traces spoiled, made JSON again.
struct RepairedJson {
  enum class Outcome { done, cut, hopeless };
  Outcome outcome = Outcome::hopeless;  ///< cut: the text ends inside of it
  std::string text;                     ///< the object, done alone
  std::size_t taken = 0;                ///< bytes of the input that it was, done alone
  bool changed = false;
};

/// Reads the object at the start of `text` whose strings may hold control characters, quotes and
/// backslashes that nobody escaped. A quote closes a string where what follows is what JSON wants
/// there: a colon behind a key; behind a value the next key, or brackets and then a comma. `ends`:
/// nothing comes after `text`. At most kMost bytes are read.
/// Seen in: pytorch/pytorch#33961, #130622.
RepairedJson repair_json(std::string_view text, bool ends);
inline constexpr std::size_t kMostRepaired = std::size_t{4} << 20;

}  // namespace roofline
