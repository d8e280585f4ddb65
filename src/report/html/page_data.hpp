#pragma once

#include <span>

#include "roofline/report/chart.hpp"

namespace roofline::html {

/// What the page's script works on, as JSON that is safe inside a script element: for each chart
/// the fields, a table of the words that repeat, and one row of values for each kernel. Figures
/// have six digits: they are for reading and sorting.
void write_page_data(std::span<const Chart> charts, const TextSink& sink);

}  // namespace roofline::html
