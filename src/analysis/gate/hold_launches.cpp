#include <algorithm>

#include "analysis/gate/hold.hpp"

namespace roofline {

void hold_launches(Case& c) {
  std::vector<std::int64_t> counts;
  if (c.subject.range)
    for (const auto& run : c.subject.range->runs)
      if (run.launches) counts.push_back(*run.launches);
  if (c.subject.kernel && c.subject.kernel->measured)
    for (const auto& run : c.subject.kernel->measured->runs)
      if (run.launches) counts.push_back(*run.launches);
  if (counts.empty() && c.subject.kernel && c.subject.kernel->launches)
    counts.push_back(*c.subject.kernel->launches);
  if (counts.empty()) return c.absent("the results hold no number of launches");
  c.row.runs = static_cast<int>(counts.size());
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*least != *most)
    return refuse(c.row, Outcome::error, Code::launches_vary,
                  fmt::format("launches vary between runs: {}..{}", *least, *most));
  c.compare(static_cast<double>(*least));
}

}  // namespace roofline
