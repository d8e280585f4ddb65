#include "cli/docs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kNames = 24;  ///< columns of an option's name before its text
constexpr std::string_view kShortGroup = "Options";
constexpr std::string_view kAllIn = "docs/cli.md";

constexpr Variable kVariables[] = {
    {"ROOFLINE_GPU", "as --gpu, where neither the option nor the description names one"},
    {"ROOFLINE_FORMAT", "as --format"},
    {"ROOFLINE_COLOR", "as --color"},
    {"ROOFLINE_CONFIG", "as --config"},
    {"NO_COLOR", "not empty: no colours"},
    {"CLICOLOR_FORCE, FORCE_COLOR", "not empty and not 0: colours also where there is no terminal"},
    {"XDG_CONFIG_HOME",
     "where roofline/config.yml and roofline/gpus/ are looked for; default: ~/.config"},
};
constexpr std::string_view kConfiguration =
    "roofline.yml in this folder or one above it, up to the repository's root, then "
    "roofline/config.yml in the user's "
    "configuration folder. Keys: gpu, format, color, launch_cost. An option goes before a "
    "variable, a variable before "
    "the project's file, that before the user's.";

/// Two columns, the right one filled at `width`.
std::string entry(std::string_view left, std::string_view right, std::size_t column,
                  std::size_t width) {
  std::string line = "  " + std::string(left);
  const auto indent = column + 4;
  const auto room = width > indent + 20 ? width - indent : 40;
  if (display_width(left) > column)
    line += "\n" + std::string(indent, ' ');
  else
    line += std::string(indent - 2 - display_width(left), ' ');
  for (const char c : wrapped(right, room, 0)) {
    line += c;
    if (c == '\n') line += std::string(indent, ' ');
  }
  return line + "\n";
}

std::string paragraphs(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find("\n\n"), text.size());
    result += wrapped(text.substr(0, end), width, 0) + "\n\n";
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return result;
}

std::string examples(std::span<const Example> list, std::size_t most, std::size_t width) {
  std::string text;
  std::size_t column = 0;
  const auto shown = list.first(std::min(most, list.size()));
  for (const auto& example : shown) column = std::max(column, example.command.size());
  column = std::min<std::size_t>(column, 60);
  for (const auto& example : shown) text += entry(example.command, example.meaning, column, width);
  return text;
}

/// "-o, --output FILE".
std::string option_title(const OptionDoc& option) {
  if (option.names.empty()) return option.value;
  std::string title = option.names.front().starts_with("--") ? "    " : "";
  for (const auto& name : option.names)
    title += (&name == &option.names.front() ? "" : ", ") + name;
  return option.value.empty() ? title : title + " " + option.value;
}

using Options = std::vector<OptionDoc>;

std::string group_text(const Options& options, std::string_view group, std::size_t width) {
  std::string text;
  for (const auto& option : options)
    if (option.group == group) text += entry(option_title(option), option.doc, kNames, width);
  if (group == kShortGroup)
    text += entry("-h, --help", "this help, short or in full", kNames, width);
  return text;
}

std::string usage(const CommandEntry& command) {
  return fmt::format("Usage: roofline {} [options]{}{}\n", command.full_name(),
                     command.arguments.empty() ? "" : " ", command.arguments);
}

std::string short_help(const CommandEntry& command, const Options& options, std::size_t width) {
  auto text = wrapped(command.summary, width, 0) + "\n\n" + examples(command.examples, 2, width) +
              "\n" + usage(command) + "\n";
  text += group_text(options, kShortGroup, width);
  text += "\n" + wrapped(exit_line(command.exits), width, 0) + "\nAll options: roofline " +
          command.full_name() + " --help\n";
  return text;
}

std::string full_help(const CommandEntry& command, const Options& options, std::size_t width) {
  auto text = wrapped(command.summary, width, 0) + "\n\nExamples:\n" +
              examples(command.examples, command.examples.size(), width) + "\n";
  text += usage(command) + "\n" + paragraphs(command.about, width);
  for (const auto& group : option_groups(options))
    text += group + ":\n" + group_text(options, group, width) + "\n";
  if (reads_settings(options)) {
    text += "Environment:\n";
    for (const auto& variable : kVariables)
      text += entry(variable.name, variable.meaning, kNames, width);
    text += "\nConfiguration:\n  ";
    for (const char c : wrapped(kConfiguration, width - 2, 0))
      text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text += "\n\n";
  }
  return text + wrapped(exit_line(command.exits), width, 0) +
         "\nWhat an error code means: roofline explain RF2003\n";
}

