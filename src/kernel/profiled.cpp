#include "roofline/kernel/profiled.hpp"

namespace roofline {

Seconds ProfiledKernel::time() const {
  Seconds sum;
  for (const auto& run : runs) sum += run.sum();
  return sum;
}

std::uint64_t Profiled::launches() const {
  std::uint64_t sum = 0;
  for (const auto& kernel : kernels) sum += kernel.launches + kernel.invalid_times;
  return sum;
}

std::optional<double> Profiled::sm_count(std::uint64_t device) const {
  for (const auto& known : devices)
    if (known.facts.ordinal == device && known.facts.sm_count > 0)
      return static_cast<double>(known.facts.sm_count);
  return std::nullopt;
}

Seconds Profiled::kernel_time() const {
  Seconds sum;
  for (const auto& kernel : kernels) sum += kernel.time();
  return sum;
}

}  // namespace roofline
