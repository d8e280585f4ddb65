#pragma once

#include <string>
#include <vector>

#include "roofline/analysis/gate.hpp"

namespace roofline {

/// What the time of a kernel says before any limit is looked at.
enum class TimeState : unsigned char { usable, absent, impossible, below_floor };

/// One kernel, range, function or description that an entry is held against.
struct Subject {
  const GateEntry* entry = nullptr;
  std::string id;  ///< of the entry, with [k] where it has several
  const GateSpec* spec = nullptr;
  const ResultKernel* kernel = nullptr;
  const ResultKernel* old_kernel = nullptr;  ///< of an A/B
  const ResultRange* range = nullptr;
  const ResultRange* old_range = nullptr;
  const GateFunction* function = nullptr;
  std::optional<double> time_share;

  // Worked out once.
  std::vector<double> medians;  ///< of the runs, in seconds
  std::optional<Seconds> floor, time;
  TimeState time_state = TimeState::absent;
  bool in_l2 = false;               ///< the DRAM floor does not bind
  std::vector<std::string> causes;  ///< of a time below the floor
};

/// The id of the k-th of `of` kernels of an entry: "lm_head", "lm_head[2]".
std::string subject_id(const GateEntry& entry, std::size_t k, std::size_t of);

/// Run medians of a kernel in seconds; of one without runs its time alone.
std::vector<double> medians_of(const ResultKernel& kernel);

/// Median, by sorting a copy. `values`: at least one.
double median_of(std::vector<double> values);

/// Medians of the runs, floor, state of the time. Everything else of the subject is set.
void work_out(Subject& subject, const GateInputs& inputs);

/// Holds one assertion against a subject. Policy on quarantine is the caller's.
AssertionResult hold(const GateInputs& inputs, const Subject& subject, const Assertion& assertion);

/// A row about a subject as a whole.
AssertionResult row_of(const Subject& subject, std::string_view what);
void refuse(AssertionResult& row, Outcome outcome, Code reason, std::string text);

}  // namespace roofline
