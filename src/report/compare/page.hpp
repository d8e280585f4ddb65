#pragma once

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/compare.hpp"

/// What `roofline compare` prints.
namespace roofline {

void write_comparison_page(Page& page, const Comparison& comparison);
void write_comparison_json(JsonWriter& json, const Comparison& comparison);  ///< members into the open object

}  // namespace roofline
