#pragma once

#include "roofline/quantities/count.hpp"

namespace roofline::op_models {

/// Which keys the rows of one sequence see. Rows and keys are aligned at the bottom right: the last
/// row sees the last key. A row i stands at position j = i + keys - rows.
struct AttentionMask {
  enum class Kind { full, causal, window };
  Kind kind = Kind::full;
  Count left = -1;   ///< window: keys before j that are seen; negative: all
  Count right = -1;  ///< window: keys after j that are seen; negative: all
};

struct Visible {
  Count pairs;  ///< (row, key) pairs
  Count rows;   ///< rows that see at least one key
  Count keys;   ///< length of the range of keys that some row sees
};

/// In closed form: a context of a million tokens costs no more than one of ten.
Visible visible(Count rows, Count keys, const AttentionMask& mask);

}  // namespace roofline::op_models
