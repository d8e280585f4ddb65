#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// Five numbers of a distribution of times, and their sum.
struct TimeSummary {
  std::uint64_t count = 0;
  Seconds min, q1, median, q3, max, sum;
};

/// Durations in whole nanoseconds, as many as there are, in bounded memory: the first kExact are
/// kept as they are; past that, counts in buckets of equal relative width, so that a quantile is
/// within 0.03 % (half of 1/2048) of an exact one. The extremes and the sum are exact always.
class TimeSamples {
 public:
  static constexpr std::size_t kExact = 4096;

  void add(std::uint64_t nanoseconds);
  void add(const TimeSamples& other);

  std::uint64_t count() const { return count_; }
  bool exact() const { return !buckets_; }
  /// The smallest value that at least a share `q` of the samples does not pass; the mean of the two
  /// middle ones for the median of an even number. nullopt without samples.
  std::optional<Seconds> quantile(double q) const;
  TimeSummary summary() const;  ///< zeros without samples
  Seconds sum() const { return Seconds(sum_ / 1e9); }
  double nanoseconds() const { return sum_; }  ///< of all samples: exact below 2^53

 private:
  // A value is its leading bit's place and the kMantissa bits behind it.
  static constexpr int kMantissa = 11;
  using Octave = std::array<std::uint32_t, std::size_t{1} << kMantissa>;
  struct Buckets {
    std::array<std::unique_ptr<Octave>, 64> octaves;  // made when a value falls into one
  };
  void count_in_bucket(std::uint64_t value);
  void spill();
  double at_rank(std::uint64_t rank) const;  ///< the rank-th smallest, from 0, in ns

  std::vector<std::uint64_t> values_;
  std::unique_ptr<Buckets> buckets_;
  std::uint64_t count_ = 0, min_ = 0, max_ = 0;
  double sum_ = 0;
};

}  // namespace roofline
