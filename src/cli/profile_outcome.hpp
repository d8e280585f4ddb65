#pragma once

#include <optional>

#include "roofline/base/error.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/launcher.hpp"

namespace roofline::cli {

/// Why a profile is not what was hoped for: what the processes said at their start, and how the
/// program ended. `asked_counters`: a run under counters was asked for. nullopt: nothing is wrong.
std::optional<Error> outcome_of(const Profiled& profile, const ProgramEnd& end,
                                const std::vector<std::string>& command);

/// The same for what only some processes, or only the run under counters, could not do: sentences
/// for the report.
struct OutcomeWarning {
  std::string code, text;
};
std::vector<OutcomeWarning> outcome_warnings(const Profiled& profile, bool asked_counters);

}  // namespace roofline::cli
