#include "cli/checkout.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

extern char** environ;

namespace roofline::cli {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;

/// stdout of a program that is looked for in PATH, without a shell; nullopt where it cannot be run
/// or fails.
std::optional<std::string> output_of(std::vector<std::string> words) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  std::string output;
  char buffer[4096];
  while (failed == 0) {
    const auto count = ::read(pipe_ends[0], buffer, sizeof buffer);
    if (count > 0 && output.size() < kMostOutput)
      output.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  ::close(pipe_ends[0]);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return output;
}

std::time_t clock_time() {
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(fixed, &end, 10);
    if (end != fixed && *end == '\0' && seconds >= 0) return static_cast<std::time_t>(seconds);
  }
  return std::time(nullptr);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Checkout read_checkout(const std::vector<std::string>& except) {
  Checkout checkout;
  // -z: names as they are, unquoted. Untracked files are no change of what was built from.
  const auto status = output_of({"git", "status", "--porcelain", "-z", "--untracked-files=no"});
  const auto top = output_of({"git", "rev-parse", "--show-toplevel"});
  if (!status || !top) return checkout;
  checkout.known = true;
  if (const auto head = output_of({"git", "rev-parse", "--short", "HEAD"}))
    checkout.commit = first_line(*head);
  std::vector<std::string> spared;
  std::error_code ignored;
  for (const auto& name : except)
    spared.push_back(std::filesystem::weakly_canonical(name, ignored).string());
  for (std::size_t at = 0; at < status->size();) {
    const auto end = std::min(status->find('\0', at), status->size());
    const auto record = status->substr(at, end - at);
    at = end + 1;
    if (record.size() < 4) continue;
    // The name before a renaming follows in a record of its own.
    if (record[0] == 'R' || record[0] == 'C')
      at = std::min(status->find('\0', at), status->size()) + 1;
    const auto name = record.substr(3);
    const auto path =
        std::filesystem::weakly_canonical(std::filesystem::path(first_line(*top)) / name, ignored)
            .string();
    if (std::find(spared.begin(), spared.end(), path) == spared.end())
      checkout.changed.push_back(name);
  }
  return checkout;
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(clock_time())); }

std::string now_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(clock_time())); }

}  // namespace roofline::cli
