#pragma once

#include <string_view>

#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// The header line of a capture. Keys that are not known are passed over: they may be added within
/// capture/1.
Checked<CaptureHeader> read_capture_header(std::string_view line, const std::string& file);

}  // namespace roofline
