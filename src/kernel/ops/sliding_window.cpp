#include "kernel/ops/sliding_window.hpp"

#include <utility>

namespace roofline::op_models {
namespace {

Count modulo(Count a, Count b) { return a - floor_div(a, b) * b; }
Count clamp(Count value, Count low, Count high) { return max(low, min(value, high)); }

Count greatest_common_divisor(Count a, Count b) {
  while (b > Count(0)) a = std::exchange(b, modulo(a, b));
  return a;
}

/// Sum of floor((slope*i + start) / divisor) for i in [0, n), all non-negative; logarithmic time.
/// The lattice points under a line, by the Euclidean algorithm (Graham, Knuth, Patashnik, Concrete
/// Mathematics, 3.5).
Count floor_sum(Count n, Count divisor, Count slope, Count start) {
  Count sum = 0;
  while (n > Count(0)) {
    sum += floor_div(n * (n - 1), 2) * floor_div(slope, divisor) + n * floor_div(start, divisor);
    slope = modulo(slope, divisor);
    start = modulo(start, divisor);
    const Count top = slope * n + start;
    if (top < divisor) break;
    n = floor_div(top, divisor);
    start = modulo(top, divisor);
    std::swap(divisor, slope);
  }
  return sum;
}

/// A rectangle of (output, tap) pairs, and how far one step of either moves through the input.
struct Rectangle {
  Count outputs, taps, stride, dilation;
};

/// Pairs of the rectangle with output*stride + tap*dilation < limit. For a tap that is
/// clamp(ceil((limit - tap*dilation) / stride), 0, outputs): whole at first, then falling, then
/// nothing.
Count pairs_below(const Rectangle& r, Count limit) {
  if (r.outputs <= Count(0) || r.taps <= Count(0)) return 0;
  const Count whole = clamp(ceil_div(limit - (r.outputs - 1) * r.stride, r.dilation), 0, r.taps);
  const Count some = clamp(ceil_div(limit, r.dilation), whole, r.taps);
  // From the last tap that contributes backwards, so that every term of the sum grows.
  const Count last = limit - (some - 1) * r.dilation;
  return whole * r.outputs + floor_sum(some - whole, r.stride, r.dilation, last + r.stride - 1);
}

/// Pairs that land inside the input, of a rectangle whose first pair lands at `origin` (negative:
/// in the padding).
Count pairs_inside(const Rectangle& r, Count in, Count origin) {
  return pairs_below(r, in - origin) - pairs_below(r, Count(0) - origin);
}

}  // namespace

Count output_size(const SlidingWindow& w) {
  return floor_div(w.in + w.pad * 2 - w.dilation * (w.kernel - 1) - 1, w.stride) + 1;
}

Count touched_inputs(const SlidingWindow& w) {
  const Count outputs = output_size(w);
  if (outputs <= Count(0) || w.in <= Count(0)) return 0;
  // Two pairs read the same input when they differ by (+reuse_outputs, -reuse_taps). Each input is
  // counted at its pair of the smallest tap: a tap under reuse_taps, or an output from which no
  // smaller tap can be reached.
  const Count common = greatest_common_divisor(w.stride, w.dilation);
  const Count reuse_taps = floor_div(w.stride, common),
              reuse_outputs = floor_div(w.dilation, common);
  const Rectangle small_taps{outputs, min(reuse_taps, w.kernel), w.stride, w.dilation};
  const Count last_outputs = min(reuse_outputs, outputs);
  const Rectangle end{last_outputs, w.kernel - reuse_taps, w.stride, w.dilation};
  const Count end_origin = (outputs - last_outputs) * w.stride + reuse_taps * w.dilation - w.pad;
  return pairs_inside(small_taps, w.in, Count(0) - w.pad) + pairs_inside(end, w.in, end_origin);
}

Count valid_taps(const SlidingWindow& w) {
  return pairs_inside({output_size(w), w.kernel, w.stride, w.dilation}, w.in, Count(0) - w.pad);
}

}  // namespace roofline::op_models
