#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <tuple>

#include "roofline/analysis/history.hpp"

namespace roofline {
namespace {

/// Days since 1970 of "2026-11-30T..."; a time that is none counts as 1970.
long day_of(const std::string& time) {
  if (time.size() < 10) return 0;
  const auto number = [&](std::size_t at, std::size_t length) { return std::atoi(time.substr(at, length).c_str()); };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  return day.ok() ? std::chrono::sys_days(day).time_since_epoch().count() : 0;
}

/// Weeks start on Monday: 1970-01-01 was a Thursday.
long week_of(long day) { return (day + 3) / 7; }

}  // namespace

std::vector<std::string> runs_to_remove(std::span<const ThinnedRun> runs, const Thinning& thinning) {
  if (runs.size() <= thinning.keep) return {};
  const auto old = runs.first(runs.size() - thinning.keep);
  const long edge = thinning.keep > 0 ? day_of(runs[old.size()].time) : day_of(runs.back().time) + 1;
  std::map<std::tuple<std::string, bool, long>, std::vector<const ThinnedRun*>> groups;
  for (const auto& run : old) {
    const long day = day_of(run.time);
    const bool weekly = edge - day > thinning.daily_days;
    groups[{run.machine, weekly, weekly ? week_of(day) : day}].push_back(&run);
  }
  std::vector<std::string> removed;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [](const auto* a, const auto* b) { return a->mean_log_time < b->mean_log_time; });
    const auto* kept = group[(group.size() - 1) / 2];
    for (const auto* run : group)
      if (run != kept) removed.push_back(run->file);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace roofline
