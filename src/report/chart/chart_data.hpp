#pragma once

#include "report/json_writer.hpp"
#include "roofline/report/chart.hpp"

namespace roofline {

/// "roofs": every ceiling that the chart knows, and whether it is drawn.
void write_roofs(JsonWriter& json, const Chart& chart);

}  // namespace roofline
