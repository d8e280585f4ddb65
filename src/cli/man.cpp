#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/docs.hpp"
#include "cli/troff.hpp"

namespace roofline::cli {
namespace {

using namespace troff;

std::string title_of(const OptionDoc& option) {
  std::string title;
  for (const auto& name : option.names) title += (title.empty() ? "" : ", ") + name;
  if (!option.value.empty()) title += (title.empty() ? "" : " ") + option.value;
  return title;
}

std::string paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find("\n\n"), text.size());
    result += ".PP\n" + escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return result;
}

std::string examples(const CommandEntry& command) {
  std::string text;
  for (const auto& example : command.examples)
    text += fmt::format(".PP\n{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", escaped(example.meaning), escaped(example.command));
  return text;
}

std::string synopsis(const CommandEntry& command) {
  return fmt::format(".B roofline {}\n[\\fIoptions\\fR] {}\n", escaped(command.full_name()), escaped(command.arguments));
}

std::string options(const CommandEntry& command) {
  const auto list = command.options();
  std::string text;
  for (const auto& group : option_groups(list)) {
    text += fmt::format(".SS {}\n", escaped(group));
    for (const auto& option : list)
      if (option.group == group) text += item(title_of(option), option.doc);
  }
  return text;
}

std::string settings() {
  std::string text = section("ENVIRONMENT");
  for (const auto& variable : environment_variables()) text += item(variable.name, variable.meaning);
  return text + section("FILES") + ".PP\n" + escaped(configuration_text()) + "\n";
}

std::string head(std::string_view name, std::string_view summary) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {0} 1\n.SH NAME\n{1} \\- {2}\n", upper, escaped(name), escaped(summary));
}

std::string page_of(const CommandEntry& command) {
  std::string name = "roofline-" + command.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  auto text = head(name, command.summary) + section("SYNOPSIS") + synopsis(command) + section("DESCRIPTION") +
              paragraphs(command.about) + section("OPTIONS") + options(command) + section("EXAMPLES") + examples(command);
  if (reads_settings(command.options())) text += settings();
  return text + section("EXIT STATUS") + escaped(exit_line(command.exits)) + section("SEE ALSO") +
         ".BR roofline (1),\n.B roofline explain\n";
}

std::string page_of_program() {
  auto text = head("roofline", "what limits this kernel, how far it is from that limit, and what would move it") +
              section("SYNOPSIS") + ".B roofline\n\\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n" +
              section("COMMANDS");
  for (const auto& command : commands()) {
    text += fmt::format(".SS roofline {} {}\n", escaped(command.full_name()), escaped(command.arguments));
    text += escaped(command.summary) + "\n" + paragraphs(command.about) + options(command);
  }
  return text + settings() + section("EXIT STATUS") + escaped(exit_line("1 a check failed"));
}

}  // namespace

std::string man_page(const CommandEntry* command) { return command ? page_of(*command) : page_of_program(); }

}  // namespace roofline::cli
