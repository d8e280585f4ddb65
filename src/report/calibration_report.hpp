#pragma once

#include <string_view>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/machine/calibration.hpp"

namespace roofline {

/// A row for each limit beside the data sheet's figure, why some are not trusted, what is missing.
/// `saved`: the file that keeps it; empty: none.
void calibration_page(Page& page, const Calibration& calibration, std::string_view gpu_name,
                      std::string_view saved);

/// The members of a roofline.calibration/1 document behind its schema.
void write_calibration(JsonWriter& json, const Calibration& calibration,
                       std::string_view tool_version);

}  // namespace roofline
