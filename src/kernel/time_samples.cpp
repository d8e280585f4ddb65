#include "roofline/kernel/time_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace roofline {
namespace {

Seconds of_nanoseconds(double value) { return Seconds(value / 1e9); }

}  // namespace

void TimeSamples::add(std::uint64_t nanoseconds) {
  min_ = count_ == 0 ? nanoseconds : std::min(min_, nanoseconds);
  max_ = std::max(max_, nanoseconds);
  sum_ += static_cast<double>(nanoseconds);
  ++count_;
  if (buckets_) return count_in_bucket(nanoseconds);
  values_.push_back(nanoseconds);
  if (values_.size() > kExact) spill();
}

void TimeSamples::add(const TimeSamples& other) {
  if (other.count_ == 0) return;
  if (other.exact()) {
    for (const auto value : other.values_) add(value);
    return;
  }
  if (!buckets_) spill();
  for (std::size_t octave = 0; octave < other.buckets_->octaves.size(); ++octave) {
    const auto& theirs = other.buckets_->octaves[octave];
    auto& ours = buckets_->octaves[octave];
    if (!theirs) continue;
    if (!ours) ours = std::make_unique<Octave>(Octave{});
    for (std::size_t i = 0; i < theirs->size(); ++i) (*ours)[i] += (*theirs)[i];
  }
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

void TimeSamples::spill() {
  buckets_ = std::make_unique<Buckets>();
  for (const auto value : values_) count_in_bucket(value);
  values_ = {};
}

void TimeSamples::count_in_bucket(std::uint64_t value) {
  // Values of up to kMantissa bits are their own bucket, in the first octave.
  const int width = static_cast<int>(std::bit_width(value));
  const int shift = std::max(0, width - 1 - kMantissa);
  auto& octave = buckets_->octaves[width <= kMantissa ? 0 : static_cast<std::size_t>(width - 1)];
  if (!octave) octave = std::make_unique<Octave>(Octave{});
  ++(*octave)[static_cast<std::size_t>(value >> shift) & (octave->size() - 1)];
}

double TimeSamples::at_rank(std::uint64_t rank) const {
  if (rank == 0) return static_cast<double>(min_);
  if (rank + 1 >= count_) return static_cast<double>(max_);
  std::uint64_t before = 0;
  for (std::size_t index = 0; index < buckets_->octaves.size(); ++index) {
    const auto& octave = buckets_->octaves[index];
    for (std::size_t i = 0; octave && i < octave->size(); ++i) {
      before += (*octave)[i];
      if (before <= rank) continue;
      if (index == 0) return static_cast<double>(i);
      const double width = std::ldexp(1.0, static_cast<int>(index) - kMantissa);
      return std::clamp((static_cast<double>(octave->size() + i) + 0.5) * width - 0.5,
                        static_cast<double>(min_), static_cast<double>(max_));
    }
  }
  return static_cast<double>(max_);
}

std::optional<Seconds> TimeSamples::quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const double place = q * static_cast<double>(count_);
  const auto last = count_ - 1;
  const auto upper =
      std::min(static_cast<std::uint64_t>(std::max(0.0, std::ceil(place) - 1)), last);
  const bool between = q == 0.5 && count_ % 2 == 0;
  const auto next = between ? upper + 1 : upper;
  if (buckets_) return of_nanoseconds((at_rank(upper) + at_rank(next)) / 2);
  auto sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  return of_nanoseconds((static_cast<double>(sorted[upper]) + static_cast<double>(sorted[next])) /
                        2);
}

TimeSummary TimeSamples::summary() const {
  if (count_ == 0) return {};
  return {count_,
          of_nanoseconds(static_cast<double>(min_)),
          *quantile(0.25),
          *quantile(0.5),
          *quantile(0.75),
          of_nanoseconds(static_cast<double>(max_)),
          of_nanoseconds(sum_)};
}

}  // namespace roofline
