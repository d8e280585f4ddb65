#include "roofline/analysis/solve.hpp"

namespace roofline {
namespace {

constexpr int kPerOctave = 256;

/// The last value known and the first beyond it, with their states.
struct Bracket {
  Count low;
  std::optional<StateAt> low_state;
};

/// ridge / intensity of a product is linear in the reciprocal of each of its sizes (1/M + 1/N + 1/K), so that
/// the secant in reciprocals is exact there, and good to the distance of the neighbours elsewhere.
std::optional<double> real_crossing(const Crossing& c) {
  const double a = c.before.intensity_over_ridge, b = c.after.intensity_over_ridge;
  if (c.before.side == c.after.side || !(a > 0) || !(b > 0) || a == b || c.from <= Count(0)) return std::nullopt;
  const double x0 = 1 / c.from.to_double(), x1 = 1 / c.to.to_double();
  return 1 / (x0 + (x1 - x0) * (1 - 1 / a) / (1 / b - 1 / a));
}

class Search {
 public:
  Search(const StateFunction& state_at, Solution& solution) : state_at_(state_at), solution_(solution) {}

  /// Looks at `value`, the next one up; what changed since the value before is pinned down.
  void visit(Count value) {
    const auto state = state_at_(value);
    if (started_ && low_.low_state && state && !(*low_.low_state == *state)) between(low_, {value, state});
    if (state) {
      if (!solution_.at_lowest) solution_.at_lowest = state;
      solution_.at_highest = state;
    }
    low_ = {value, state};
    started_ = true;
  }

 private:
  /// All changes between two values of different states; the middle may be a third state.
  void between(Bracket low, Bracket high) {
    if (solution_.crossings.size() >= kMostCrossings) {
      solution_.truncated = true;
      return;
    }
    if (high.low - low.low <= Count(1)) {
      Crossing crossing{low.low, high.low, *low.low_state, *high.low_state, std::nullopt};
      crossing.real_value = real_crossing(crossing);
      solution_.crossings.push_back(crossing);
      return;
    }
    const Count middle = floor_div(low.low + high.low, 2);
    const auto state = state_at_(middle);
    if (!state) return;  // a gap: nothing can be said across it
    if (!(*low.low_state == *state)) between(low, {middle, state});
    if (!(*state == *high.low_state)) between({middle, state}, high);
  }

  const StateFunction& state_at_;
  Solution& solution_;
  Bracket low_;
  bool started_ = false;
};

StateAt state_from(const Verdict& verdict) {
  StateAt state{.side = verdict.side, .bound = verdict.bound, .limiter = {}, .floor = verdict.floor.time};
  if (const auto* limiting = verdict.floor.limiting()) state.limiter = limiting->ceiling.resource;
  if (verdict.intensity && verdict.ridge && verdict.ridge->value() > 0)
    state.intensity_over_ridge = *verdict.intensity / *verdict.ridge;
  return state;
}

}  // namespace

Solution solve(const StateFunction& state_at, SolveRange range) {
  Solution solution;
  Search search(state_at, solution);
  Count value = range.lowest;
  const Count dense_end = min(range.highest, range.lowest + Count(kEveryInteger));
  for (; value < dense_end; value += 1) search.visit(value);
  while (value < range.highest) {
    search.visit(value);
    value += max(Count(1), floor_div(value, kPerOctave));
  }
  search.visit(range.highest);
  return solution;
}

StateFunction state_of(const KernelFile& file, Count point, std::size_t index, const std::string& variable,
                       const Ceilings& ceilings) {
  return [&file, &ceilings, point, index, variable](Count value) -> std::optional<StateAt> {
    const Binding override_value{variable, value};
    auto kernel = file.evaluate_with(point, index, {&override_value, 1});
    if (!kernel) return std::nullopt;
    kernel->time.reset();  // a time holds for the size at which it was measured only
    const auto verdict = judge(*kernel, ceilings);
    return verdict ? std::optional(state_from(*verdict)) : std::nullopt;
  };
}

std::vector<Need> needed_for(const Verdict& verdict, Seconds target) {
  std::vector<Need> needs;
  for (const auto& item : verdict.floor.resources()) {
    const double required = item.amount.to_double() / target.value();
    needs.push_back({item.ceiling, required, required / item.ceiling.per_second});
  }
  return needs;
}

}  // namespace roofline
