#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/machine/calibration.hpp"

namespace roofline {

/// A row for each limit beside the data sheet's figure, why some are not trusted, what is missing.
/// `saved`: the file that keeps it; empty: none.
void calibration_page(Page& page, const Calibration& calibration, std::string_view gpu_name,
                      std::string_view saved);

/// A row of that table: name, resource, figure, the data sheet's, share, spread, clock and power,
/// "not trusted".
std::vector<std::string> calibration_cells(const CalibratedCeiling& ceiling);

/// The members of a roofline.calibration/1 document behind its schema.
void write_calibration(JsonWriter& json, const Calibration& calibration,
                       std::string_view tool_version);

}  // namespace roofline
