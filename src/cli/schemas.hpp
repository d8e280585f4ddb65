#pragma once

#include <string_view>
#include <vector>

namespace roofline::cli {

/// Names of the embedded schemas: "kernel", "result" ...
std::vector<std::string_view> schema_names();

}  // namespace roofline::cli
