#include "profile/plugin/worker.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <ctime>
#include <string>

#include "profile/plugin/callbacks.hpp"
#include "profile/plugin/session.hpp"

namespace roofline::profile::plugin {

void Worker::start(Session& s) {
  session_ = &s;
  sem_init(&awake_, 0, 0);
  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  running_ = pthread_create(&thread, nullptr, run, &s) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!running_) return;
  pthread_setname_np(thread, "roofline");
  pthread_detach(thread);
}

void Worker::wake() {
  if (running_) sem_post(&awake_);
}

void Worker::end(int signal, int timeout_ms) {
  if (!end_asked_.exchange(true)) signal_ = signal;
  if (!running_) {
    if (signal == 0 && session_) guarded([&] { conclude(*session_, "exit"); });
    return;
  }
  sem_post(&awake_);
  constexpr int kStepMs = 2;
  for (int waited = 0; !ended_ && waited < timeout_ms; waited += kStepMs) poll(nullptr, 0, kStepMs);
}

void* Worker::run(void* session) {
  auto& s = *static_cast<Session*>(session);
  s.worker.loop(s);
  return nullptr;
}

void Worker::loop(Session& s) {
  while (!end_asked_) {
    wait_period(s.settings.flush_ms);
    if (end_asked_) break;
    guarded([&] {
      ask_devices(s);
      if (s.mode->tick) s.mode->tick(s);
      s.writer.flush(s.losses);
    });
  }
  const int signal = signal_;
  guarded(
      [&] { conclude(s, signal == 0 ? std::string("exit") : "signal " + std::to_string(signal)); });
  ended_ = true;
}

void Worker::wait_period(long milliseconds) {
  if (milliseconds == 0) {
    while (sem_wait(&awake_) != 0) {
    }
    return;
  }
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  sem_timedwait(&awake_, &until);
}

}  // namespace roofline::profile::plugin
