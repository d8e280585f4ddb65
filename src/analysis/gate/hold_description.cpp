#include <algorithm>

#include "analysis/gate/hold.hpp"

namespace roofline {
namespace {

std::string bounds_text(const std::vector<Bound>& bounds) {
  std::vector<std::string> names;
  for (const auto bound : bounds) names.emplace_back(bound_name(bound));
  return joined(names, names.size() == 2 ? " or " : ", ");
}

/// A balanced kernel counts as either side.
bool allows(const std::vector<Bound>& bounds, std::string_view bound, bool balanced) {
  const auto has = [&](std::string_view name) {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](Bound b) { return bound_name(b) == name; });
  };
  return has(bound) || (balanced && (has("memory") || has("compute")));
}

}  // namespace

void hold_bound(Case& c) {
  const auto* kernel = c.subject.kernel;
  const std::string bound = c.subject.spec ? std::string(bound_name(c.subject.spec->bound))
                            : kernel       ? kernel->bound
                                           : "";
  const bool balanced = c.subject.spec ? c.subject.spec->balanced : kernel && kernel->balanced;
  c.row.limit_text = bounds_text(c.assertion.bounds);
  if (bound.empty())
    return c.absent("no description is bound to this kernel, so what limits it is not known");
  c.row.value_text = balanced ? bound + " (balanced)" : bound;
  if (!allows(c.assertion.bounds, bound, balanced))
    refuse(c.row, Outcome::fail, Code::limit_broken, {});
}

void hold_bytes(Case& c) {
  if (c.subject.spec) return c.compare(c.subject.spec->bytes.value());
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->bytes : std::nullopt, kNoDescription);
}

void hold_flops(Case& c) {
  if (c.subject.spec) return c.compare(c.subject.spec->flops.value());
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->flops : std::nullopt, kNoDescription);
}

void hold_passes(Case& c) {
  c.compare_or_absent(c.subject.spec ? c.subject.spec->passes : std::nullopt,
                      "number of passes: it takes a `spec:` of a kernel");
}

void hold_floor(Case& c) { c.compare_or_absent(c.subject.floor, kNoDescription); }

void hold_intensity(Case& c) {
  if (c.subject.spec)
    return c.compare_or_absent(c.subject.spec->intensity, "intensity: no byte moves");
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->intensity : std::nullopt,
                      kNoDescription);
}

}  // namespace roofline
