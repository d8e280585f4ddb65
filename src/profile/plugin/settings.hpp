#pragma once

#include <string>
#include <vector>

namespace roofline::profile::plugin {

/// The environment's settings (roofline/profile/plugin_settings.hpp), read once.
struct Settings {
  std::string out;
  std::string mode = "trace";
  std::string cupti;
  long flush_ms = 0;
  bool whole_graphs = false;
  long skip_launches = 0, launches = 0;
  bool sass = true;
  std::vector<std::string> exclude;
  long timeout_s = 0;
  bool signals = true;
  long pool_limit = 0;
  long run = 0;
  long warmups = -1;  ///< below 0: not such a program
};

/// `variable` is getenv outside of tests. A number that is none counts as not set: it is not worth
/// losing the profile for.
Settings read_settings(const char* (*variable)(const char* name));

/// `a,b` as {"a", "b"}; empty parts are left out.
std::vector<std::string> split_list(const std::string& list);

}  // namespace roofline::profile::plugin
