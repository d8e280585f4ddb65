#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "roofline/base/text.hpp"

namespace roofline::parts {

void Runs::add(Bound bound, std::span<const Binding> point) {
  ++counts_[static_cast<std::size_t>(bound)];
  ++points_;
  if (point.empty()) return;
  const Count value = point.front().second;
  if (!runs_.empty() && runs_.back().bound == bound)
    runs_.back().to = value;
  else if (runs_.size() <= kMost)
    runs_.push_back({bound, value, value});
}

Bound Runs::most() const {
  return static_cast<Bound>(std::max_element(counts_.begin(), counts_.end()) - counts_.begin());
}

std::string Runs::text(std::span<const std::string> swept) const {
  std::string text;
  if (swept.size() == 1 && runs_.size() <= kMost) {
    for (const auto& run : runs_)
      text += fmt::format("{}{}-bound at {} = {}{}", text.empty() ? "" : ", ",
                          bound_name(run.bound), printable(swept[0]), run.from.to_string(),
                          run.from == run.to ? "" : " to " + run.to.to_string());
    return text;
  }
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0)
      text += fmt::format("{}{}-bound at {} of {} points", text.empty() ? "" : ", ",
                          bound_name(static_cast<Bound>(i)), phrases::grouped(Count(counts_[i])),
                          phrases::grouped(Count(points_)));
  return text;
}

}  // namespace roofline::parts
