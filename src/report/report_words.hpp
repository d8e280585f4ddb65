#pragma once

#include <span>
#include <string_view>

namespace roofline {

/// A word that reports use as a code: what `roofline explain` says of it.
struct ReportWord {
  std::string_view word, kind, meaning;
};

/// Bounds, statuses, confidences, and the codes of levers, notes and causes; by kind, then in the
/// order of the verdict.
std::span<const ReportWord> report_words();

}  // namespace roofline
