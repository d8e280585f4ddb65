#pragma once

#include <string>

#include "profile/plugin/settings.hpp"

namespace roofline::profile::plugin {

/// Number of this process in a parallel job and the number of all, as the launcher says it in the
/// environment; -1: not said.
struct Rank {
  long rank = -1, world_size = -1;
};
Rank read_rank(const char* (*variable)(const char* name));

/// `<host>.<pid>`, fit for a file's name.
std::string capture_stem();

/// The capture's first line. Ends in '\n'.
std::string header_line(const Settings& settings, const Rank& rank, bool simulated);

}  // namespace roofline::profile::plugin
