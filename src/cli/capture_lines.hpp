#pragma once

#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/profile/capture_file.hpp"
#include "roofline/report/report.hpp"

namespace roofline::cli {

/// A capture as JSON lines: its header, then one object per record, names in place of ids, times in
/// nanoseconds (docs/formats.md). Errors: those of CaptureFile.
Checked<void> write_capture_lines(const CaptureSource& source, const TextSink& sink);

}  // namespace roofline::cli
