#include "profile/launch_stretches.hpp"

#include <algorithm>

namespace roofline {
namespace {

constexpr std::uint64_t kShare = 4;  // a quarter
/// A period that is not bound by launches is passed over inside a stretch, if it is this short, or
/// a tenth of the stretch.
constexpr std::uint64_t kShort = 50'000;

}  // namespace

void LaunchStretches::gap(std::uint64_t from, std::uint64_t to, std::uint64_t launching) {
  if (launching == 0) return;
  // A period: what ran since the last such gap, and this one.
  const auto begin = open_ ? stretch_.end : from;
  const auto period = to - begin;
  const bool bound = kShare * launching >= period;
  const bool passed_over = open_ &&
                           period <= std::max(kShort, (stretch_.end - stretch_.start) / 10) &&
                           kShare * (stretch_.idle + launching) >= to - stretch_.start;
  if (open_ && !bound && !passed_over) close();
  if (!open_) {
    // The gap alone: what ran before it belongs to no stretch.
    if (kShare * launching < to - from) return;
    open_ = true;
    kernels_before_ = kernels_;
    stretch_ = {from, to, launching, 1};
    return;
  }
  stretch_.end = to;
  stretch_.idle += launching;
  stretch_.kernels = kernels_ - kernels_before_ + 1;
}

void LaunchStretches::close() {
  open_ = false;
  kept_.push_back(stretch_);
  if (kept_.size() < 8 * kKept) return;
  std::nth_element(kept_.begin(), kept_.begin() + kKept, kept_.end(),
                   [](const Stretch& a, const Stretch& b) { return a.idle > b.idle; });
  kept_.resize(kKept);
}

std::vector<LaunchStretches::Stretch> LaunchStretches::finish() {
  if (open_) close();
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Stretch& a, const Stretch& b) { return a.idle > b.idle; });
  if (kept_.size() > kKept) kept_.resize(kKept);
  return std::move(kept_);
}

}  // namespace roofline
