#include "roofline/kernel/profiled.hpp"

#include <algorithm>

namespace roofline {

Seconds ProfiledKernel::time() const {
  double nanoseconds = 0;
  Seconds sum;
  for (const auto& run : runs) nanoseconds += run.nanoseconds();
  for (const auto& summed : sums) sum += summed.total;
  return Seconds(nanoseconds / 1e9) + sum;
}

Seconds ProfiledKernel::typical_time() const {
  std::vector<Seconds> medians;
  for (const auto& run : runs)
    if (run.count() > 0) medians.push_back(run.summary().median);
  for (const auto& summed : sums)
    if (summed.launches > 0) medians.push_back(summed.typical());
  if (medians.empty()) return Seconds(0);
  std::sort(medians.begin(), medians.end());
  const auto middle = medians.size() / 2;
  return medians.size() % 2 == 1 ? medians[middle] : (medians[middle - 1] + medians[middle]) / 2;
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
  double nanoseconds = 0;
  Seconds summed;
  for (const auto& kernel : kernels) {
    for (const auto& run : kernel.runs) nanoseconds += run.nanoseconds();
    for (const auto& sums : kernel.sums) summed += sums.total;
  }
  return Seconds(nanoseconds / 1e9) + summed;
}

}  // namespace roofline
