#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/machine/foreign_ceilings.hpp"

/// What the readers of other programs' outputs share.
namespace roofline::ceilings {

/// An output as its lines, without the line ends.
class OutputText {
 public:
  OutputText(std::string_view text, const std::string& file);

  std::span<const std::string_view> lines() const { return lines_; }
  /// The place of a word of line `index` (from 0).
  Location where(std::size_t index, std::string_view word = {}) const;
  /// What stands behind `key` in the first line that starts with it, blanks aside; empty: nowhere.
  std::string_view value(std::string_view key) const;

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
};

std::vector<std::string_view> words_of(std::string_view line);                  ///< between blanks
std::vector<std::string_view> cells_of(std::string_view line, char separator);  ///< trimmed
/// The number that `text` starts with, blanks aside: 36 of "36 MPs x 64", 256 of "256MB".
std::optional<double> leading_number(std::string_view text);
/// A number alone that is not negative; nullopt for "N/A".
std::optional<double> whole_number(std::string_view text);
/// What stands between two marks; empty where one is missing.
std::string_view between(std::string_view text, std::string_view from, std::string_view to);

/// Figures as they are met: of each name the best is kept.
class BestFigures {
 public:
  void take(std::string_view name, std::string_view resource, std::string_view unit, double value);
  std::vector<CalibratedCeiling> list() && { return std::move(list_); }

 private:
  std::vector<CalibratedCeiling> list_;
};

inline constexpr double kGiga = 1e9, kMega = 1e6;
inline constexpr double kMebi = 1 << 20;

// The readers, one file each. `read_*` may return no ceilings; the caller says so.
bool is_mixbench(std::string_view text);
Result<ForeignCeilings> read_mixbench(std::string_view text, const std::string& file, int device);
bool is_babel_stream(std::string_view text);
Result<ForeignCeilings> read_babel_stream(std::string_view text, const std::string& file,
                                          int device);
bool is_gpu_stream(std::string_view text);
Result<ForeignCeilings> read_gpu_stream(std::string_view text, const std::string& file, int device);
bool is_gpu_benches_stream(std::string_view text);
Result<ForeignCeilings> read_gpu_benches_stream(std::string_view text, const std::string& file,
                                                int device);
bool is_nvbandwidth(std::string_view text);
Result<ForeignCeilings> read_nvbandwidth(std::string_view text, const std::string& file,
                                         int device);
bool is_bandwidth_test(std::string_view text);
Result<ForeignCeilings> read_bandwidth_test(std::string_view text, const std::string& file,
                                            int device);

}  // namespace roofline::ceilings
