#include "report/log_lines.hpp"

#include <algorithm>
#include <utility>

namespace roofline {
namespace {

constexpr std::string_view kCommand = "::", kOldCommand = "##[";

bool is_command(std::string_view line) {
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(first).starts_with(kCommand) || line.find(kOldCommand) != line.npos;
}

void append_harmless(std::string& out, std::string_view line) {
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  out += line.substr(0, first);
  if (line.substr(first).starts_with(kCommand)) out += '\'';
  for (auto rest = line.substr(first); !rest.empty();) {
    const auto mark = rest.find(kOldCommand);
    out += rest.substr(0, mark);
    if (mark == rest.npos) return;
    out += "## [";
    rest.remove_prefix(mark + kOldCommand.size());
  }
}

}  // namespace

std::string log_lines(std::string_view lines) {
  std::string text;
  text.reserve(lines.size());
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = lines.substr(0, end);
    if (is_command(line))
      append_harmless(text, line);
    else
      text += line;
    if (end < lines.size()) text += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

TextSink log_sink(TextSink sink) {
  return [sink = std::move(sink)](std::string_view lines) { sink(log_lines(lines)); };
}

}  // namespace roofline
