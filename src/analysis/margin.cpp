#include "roofline/analysis/margin.hpp"

namespace roofline {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::optional<Side> side_of(const Kernel& kernel, const Ceilings& ceilings) {
  const auto verdict = judge(kernel, ceilings);
  return verdict ? verdict->side : std::nullopt;
}

/// Bisection between a value on side `inner` and one on the other side.
Flip bisect(const std::string& variable, Count inside, Count outside, Side inner, const SideAt& side_at) {
  while (max(inside, outside) - min(inside, outside) > Count(1)) {
    const Count middle = floor_div(inside + outside, 2);
    const auto side = side_at(middle);
    (side == inner ? inside : outside) = middle;
  }
  const Side outer = inner == Side::memory ? Side::compute : Side::memory;
  return {variable, inside, outside, inner, outer};
}

/// Present values of the op's own sizes, where the file names no variables.
std::vector<Binding> own_sizes(const Kernel& kernel) {
  std::vector<Binding> sizes;
  if (!kernel.op) return sizes;
  for (const auto& param : kernel.op->params)
    if (param.type == ParamType::count && param.required && kernel.input.has(param.name))
      sizes.emplace_back(std::string(param.name), kernel.input.count(param.name));
  return sizes;
}

}  // namespace

std::optional<Flip> nearest_flip(const std::string& variable, Count start, const SideAt& side_at) {
  const auto here = side_at(start);
  if (!here) return std::nullopt;
  std::optional<Flip> best;
  Count above = start, below = start;
  for (Count step = 1; !best && (above < Count(kLargest) || below > Count(1)); step = step * 2) {
    const Count up = min(start + step, Count(kLargest)), down = max(start - step, Count(1));
    const auto up_side = up > above ? side_at(up) : here, down_side = down < below ? side_at(down) : here;
    if (up_side && *up_side != *here) best = bisect(variable, above, up, *here, side_at);
    if (down_side && *down_side != *here) {
      auto flip = bisect(variable, below, down, *here, side_at);
      if (!best || start - flip.to < best->to - start) best = flip;
    }
    if (up_side) above = up;
    if (down_side) below = down;
    if (step > Count(kLargest)) break;
  }
  return best;
}

std::optional<Margin> margin_of(const KernelFile& file, Count point, std::size_t index, const Kernel& kernel,
                                const Verdict& verdict, const Ceilings& ceilings) {
  if (!verdict.intensity || !verdict.ridge || verdict.ridge->value() <= 0) return std::nullopt;
  Margin margin{.intensity_over_ridge = *verdict.intensity / *verdict.ridge, .flips = {}};
  const auto variables = file.variables(point, index);
  for (const auto& [name, value] : variables) {
    const auto side_at = [&, n = name](Count candidate) -> std::optional<Side> {
      const Binding override_value{n, candidate};
      const auto other = file.evaluate_with(point, index, {&override_value, 1});
      return other ? side_of(*other, ceilings) : std::nullopt;
    };
    if (auto flip = nearest_flip(name, value, side_at)) margin.flips.push_back(*flip);
  }
  if (!variables.empty()) return margin;
  for (const auto& [name, value] : own_sizes(kernel)) {
    Kernel other = kernel;
    const auto side_at = [&, n = name](Count candidate) -> std::optional<Side> {
      other.input.set(n, Value{candidate});
      auto work = kernel.op->model(other.input);
      if (!work || work->overflowed()) return std::nullopt;
      other.work = std::move(*work);
      return side_of(other, ceilings);
    };
    if (auto flip = nearest_flip(name, value, side_at)) margin.flips.push_back(*flip);
  }
  return margin;
}

}  // namespace roofline
