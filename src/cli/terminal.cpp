#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace roofline::cli {
namespace {

constexpr std::size_t kDefaultWidth = 100, kLeastWidth = 40, kMostWidth = 1000;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

bool is_forced(std::string_view value) { return !value.empty() && value != "0"; }

std::size_t columns_of_environment() {
  const auto text = environment("COLUMNS");
  std::size_t columns = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || columns > kMostWidth) return 0;
    columns = columns * 10 + static_cast<std::size_t>(c - '0');
  }
  return columns;
}

}  // namespace

bool is_terminal(Stream stream) {
  return ::isatty(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

bool wants_colour(Stream stream, ColourChoice choice) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  if (!environment("NO_COLOR").empty()) return false;
  if (is_forced(environment("CLICOLOR_FORCE")) || is_forced(environment("FORCE_COLOR")))
    return true;
  if (environment("TERM") == "dumb") return false;
  return is_terminal(stream);
}

std::size_t terminal_width() {
  std::size_t width = columns_of_environment();
  winsize size{};
  if (width == 0 && ::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  if (width == 0) width = kDefaultWidth;
  return std::clamp(width, kLeastWidth, kMostWidth);
}

void write_error(std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;  // there is nowhere left to say so
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace roofline::cli
