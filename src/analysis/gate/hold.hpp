#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "analysis/gate/subject.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

/// How each kind of assertion is held: one function per row of the table of assertions, one file
/// per kind of value.
namespace roofline {

/// One assertion being held: what it is about, and the row that comes of it.
struct Case {
  const GateInputs& inputs;
  const Subject& subject;
  const Assertion& assertion;
  const AssertionEntry& entry;
  AssertionResult row;

  void absent(std::string text) {
    refuse(row, Outcome::error, Code::value_absent, std::move(text));
  }
  void impossible(std::string text) {
    refuse(row, Outcome::error, Code::impossible_value, std::move(text));
  }

  /// A value without noise against its limit.
  void compare(double value) {
    row.value = value;
    if (!std::isfinite(value) || value < 0)
      return impossible(fmt::format("{} is {}", entry.phrase, value));
    const bool holds = entry.at_least ? value >= assertion.limit : value <= assertion.limit;
    if (!holds) refuse(row, Outcome::fail, Code::limit_broken, {});
  }
  template <class Number>
  void compare_or_absent(const std::optional<Number>& value, std::string_view what) {
    if (!value) return absent(fmt::format("the results hold no {}", what));
    if constexpr (requires { value->value(); })
      compare(value->value());
    else
      compare(static_cast<double>(*value));
  }
};

inline constexpr std::string_view kNoDescription =
    "figure of a description: the entry has no `spec:` and the results bind none";

// hold_description.cpp: what a description says
void hold_bound(Case& c);
void hold_bytes(Case& c);
void hold_flops(Case& c);
void hold_passes(Case& c);
void hold_floor(Case& c);
void hold_intensity(Case& c);

// hold_code.cpp: what the machine code says
void hold_registers(Case& c);
void hold_spills(Case& c);
void hold_local(Case& c);
void hold_smem(Case& c);
void hold_code_unchanged(Case& c);

// hold_traffic.cpp: what counters saw
void hold_excess_traffic(Case& c);
void hold_dram_bytes(Case& c);
void hold_utilization(Case& c);

// hold_time.cpp: times against limits
void hold_of_ceiling(Case& c);
void hold_over_floor(Case& c);
void hold_time(Case& c);
void hold_idle(Case& c);
void hold_noise(Case& c);

// hold_change.cpp: times against a baseline, a release, or the old program
void hold_regression(Case& c);

// hold_launches.cpp
void hold_launches(Case& c);

// What several of them need.

/// What was measured of the kernel; nullptr: nothing.
const ResultMeasurement* measured(const Case& c);
/// Whether there is a time to work with; otherwise the row says why not.
bool has_time(Case& c);
/// How much evidence the gate's policy asks for.
TimePolicy time_policy(const Case& c);
/// The test's decision as a row; values in the unit of the assertion, `scale` times the test's.
void take_test(Case& c, const TimeTest& test, double scale, Code failure);
/// Per run `value(time)`, monotonic, against the limit. With fewer runs than the policy's least:
/// the launches' quartiles.
void hold_absolute(Case& c, const std::function<double(double)>& value);
/// The baseline's or the release's line that an assertion is held against; without one the row says
/// why.
const GateReference* need_reference(Case& c);

}  // namespace roofline
