#pragma once

#include <string>
#include <vector>

#include "roofline/analysis/baseline.hpp"

/// Results as one session's kernels: what baseline and history take in.
namespace roofline::cli {

struct Session {
  std::vector<FreshEntry> entries;
  std::vector<std::string> left_out;  ///< kernels without a time
  std::string disturbed;              ///< how the machine was disturbed, where that was allowed
};

/// Reads result files. Given together they are one session: runs of one kernel on one machine are put together. Kernels
/// of one name are told apart as kernel_labels() does. Errors of all files together: those of
/// reading; not_recordable for what must not be recorded.
Checked<Session> read_session(const std::vector<std::string>& files, const SessionLabel& label, bool allow_disturbed);

}  // namespace roofline::cli
