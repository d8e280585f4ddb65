#pragma once

#include <string>
#include <vector>

namespace roofline::cli {

/// What git says of the folder that the program runs in.
struct Checkout {
  bool known = false;                ///< it is a work tree, and git is here to be asked
  std::string commit;                ///< short hash of HEAD; empty before the first commit
  std::vector<std::string> changed;  ///< tracked files that differ from HEAD, `except` left out
};

/// Asks `git`; files named `except` may have changed. No git, or no work tree: not known.
Checkout read_checkout(const std::vector<std::string>& except);

/// Today in UTC, "2026-11-30"; SOURCE_DATE_EPOCH (reproducible-builds.org) goes before the clock.
std::string today();
/// The same to the second, "2026-11-30T18:48:12Z".
std::string now_utc();

}  // namespace roofline::cli
