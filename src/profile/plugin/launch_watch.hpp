#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace roofline::profile::plugin {

/// The launch that is being counted, watched from another thread: a kernel that waits for another
/// one never ends when it is replayed alone.
class LaunchWatch {
 public:
  void begin(const char* name) {
    const std::lock_guard lock(mutex_);
    name_ = name;
    since_ = std::chrono::steady_clock::now();
    watching_ = true;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    watching_ = false;
  }
  /// Name of the launch that has taken more than `limit`.
  std::optional<std::string> overdue(std::chrono::seconds limit) const {
    const std::lock_guard lock(mutex_);
    if (!watching_ || std::chrono::steady_clock::now() - since_ <= limit) return std::nullopt;
    return name_;
  }

 private:
  mutable std::mutex mutex_;
  std::string name_;
  std::chrono::steady_clock::time_point since_;
  bool watching_ = false;
};

}  // namespace roofline::profile::plugin
