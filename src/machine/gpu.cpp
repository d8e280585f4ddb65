#include "roofline/machine/gpu.hpp"

namespace roofline {

std::optional<Hertz> Gpu::clock(ClockKind kind) const {
  if (kind == ClockKind::tensor && tensor_clock) return tensor_clock->value;
  if (boost_clock) return boost_clock->value;
  return std::nullopt;
}

}  // namespace roofline
