#pragma once

#include <string>
#include <vector>

#include "roofline/analysis/baseline.hpp"

/// Results as one session's kernels: what baseline and history take in.
namespace roofline::cli {

struct Session {
  std::vector<FreshEntry> entries;
  std::vector<std::string> left_out;  ///< kernels without a time
  std::size_t ungated = 0;            ///< kernels that the gate does not name
  std::string disturbed;              ///< how the machine was disturbed, where that was allowed
};

/// Reads result files. Given together they are one session: runs of one kernel on one machine are
/// put together. Kernels of one name are told apart as kernel_labels() does. Errors of all files
/// together: those of reading; not_recordable for what must not be recorded.
///
/// With `gate` (a file) the kernels and ranges that it names are taken, under its ids, which are
/// what a gate looks for; a time below the floor of an entry's description is not_recordable too.
Checked<Session> read_session(const std::vector<std::string>& files, const SessionLabel& label,
                              bool allow_disturbed, const std::string& gate = {});

}  // namespace roofline::cli
