#include <iterator>

#include "roofline/analysis/gate_result.hpp"

namespace roofline {
namespace {

constexpr std::string_view kOutcomeNames[] = {"pass",         "new",  "skip", "quarantined",
                                              "inconclusive", "fail", "error"};
static_assert(std::size(kOutcomeNames) == kOutcomes);

constexpr std::string_view kUnitNames[] = {"", "s", "B", "FLOP", "FLOP/B", "ratio", "%", "count"};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::string_view unit_name(GateUnit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

}  // namespace roofline
