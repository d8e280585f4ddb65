#include "profile/plugin/settings.hpp"

#include <charconv>

#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

std::string text_or(const char* value, std::string_view otherwise) {
  return std::string(value ? std::string_view(value) : otherwise);
}

long number_or(const char* value, long otherwise) {
  const std::string_view text = value ? value : "";
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? number : otherwise;
}

}  // namespace

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const auto to = std::min(list.find(',', from), list.size());
    if (to > from) parts.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

Settings read_settings(const char* (*variable)(const char* name)) {
  Settings s;
  s.out = text_or(variable(kOut), "");
  s.mode = text_or(variable(kMode), "trace");
  s.cupti = text_or(variable(kCupti), "");
  s.flush_ms = number_or(variable(kFlushMs), kDefaultFlushMs);
  s.whole_graphs = text_or(variable(kGraphs), "node") == "graph";
  s.skip_launches = number_or(variable(kSkipLaunches), kDefaultSkipLaunches);
  s.launches = number_or(variable(kLaunches), kDefaultLaunches);
  s.sass = number_or(variable(kNoSass), 0) == 0;
  s.exclude = split_list(text_or(variable(kExclude), kDefaultExclude));
  s.timeout_s = number_or(variable(kTimeoutS), kDefaultTimeoutS);
  s.signals = number_or(variable(kSignals), 1) != 0;
  s.pool_limit = number_or(variable(kPoolLimit), 0);
  s.run = number_or(variable(kRun), 0);
  s.warmups = number_or(variable(kWarmups), -1);
  return s;
}

}  // namespace roofline::profile::plugin
