#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/plugin/launch_info.hpp"

namespace roofline::profile::plugin {

/// Which launches are counted: of each distinct (name, grid, block) the first `launches` after
/// `skip`. For any thread.
class LaunchSelection {
 public:
  enum class Why : std::uint8_t {
    chosen,
    memory,    ///< once more, for DRAM counters that refuse the company of others
    early,     ///< among the first, which warm up
    done,      ///< enough were counted
    excluded,  ///< by its name: it must not be replayed
    no_room,   ///< more shapes than we keep
  };
  struct Choice {
    Why why = Why::done;
    std::uint64_t occurrence = 0;
    bool counted() const { return why == Why::chosen || why == Why::memory; }
  };

  void configure(long skip, long launches, std::vector<std::string> excluded);
  /// Counts the launch. `extra_memory`: this chip needs one launch more for its DRAM counters.
  Choice choose(const LaunchInfo& launch, bool extra_memory);
  /// Shapes that were launched, though never often enough for one launch to be counted.
  std::size_t never_chosen() const;

 private:
  static constexpr std::size_t kMostShapes = std::size_t{1} << 16;
  bool is_excluded(std::string_view name) const;

  long skip_ = 0, launches_ = 0;
  std::vector<std::string> excluded_;  ///< lower case
  mutable std::mutex mutex_;
  struct Shape {
    std::uint64_t launched = 0;
    bool excluded = false;
  };
  std::unordered_map<std::uint64_t, Shape> shapes_;  ///< by hash
};

}  // namespace roofline::profile::plugin
