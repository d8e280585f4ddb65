#pragma once

#include <string>
#include <vector>

#include "cli/answer.hpp"
#include "cli/args.hpp"
#include "roofline/base/result.hpp"
#include "roofline/machine/calibration.hpp"
#include "roofline/profile/calibrate.hpp"

/// `roofline calibrate`: the limits of a GPU, measured in a child process, since a kernel that
/// fails takes its process's GPU context with it.
namespace roofline::cli {

/// The child: this program, started with this word. It is no command of its own and stands in no
/// help.
inline constexpr std::string_view kMeasureWord = "measure-ceilings";

/// The GPU of --device; 0 where it is not given. Errors: bad_option.
Result<int> device_number(const std::string& option);

/// With FILE: what other programs measured becomes the calibration of their GPU.
int read_other_programs(const CalibrateArgs& args, const AnswerStyle& style);

/// What the children of one calibration are asked for.
struct CeilingRequest {
  int ordinal = 0;
  profile::CalibrationPace pace;
  std::vector<const profile::CeilingTest*> tests;
};

/// One answer of a child, or why there is none.
struct CeilingAnswer {
  const profile::CeilingTest* test = nullptr;
  CalibratedCeiling ceiling;
  std::string fault;    ///< the kernel's output was wrong
  std::string missing;  ///< nothing was measured, and why
};

/// Runs children until every test has its answer. One that dies costs its test, and the next child
/// goes on behind it. Errors: interrupted; those of a process that cannot be started.
Result<std::vector<CeilingAnswer>> measure_in_children(const CeilingRequest& request);

/// The child: ORDINAL SETTLE_SECONDS SAMPLES FILE TEST...; a JSON line into FILE for each test.
int run_measure_child(Words words);

}  // namespace roofline::cli
