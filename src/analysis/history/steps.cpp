#include <algorithm>
#include <cmath>

#include "roofline/analysis/history.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLeastSide = 5;
constexpr double kPenalty = 12;  // times log(n) times the variance
constexpr double kLeastNoise = 0.005;

/// Sums from the start, so that the squares of any stretch are a difference.
class Stretches {
 public:
  explicit Stretches(std::span<const double> values) : sums_{0}, squares_{0} {
    for (const double value : values) {
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }
  double mean(std::size_t first, std::size_t last) const {
    return (sums_[last] - sums_[first]) / static_cast<double>(last - first);
  }
  /// Sum of squares around the mean of [first, last).
  double cost(std::size_t first, std::size_t last) const {
    const double sum = sums_[last] - sums_[first];
    return squares_[last] - squares_[first] - sum * sum / static_cast<double>(last - first);
  }

 private:
  std::vector<double> sums_, squares_;
};

/// Standard deviation of single points from the median difference of neighbours, which steps hardly
/// touch.
double noise_of(std::span<const double> logs) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < logs.size(); ++i)
    differences.push_back(std::fabs(logs[i] - logs[i - 1]));
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  return std::max(kLeastNoise, *middle / 0.6745 / std::sqrt(2.0));
}

/// Running median of five, fewer at the ends: a run that was disturbed is no step.
std::vector<double> smoothed(std::span<const double> values) {
  std::vector<double> smooth;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t reach = std::min({std::size_t{2}, i, values.size() - 1 - i});
    std::vector<double> window(values.begin() + static_cast<std::ptrdiff_t>(i - reach),
                               values.begin() + static_cast<std::ptrdiff_t>(i + reach + 1));
    std::sort(window.begin(), window.end());
    smooth.push_back(window[reach]);
  }
  return smooth;
}

void cut(const Stretches& stretches, std::size_t first, std::size_t last, double least_gain,
         std::vector<std::size_t>& cuts) {
  if (last - first < 2 * kLeastSide) return;
  const double whole = stretches.cost(first, last);
  double best_gain = 0;
  std::size_t best = first;
  for (std::size_t at = first + kLeastSide; at + kLeastSide <= last; ++at) {
    const double gain = whole - stretches.cost(first, at) - stretches.cost(at, last);
    if (gain <= best_gain) continue;
    best_gain = gain;
    best = at;
  }
  if (best_gain <= least_gain) return;
  cut(stretches, first, best, least_gain, cuts);
  cuts.push_back(best);
  cut(stretches, best, last, least_gain, cuts);
}

}  // namespace

std::vector<HistoryStep> history_steps(std::span<const double> times_s) {
  if (times_s.size() < 2 * kLeastSide) return {};
  std::vector<double> logs;
  for (const double time : times_s) logs.push_back(std::log(time));
  // Around their mean the sums of squares keep their digits.
  const double middle = Stretches(logs).mean(0, logs.size());
  for (double& value : logs) value -= middle;
  const Stretches stretches(smoothed(logs));
  const double noise = noise_of(logs);
  std::vector<std::size_t> cuts;
  cut(stretches, 0, logs.size(),
      kPenalty * std::log(static_cast<double>(logs.size())) * noise * noise, cuts);
  std::vector<HistoryStep> steps;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : cuts[i - 1],
                      to = i + 1 == cuts.size() ? logs.size() : cuts[i + 1];
    steps.push_back({cuts[i], std::exp(stretches.mean(from, cuts[i]) + middle),
                     std::exp(stretches.mean(cuts[i], to) + middle)});
  }
  return steps;
}

}  // namespace roofline
