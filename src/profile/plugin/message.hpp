#pragma once

#include <string_view>

namespace roofline::profile::plugin {

/// One line on stderr, in one write: "roofline: <text>". The only thing that the profiled program's
/// user ever sees of us, so it is kept for what makes the profile incomplete.
void say(std::string_view text) noexcept;

}  // namespace roofline::profile::plugin