std::string command_list(std::string_view group, std::size_t width) {
  std::string text;
  std::string_view last;
  for (const auto& command : commands()) {
    if (group.empty() && !command.group.empty()) {
      // A group is one line of the program's help; its commands are listed by its own.
      if (command.group == last) continue;
      last = command.group;
      std::string names;
      for (const auto& other : commands())
        if (other.group == command.group)
          names += (names.empty() ? "" : "|") + std::string(other.name);
      text += entry(fmt::format("{} {}", command.group, names), command.summary, kNames, width);
      continue;
    }
    if (!group.empty() && command.group != group) continue;
    text += entry(command.full_name() + (command.arguments.empty() ? "" : " ") +
                      std::string(command.arguments),
                  command.summary, kNames, width);
  }
  return text;
}

}  // namespace

std::span<const Variable> environment_variables() { return kVariables; }
std::string_view configuration_text() { return kConfiguration; }

std::vector<std::string> option_groups(const std::vector<OptionDoc>& options) {
  std::vector<std::string> groups;
  for (const auto& option : options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  if (std::find(groups.begin(), groups.end(), kShortGroup) == groups.end())
    groups.emplace_back(kShortGroup);
  return groups;
}

bool reads_settings(const std::vector<OptionDoc>& options) {
  return std::any_of(options.begin(), options.end(), [](const OptionDoc& option) {
    return std::find(option.names.begin(), option.names.end(), "--config") != option.names.end();
  });
}

std::string exit_line(std::string_view own) {
  std::string text = "Exit codes: 0 done";
  if (!own.empty()) text += ", " + std::string(own);
  return text +
         ", 2 the command line or an input file is wrong, 3 this machine cannot answer or the "
         "program has a bug.\n";
}

std::string program_help(bool full, std::size_t width) {
  std::string text =
      "What limits this kernel, how far is it from that limit, and what would move it?\n\n";
  const auto& analyze = commands().front();
  text += examples(analyze.examples, full ? analyze.examples.size() : 2, width);
  text +=
      "\nUsage: roofline COMMAND [options] [arguments]\n\nCommands:\n" + command_list({}, width);
  if (full) {
    text += "\nOptions:\n" + entry("-h, --help", "this help, short or in full", kNames, width) +
            entry("-V, --version", "version, build and table revision", kNames, width);
    text += "\n" + wrapped(exit_line("1 a check failed"), width, 0);
  }
  return text +
         fmt::format("\nA command's help: roofline COMMAND -h (short), --help (all of it){}\n",
                     full ? fmt::format(", {}", kAllIn) : "");
}

std::string group_help(std::string_view group, bool full, std::size_t width) {
  std::string text = fmt::format("Usage: roofline {} COMMAND [options] [arguments]\n\n", group) +
                     command_list(group, width);
  if (!full)
    return text +
           fmt::format("\nA command's help: roofline {} COMMAND -h (short), --help (all of it)\n",
                       group);
  for (const auto& command : commands())
    if (command.group == group)
      text += fmt::format("\nroofline {}\n\n", command.full_name()) +
              command_help(command, true, width);
  return text;
}

std::string command_help(const CommandEntry& command, bool full, std::size_t width) {
  const auto options = command.options();
  return full ? full_help(command, options, width) : short_help(command, options, width);
}

std::string reference() {
  constexpr std::size_t kWidth = 100;
  std::string text =
      "# Command line\n\nWhat `--help` prints, command by command: a copy of `roofline help "
      "--all`.\n\n```\n" +
      program_help(true, kWidth) + "```\n";
  for (const auto& command : commands())
    text += fmt::format("\n## roofline {}\n\n```\n{}```\n", command.full_name(),
                        command_help(command, true, kWidth));
  return text;
}

}  // namespace roofline::cli
