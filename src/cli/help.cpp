#include "cli/command.hpp"
#include "cli/docs.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {

int run_help(Words words) {
  const auto args = parse<HelpArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->all) return print(reference());
  if (args->words.empty()) return print(args->man ? man_page(nullptr) : program_help(true, style->width));
  if (args->words.size() == 1 && args->words.front() == "gate-file")
    return print(args->man ? gate_file_man() : gate_file_help(style->width));
  std::size_t used = 0;
  if (const auto* command = find_command(args->words, used))
    return print(args->man ? man_page(command) : command_help(*command, true, style->width));
  if (is_group(args->words.front()))
    return print(group_help(args->words.front(), true, style->width));
  return report_error({Code::unknown_command,
                       {},
                       "no command \"" + shortened(printable(args->words.front()), 60) + '"',
                       "roofline --help lists the commands",
                       {}},
                      style->errors);
}

}  // namespace roofline::cli
