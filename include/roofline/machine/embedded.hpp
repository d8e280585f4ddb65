#pragma once

#include <string_view>

namespace roofline {

/// A file of specs/ that is compiled in as it stands: "schemas/gpu.json", "template.yaml". Empty when there is none
/// of that name.
std::string_view embedded_file(std::string_view name);

}  // namespace roofline
