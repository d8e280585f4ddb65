#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/docs.hpp"
#include "cli/output.hpp"
#include "cli/schemas.hpp"
#include "cli/style.hpp"
#include "report/report_words.hpp"
#include "roofline/kernel/op.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

template <class Range>
std::string words_of(const Range& range) {
  std::string text;
  for (const auto& word : range) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const auto& command : commands()) {
    const std::string word(command.group.empty() ? command.name : command.group);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string> groups() {
  std::vector<std::string> words;
  for (const auto& word : first_words())
    if (is_group(word)) words.push_back(word);
  return words;
}

std::string actions(std::string_view group) {
  std::vector<std::string_view> words;
  for (const auto& command : commands())
    if (command.group == group) words.push_back(command.name);
  return words_of(words);
}

/// What may stand for a value, as words; empty: a file, or anything.
std::string candidates(const CommandEntry& command, const std::string& value) {
  if (value.find('|') != std::string::npos) {
    auto words = value;
    std::replace(words.begin(), words.end(), '|', ' ');
    return words;
  }
  if (value == "GPU") return words_of(gpu_ids());
  if (value == "OP") return words_of(op_names());
  if (value == "SHELL") return "bash zsh fish";
  if (value == "COMMAND") return words_of(first_words());
  if (value == "NAME" && command.name == "schema") return words_of(schema_names());
  if (value == "CODE") {
    std::vector<std::string> codes;
    for (const auto& entry : error_codes()) codes.push_back(code_name(entry.code));
    for (const auto& word : report_words()) codes.emplace_back(word.word);
    return words_of(codes);
  }
  // A value that is one fixed word: 2:4, mma_sync.
  const bool fixed =
      std::any_of(value.begin(), value.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ||
      value.find(':') != std::string::npos;
  return fixed ? value : std::string();
}

bool is_file(const std::string& value) {
  return value == "FILE" || value == "INPUT" || value == "GPU";
}

const OptionDoc* argument_of(const std::vector<OptionDoc>& options) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [](const OptionDoc& o) { return o.names.empty(); });
  return found == options.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<OptionDoc>& options) {
  std::vector<std::string> names;
  for (const auto& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  names.insert(names.end(), {"-h", "--help"});
  return words_of(names);
}

// ---------------------------------------------------------------- bash and zsh
/// One case per command: the option before the cursor decides, else the options and what the
/// argument may be.
std::string bash_case(const CommandEntry& command) {
  const auto options = command.options();
  std::string text = fmt::format("    \"{}\")\n      case $prev in\n", command.full_name());
  for (const auto& option : options) {
    if (option.names.empty() || option.value.empty()) continue;
    std::string names;
    for (const auto& name : option.names) names += (names.empty() ? "" : "|") + name;
    text += fmt::format("        {}) words='{}'; files={} ;;\n", names,
                        candidates(command, option.value), is_file(option.value) ? 1 : 0);
  }
  const auto* argument = argument_of(options);
  text += fmt::format("        *) words='{}{}{}'; files={} ;;\n      esac ;;\n", names_of(options),
                      argument ? " " : "", argument ? candidates(command, argument->value) : "",
                      argument && is_file(argument->value) ? 1 : 0);
  return text;
}

std::string bash_script() {
  std::string text =
      "# bash completion for roofline; made by `roofline completion bash`\n_roofline() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
      "command=${COMP_WORDS[1]} at=1 words='' files=0\n"
      "  COMPREPLY=()\n  case $command in\n";
  for (const auto& group : groups())
    text += fmt::format(
        "    {}) at=2\n      if [ \"$COMP_CWORD\" -gt 2 ]; then command=\"$command "
        "${{COMP_WORDS[2]}}\"; fi ;;\n",
        group);
  text += fmt::format(
      "  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='{} -h --help --version'\n"
      "  elif [ \"$COMP_CWORD\" -le \"$at\" ]; then\n    case $command in\n",
      words_of(first_words()));
  for (const auto& group : groups())
    text += fmt::format("      {}) words='{}' ;;\n", group, actions(group));
  text += "    esac\n  else case $command in\n";
  for (const auto& command : commands()) text += bash_case(command);
  text +=
      "  esac; fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  if [ \"$files\" = 1 ]; then COMPREPLY+=($(compgen -f -- \"$cur\")); compopt -o filenames "
      "2>/dev/null; fi\n}\n"
      "complete -F _roofline roofline\n";
  return text;
}

/// zsh runs bash's functions; a second table would only be another place to be wrong.
std::string zsh_script() {
  return "#compdef roofline\n# zsh completion for roofline; made by `roofline completion zsh`\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script();
}

// ---------------------------------------------------------------- fish
std::string quoted_for_fish(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_condition(const CommandEntry& command) {
  if (command.group.empty()) return fmt::format("__fish_seen_subcommand_from {}", command.name);
  return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                     command.group, command.name);
}

std::string fish_option(const CommandEntry& command, const OptionDoc& option) {
  std::string text =
      fmt::format("complete -c roofline -n {}", quoted_for_fish(fish_condition(command)));
  for (const auto& name : option.names)
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  const auto words = option.value.empty() ? std::string() : candidates(command, option.value);
  if (!option.names.empty() && !option.value.empty()) text += is_file(option.value) ? " -r" : " -x";
  if (option.names.empty() && is_file(option.value)) text += " -F";
  if (!words.empty()) text += fmt::format(" -a {}", quoted_for_fish(words));
  return text + fmt::format(" -d {}\n", quoted_for_fish(option.doc));
}

std::string fish_script() {
  std::string text =
      "# fish completion for roofline; made by `roofline completion fish`\ncomplete -c roofline "
      "-f\n";
  for (const auto& command : commands()) {
    if (command.group.empty())
      text += fmt::format("complete -c roofline -n __fish_use_subcommand -a {} -d {}\n",
                          command.name, quoted_for_fish(command.summary));
    else
      text += fmt::format(
          "complete -c roofline -n {} -a {} -d {}\n",
          quoted_for_fish(fmt::format(
              "__fish_seen_subcommand_from {0}; and not __fish_seen_subcommand_from {1}",
              command.group, actions(command.group))),
          command.name, quoted_for_fish(command.summary));
  }
  for (const auto& group : groups())
    text += fmt::format("complete -c roofline -n __fish_use_subcommand -a {}\n", group);
  for (const auto& command : commands())
    for (const auto& option : command.options()) text += fish_option(command, option);
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr Shell kShells[] = {{"bash", &bash_script}, {"zsh", &zsh_script}, {"fish", &fish_script}};

}  // namespace

std::string completion(std::string_view shell) {
  for (const auto& row : kShells)
    if (row.name == shell) return row.script();
  return {};
}

int run_completion(Words words) {
  const auto args = parse<CompletionArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->shell.empty())
    return report_error(
        {Code::missing_argument, {}, "which shell?", "roofline completion bash, zsh or fish", {}},
        style->errors);
  constexpr std::string_view kNames[] = {"bash", "zsh", "fish"};
  if (const auto known = check_choice("SHELL", args->shell, kNames); !known)
    return report_error(known.error(), style->errors);
  return print(completion(args->shell));
}

}  // namespace roofline::cli
