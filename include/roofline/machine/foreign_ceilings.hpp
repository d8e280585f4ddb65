#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/machine/calibration.hpp"
#include "roofline/machine/identify.hpp"

/// Ceilings of a GPU that another program measured, read from what it printed.
namespace roofline {

/// What one output tells of one GPU.
struct ForeignCeilings {
  std::string program;  ///< as it names itself: "mixbench-hip (v0.04-1-g7a068df)"
  DeviceFacts device;   ///< whatever the output says; often nothing but a name, or nothing at all
  std::string driver;
  /// Rates in base units with the bytes that crossed: a copy's count twice. `samples` is the number
  /// of figures that each is the best of. Not judged yet.
  std::vector<CalibratedCeiling> ceilings;
  std::optional<double>
      array_bytes;  ///< of each array that a memory figure swept, where it is said
  std::string
      fault;  ///< what it found wrong with its own results: none of its figures is to be trusted
};

/// A program whose output is known: a row for each.
struct CeilingFormat {
  std::string_view name;  ///< "mixbench"
  std::string_view doc;   ///< which of its figures are read
  bool (*sniff)(std::string_view text);
  /// `device`: the number of the GPU where the output has several. Errors carry the line.
  Result<ForeignCeilings> (*read)(std::string_view text, const std::string& file, int device);
};
std::span<const CeilingFormat> ceiling_formats();

/// Reads any of them. Errors: wrong_type for an output that is known to hold no ceiling of a GPU,
/// with the reason, and for one that is not known; empty_input where it holds none of GPU `device`;
/// those of its numbers.
Result<ForeignCeilings> read_foreign_ceilings(std::string_view text, const std::string& file,
                                              int device);

}  // namespace roofline
