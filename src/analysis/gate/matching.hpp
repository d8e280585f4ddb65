#pragma once

#include <vector>

#include "analysis/gate/subject.hpp"

namespace roofline {

/// Which kernels of a result each entry stands for.
struct Matching {
  std::vector<std::vector<std::size_t>> kernels;  ///< by entry: kernels of the result, in its order
  std::vector<std::vector<std::size_t>> entries;  ///< by kernel: entries that match it
};

/// Every entry of the section `kernel` against every kernel; exact names by a table, patterns one
/// by one.
Matching match_kernels(const GateFile& gate, const ResultRecord& result);

/// Rows for launches that two entries match: one per pair of entries.
void report_overlaps(const GateFile& gate, const ResultRecord& result, const Matching& matching,
                     std::vector<AssertionResult>& rows);

/// The row of an entry that matches nothing, with the nearest names among what ran.
AssertionResult missing_row(const GateInputs& inputs, const GateEntry& entry,
                            const Matching& matching, bool search);

/// Whether the number of launches, or of alternatives, is what the entry says; nullopt: it says
/// nothing.
std::optional<AssertionResult> launch_count_row(const GateEntry& entry, const ResultRecord& result,
                                                const std::vector<std::size_t>& kernels);

/// Share of the GPU time by kernel: as the result says, else launches times time. Empty: not known
/// of all of them.
std::vector<double> time_shares(const ResultRecord& result);

}  // namespace roofline
