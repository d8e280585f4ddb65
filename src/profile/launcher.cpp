#include "roofline/profile/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

extern char** environ;

namespace roofline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::pair<int, std::string_view> kSignalNames[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},
    {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}, {SIGSYS, "SIGSYS"}};

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Holds back the signals that the parent deals with one by one while the program runs.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&set_);
    for (const int number : kPassedOn) sigaddset(&set_, number);
    sigaddset(&set_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  const sigset_t& set() const { return set_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_{}, before_{};
};

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const bool changed =
        std::any_of(changes.begin(), changes.end(), [&](const auto& c) { return c.first == name; });
    if (!changed) list.emplace_back(text);
  }
  for (const auto& [name, value] : changes) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (auto& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// In the child: becomes the program, or writes the error number. Nothing here may allocate.
[[noreturn]] void become(char** words, char** environment, const sigset_t& mask, int report) {
  signal(SIGPIPE, SIG_DFL);  // ours is ignored, and that would be inherited
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(words[0], words, environment);
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  _exit(127);
}

Error not_started(const std::string& program, int error) {
  const bool is_path = program.find('/') != std::string::npos;
  struct stat file {};
  const bool there = is_path && ::stat(program.c_str(), &file) == 0;
  const bool missing = error == ENOENT && !there;
  Error result{Code::program_not_found, {}, {}, {}, {}};
  result.what =
      missing ? fmt::format("program not found: {}", program)
              : fmt::format("cannot run {}: {}", program, std::generic_category().message(error));
  if (missing)
    result.hint = is_path ? "the path after -- is relative to this folder"
                          : "it is in no folder of PATH; for one in this folder write ./" + program;
  else if (error == ENOENT)
    result.hint =
        "it is there, but what it needs to start is not: the interpreter that its first line names "
        "(#!), or its dynamic loader";
  else if (there && S_ISDIR(file.st_mode))
    result.hint = "it is a folder: name the program in it";
  else if (error == EACCES)
    result.hint = "it lacks the right to be executed: chmod +x " + program;
  return result;
}

/// Waits for the program, passing signals on.
class Watch {
 public:
  Watch(pid_t pid, const ProgramCommand& command, const HeldSignals& signals,
        const std::function<void()>& on_interrupt)
      : pid_(pid), signals_(signals), on_interrupt_(on_interrupt), started_(Clock::now()) {
    if (command.timeout) deadline_ = started_ + *command.timeout;
  }

  ProgramEnd wait() {
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) != pid_) next_signal();
    if (WIFSIGNALED(status))
      end_.signal = WTERMSIG(status);
    else
      end_.exit_code = WEXITSTATUS(status);
    end_.wall_s = std::chrono::duration<double>(Clock::now() - started_).count();
    return end_;
  }

 private:
  void next_signal() {
    timespec pause{.tv_sec = 1, .tv_nsec = 0};
    if (deadline_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::nanoseconds>(*deadline_ - Clock::now());
      if (left.count() <= 0) return time_out();
      if (left < std::chrono::seconds(1))
        pause = {.tv_sec = 0, .tv_nsec = static_cast<long>(left.count())};
    }
    siginfo_t info{};
    const int number = ::sigtimedwait(&signals_.set(), &info, &pause);
    if (number > 0 && number != SIGCHLD) pass_on(number, info);
  }

  void time_out() {
    end_.timed_out = true;
    deadline_.reset();
    ::kill(pid_, SIGKILL);
  }

  void pass_on(int number, const siginfo_t& info) {
    const bool asks_to_end = number == SIGINT || number == SIGTERM || number == SIGHUP;
    if (asks_to_end && end_.interrupted) {
      ::kill(pid_, SIGKILL);
      return;
    }
    // A terminal sends Ctrl-C to the program as well as to us.
    if (info.si_code != SI_KERNEL) ::kill(pid_, number);
    if (!asks_to_end) return;
    end_.interrupted = true;
    if (on_interrupt_) on_interrupt_();
  }

  pid_t pid_;
  const HeldSignals& signals_;
  const std::function<void()>& on_interrupt_;
  Clock::time_point started_;
  std::optional<Clock::time_point> deadline_;
  ProgramEnd end_;
};

}  // namespace

std::string_view signal_name(int number) {
  const auto* row = std::find_if(std::begin(kSignalNames), std::end(kSignalNames),
                                 [&](const auto& r) { return r.first == number; });
  return row == std::end(kSignalNames) ? std::string_view() : row->second;
}

std::string ProgramEnd::text() const {
  if (signal == 0) return fmt::format("exit code {}", exit_code);
  const auto name = signal_name(signal);
  return name.empty() ? fmt::format("signal {}", signal)
                      : fmt::format("signal {} ({})", signal, name);
}

Result<ProgramEnd> run_program_to_end(const ProgramCommand& command,
                                      const std::function<void()>& on_interrupt) {
  auto words = command.words;
  if (words.empty() || words.front().empty())
    return fail(Code::missing_argument, {}, "no program was given after --");
  auto environment = environment_with(command.environment);
  const auto word_pointers = pointers(words), environment_pointers = pointers(environment);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return fail(Code::program_not_found, {},
                fmt::format("cannot start a process: {}", std::generic_category().message(errno)));
  const HeldSignals signals;
  const pid_t pid = ::fork();
  if (pid == 0)
    become(const_cast<char**>(word_pointers.data()),
           const_cast<char**>(environment_pointers.data()), signals.before(), report[1]);
  const int fork_error = errno;
  ::close(report[1]);
  int error = 0;
  const bool started =
      pid > 0 && ::read(report[0], &error, sizeof error) != static_cast<ssize_t>(sizeof error);
  ::close(report[0]);
  if (pid < 0)
    return fail(
        Code::program_not_found, {},
        fmt::format("cannot start a process: {}", std::generic_category().message(fork_error)));
  if (!started) {
    ::waitpid(pid, nullptr, 0);
    return tl::unexpected(not_started(words.front(), error));
  }
  return Watch(pid, command, signals, on_interrupt).wait();
}

}  // namespace roofline
