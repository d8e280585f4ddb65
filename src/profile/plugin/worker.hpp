#pragma once

#include <semaphore.h>

#include <atomic>

namespace roofline::profile::plugin {

struct Session;

/// Our one thread. All flushing happens on it, at the end too: a signal handler or exit() only asks
/// it and waits, so nothing runs inside a handler that may not.
class Worker {
 public:
  /// Without a thread (none could be made) the end is written by whoever asks for it.
  void start(Session& s);
  /// Does what a tick does, now. Async-signal-safe.
  void wake();
  /// Asks for the end and waits for it, at most `timeout_ms`. `signal`: 0 for exit().
  /// Async-signal-safe while the thread runs.
  void end(int signal, int timeout_ms);

 private:
  static void* run(void* session);
  void loop(Session& s);
  void wait_period(long milliseconds);

  Session* session_ = nullptr;
  sem_t awake_;
  std::atomic<bool> running_{false}, end_asked_{false}, ended_{false};
  std::atomic<int> signal_{0};
};

}  // namespace roofline::profile::plugin
