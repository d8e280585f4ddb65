#include "roofline/machine/gpu.hpp"

namespace roofline {

std::optional<Hertz> Gpu::clock(ClockKind kind) const {
  if (kind == ClockKind::tensor && tensor_clock) return tensor_clock->value;
  if (boost_clock) return boost_clock->value;
  return std::nullopt;
}

bool Gpu::switch_sums() const {
  if (vendor != "nvidia" || !nvlink || !compute_capability) return false;
  const std::string_view major =
      std::string_view(compute_capability->value).substr(0, compute_capability->value.find('.'));
  return major.size() > 1 || major >= "9";
}

}  // namespace roofline
