#pragma once

#include <string>
#include <string_view>

#include "roofline/report/report.hpp"

namespace roofline {

/// Lines as a log may show them. The runner of GitHub's workflows takes a line for a command where
/// its first word begins with "::", and where "##[" stands anywhere in it: the first gets an
/// apostrophe, the second a blank. Source: actions/runner, src/Runner.Common/ActionCommand.cs.
std::string log_lines(std::string_view lines);

/// A sink that writes so; what it is given are whole lines.
TextSink log_sink(TextSink sink);

}  // namespace roofline
