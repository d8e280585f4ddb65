#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

using ByteSet = std::bitset<256>;

/// What a pattern is made of. Nodes lie in one list, children by their number.
struct PatternNode {
  enum class Kind : unsigned char {
    empty,
    set,
    begin,
    end,
    word_edge,
    not_word_edge,
    sequence,
    either,
    repeat
  };
  Kind kind = Kind::empty;
  ByteSet set;
  std::vector<int> parts;   ///< of a sequence or an alternative; one of a repetition
  int least = 0, most = 0;  ///< of a repetition; most < 0: no end
};

struct PatternTree {
  std::vector<PatternNode> nodes;
  int root = 0;
};

/// Errors: bad_expression, limit_exceeded; the column counts within `text`.
Result<PatternTree> parse_regex(std::string_view text);
Result<PatternTree> parse_glob(std::string_view text);

ByteSet word_bytes();

}  // namespace roofline
