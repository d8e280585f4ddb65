#include "profile/range_filter.hpp"

#include <algorithm>

namespace roofline {

void RangeTimes::record(const capture::Text& text) { texts_[text.id] = text.value; }

void RangeTimes::record(const capture::Range& range) {
  const auto& name = texts_[range.name];
  all_names_.insert(name);
  if (range.end > range.start && names_->matches(name)) times_.emplace_back(range.start, range.end);
}

void RangeTimes::record(const capture::Api& api) {
  const bool enqueues = api.role != static_cast<std::uint64_t>(capture::ApiRole::other) &&
                        api.role != static_cast<std::uint64_t>(capture::ApiRole::wait);
  if (enqueues && api.correlation != 0) calls_.emplace_back(api.correlation, api.start);
}

void RangeTimes::finish() {
  std::sort(calls_.begin(), calls_.end());
  std::sort(times_.begin(), times_.end());
  std::size_t kept = 0;
  for (const auto& time : times_)
    if (kept > 0 && time.first <= times_[kept - 1].second)
      times_[kept - 1].second = std::max(times_[kept - 1].second, time.second);
    else
      times_[kept++] = time;
  times_.resize(kept);
}

bool RangeTimes::at(std::uint64_t time) const {
  const auto after =
      std::upper_bound(times_.begin(), times_.end(), time,
                       [](std::uint64_t t, const auto& range) { return t < range.first; });
  return after != times_.begin() && time < std::prev(after)->second;
}

bool RangeTimes::holds(std::uint64_t correlation, std::uint64_t start) const {
  const auto call =
      std::lower_bound(calls_.begin(), calls_.end(), std::pair(correlation, std::uint64_t{0}));
  // The runtime's call encloses the driver's of the same id: the first in time is the outer one.
  if (correlation != 0 && call != calls_.end() && call->first == correlation)
    return at(call->second);
  return at(start);
}

}  // namespace roofline
