#pragma once

#include <string>
#include <string_view>

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

/// A completion script for bash, zsh or fish; empty for another shell.
std::string completion(std::string_view shell);

}  // namespace roofline::cli
