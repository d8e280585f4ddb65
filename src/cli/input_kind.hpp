#pragma once

#include <string_view>

namespace roofline::cli {

/// What a file is when it plainly is no kernel description: "an Nsight Systems database". Empty: it
/// may be one. Looks at the first kilobytes only.
std::string_view foreign_kind(std::string_view content);

}  // namespace roofline::cli
