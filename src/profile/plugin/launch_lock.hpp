#pragma once

#include <pthread.h>

namespace roofline::profile::plugin {

/// Launches pass together; one that is counted goes alone, so that its range is the only one. Who
/// wants to go alone is let in before others, or many threads would keep it out.
class LaunchLock {
 public:
  LaunchLock() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  LaunchLock(const LaunchLock&) = delete;
  LaunchLock& operator=(const LaunchLock&) = delete;

  void lock_together() { pthread_rwlock_rdlock(&lock_); }
  void lock_alone() { pthread_rwlock_wrlock(&lock_); }
  void unlock() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

}  // namespace roofline::profile::plugin
