#include "kernel/ops/attention_mask.hpp"

namespace roofline::op_models {
namespace {

Count clamp(Count value, Count low, Count high) { return max(low, min(value, high)); }

/// Sum of (j + offset) for j in [from, to), from <= to.
Count sum_of_range(Count from, Count to, Count offset) {
  const Count n = to - from;
  return n * offset + floor_div(n * (from + to - 1), 2);
}

/// Row at position j sees [max(0, j - left), min(keys, j + right + 1)). Rows before position -right
/// see nothing; both bounds are linear in j and clipped once, so each sums as two pieces.
Visible visible_in_window(Count rows, Count keys, Count left, Count right) {
  const bool left_bounded = left >= Count(0), right_bounded = right >= Count(0);
  Count first = keys - rows;
  if (right_bounded) first = max(first, Count(0) - right);
  Visible seen;
  seen.rows = keys - first;
  if (right_bounded) {
    const Count clipped =
        clamp(keys - right - 1, first, keys);  // from here on the upper bound is `keys`
    seen.pairs = sum_of_range(first, clipped, right + 1) + (keys - clipped) * keys;
  } else {
    seen.pairs = seen.rows * keys;
  }
  seen.keys = keys;
  if (left_bounded) {
    const Count from = clamp(left, first, keys);  // before this the lower bound is 0
    seen.pairs -= sum_of_range(from, keys, Count(0) - left);
    seen.keys -= max(0, first - left);
  }
  return seen;
}

}  // namespace

Visible visible(Count rows, Count keys, const AttentionMask& mask) {
  if (rows.overflowed() || keys.overflowed())
    return {Count::overflow(), Count::overflow(), Count::overflow()};
  if (rows <= Count(0) || keys <= Count(0)) return {0, 0, 0};
  switch (mask.kind) {
    case AttentionMask::Kind::full: break;
    case AttentionMask::Kind::causal: return visible_in_window(rows, keys, -1, 0);
    case AttentionMask::Kind::window: return visible_in_window(rows, keys, mask.left, mask.right);
  }
  return {rows * keys, rows, keys};
}

}  // namespace roofline::op_models
