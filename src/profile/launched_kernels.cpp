#include "profile/launched_kernels.hpp"

namespace roofline {

void LaunchedKernels::set(std::uint64_t shape, Slot slot) {
  if (shapes_.size() <= shape) shapes_.resize(shape + 1);
  shapes_[shape] = slot;
}

void LaunchedKernels::set(std::uint64_t shape, std::uint64_t operation, std::uint32_t kernel) {
  variants_[shape << 32 | operation] = kernel;
}

const LaunchedKernels::Slot* LaunchedKernels::shape(std::uint64_t id) const {
  return id < shapes_.size() && shapes_[id].kernel != kNone ? &shapes_[id] : nullptr;
}

std::uint32_t LaunchedKernels::of(std::uint64_t shape, std::uint64_t operation) const {
  if (operation == 0) return shape < shapes_.size() ? shapes_[shape].kernel : kNone;
  const auto at = variants_.find(shape << 32 | operation);
  return at == variants_.end() ? kNone : at->second;
}

}  // namespace roofline
