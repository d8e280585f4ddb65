#include "profile/plugin/process.hpp"

#include <pthread.h>
#include <signal.h>

#include <array>
#include <cstdlib>

#include "profile/plugin/session.hpp"

namespace roofline::profile::plugin {
namespace {

constexpr int kDeadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS, SIGFPE,  SIGSEGV,
                           SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGSYS, SIGXCPU, SIGVTALRM};
constexpr int kExitTimeoutMs = 30'000;
constexpr int kSignalTimeoutMs =
    2'000;  // the signal may have come while a lock of CUPTI's was held

std::array<struct sigaction, NSIG> before;  // NOLINT: only written before the handlers stand

void at_exit() {
  Session& s = session();
  if (s.collecting) s.worker.end(0, kExitTimeoutMs);
}

// CUDA does not work in a forked child, and the file is its parent's. Nothing is locked here: the
// lock's holder may not exist in the child.
void in_forked_child() {
  Session& s = session();
  s.collecting = false;
  s.writer.abandon();
}

void on_deadly_signal(int signal, siginfo_t* info, void*) {
  Session& s = session();
  if (s.collecting) s.worker.end(signal, kSignalTimeoutMs);
  sigaction(signal, &before[static_cast<std::size_t>(signal)], nullptr);
  // An instruction that faulted faults again when we return, now to the end, and a core file shows
  // where. What was sent has to be sent again.
  const bool is_fault = info && info->si_code > 0 && info->si_code != SI_KERNEL;
  const bool comes_again =
      signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (!(is_fault && comes_again)) raise(signal);
}

void install_handlers() {
  struct sigaction ours {};
  ours.sa_sigaction = on_deadly_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  for (const int signal : kDeadly) {
    auto& theirs = before[static_cast<std::size_t>(signal)];
    if (sigaction(signal, nullptr, &theirs) != 0) continue;
    const bool is_default = !(theirs.sa_flags & SA_SIGINFO) && theirs.sa_handler == SIG_DFL;
    if (is_default) sigaction(signal, &ours, nullptr);
  }
}

}  // namespace

void watch_process(Session& s) {
  pthread_atfork(nullptr, nullptr, in_forked_child);
  std::atexit(at_exit);
  if (s.settings.signals) install_handlers();
}

}  // namespace roofline::profile::plugin
