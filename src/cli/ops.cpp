#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "report/op_report.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {

int run_ops_list(Words words) {
  const auto args = parse<OpsListArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  constexpr std::string_view kFormats[] = {"table", "json", "markdown"};
  const auto format = args->json ? "json" : args->format.empty() ? "table" : args->format;
  if (const auto known = check_choice("--format", format, kFormats); !known)
    return report_error(known.error(), style->errors);
  if (format == "json") return print(ops_json(ops()));
  return print(format == "markdown" ? ops_markdown() : list_ops(style->width));
}

int run_ops_show(Words words) {
  const auto args = parse<OpsShowArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->names.empty())
    return report_error({Code::missing_argument,
                         {},
                         "no operation was named",
                         "roofline ops list prints the names",
                         {}},
                        style->errors);
  Errors errors;
  std::string text;
  std::vector<OpEntry> found;
  for (const auto& name : args->names) {
    const auto* op = find_op(name);
    if (!op) {
      errors.push_back({Code::unknown_op,
                        {},
                        "no operation \"" + shortened(printable(name), 60) + '"',
                        did_you_mean(name, op_names()),
                        {}});
      continue;
    }
    found.push_back(*op);
    if (!args->json) text += (text.empty() ? "" : "\n") + show_op(*op, style->width);
  }
  if (!errors.empty()) return report_errors(errors, style->errors);
  return print(args->json ? ops_json(found) : text);
}

}  // namespace roofline::cli
