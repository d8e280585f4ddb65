#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace roofline::cli {

/// The whole program: what it is for, two examples, its commands.
std::string program_help(bool full, std::size_t width);
/// The commands of one group ("gpus").
std::string group_help(std::string_view group, bool full, std::size_t width);
/// One command: short (two examples, the main options) or full (examples first, all options in
/// groups, environment, exit codes at the end).
std::string command_help(const CommandEntry& command, bool full, std::size_t width);
/// The full help of everything, as Markdown: docs/cli.md is a copy of it.
std::string reference();

/// A page for man(1): of one command, or of the program with all of them (nullptr).
std::string man_page(const CommandEntry* command);

/// The reference of the gate file, for a terminal and for man(5).
std::string gate_file_help(std::size_t width);
std::string gate_file_man();

/// A completion script for bash, zsh or fish; empty for another shell.
std::string completion(std::string_view shell);

/// What the texts above are made of; help, reference and man pages say the same.
struct Variable {
  std::string_view name, meaning;
};
std::span<const Variable> environment_variables();
std::string_view configuration_text();
std::vector<std::string> option_groups(const std::vector<OptionDoc>& options);
bool reads_settings(const std::vector<OptionDoc>& options);
/// "Exit codes: 0 done, ...": a command's own and those that all have.
std::string exit_line(std::string_view own);

}  // namespace roofline::cli
