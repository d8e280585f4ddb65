#include "cli/args/declare.hpp"

namespace roofline::cli::args {
namespace {

constexpr const char* kPictures = "Pictures";

/// Every long and short name, for suggestions.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names = {"--help"};
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

CLI::Option* text(CLI::App& app, const char* group, const std::string& names, std::string& value, const std::string& type,
                  const std::string& doc) {
  return app.add_option(names, value, doc)->type_name(type)->group(group);
}

CLI::Option* flag(CLI::App& app, const char* group, const std::string& names, bool& value, const std::string& doc) {
  return app.add_flag(names, value, doc)->group(group);
}

CLI::Option* positional(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& doc) {
  return app.add_option(name, values, doc)->type_name(name)->group("Arguments");
}
CLI::Option* positional(CLI::App& app, const std::string& name, std::string& value, const std::string& doc) {
  return app.add_option(name, value, doc)->type_name(name)->group("Arguments");
}

void add_colour(CLI::App& app, CommonArgs& args) {
  text(app, kOutput, "--color", args.color, "auto|always|never", "colours; auto: on a terminal, unless NO_COLOR is set");
}
void add_width(CLI::App& app, CommonArgs& args) {
  text(app, kOutput, "--width", args.width, "COLUMNS", "columns of the text; default: the terminal's, else $COLUMNS, else 100");
}
void add_json(CLI::App& app, CommonArgs& args, const char* group) {
  flag(app, group, "--json", args.json, "JSON instead of text, errors too");
}
void add_verbosity(CLI::App& app, CommonArgs& args) {
  app.add_flag("-q,--quiet", args.quiet, "verdict lines only; -qq: nothing but errors")->group(kMain);
  app.add_flag("-v,--verbose", args.verbose, "formulas, and a block for every kernel; names the configuration files used")->group(kMain);
}
void add_config(CLI::App& app, CommonArgs& args) {
  text(app, kSettings, "--config", args.config, "FILE", "settings from this file instead of roofline.yml and the user's");
  flag(app, kSettings, "--no-config", args.no_config, "no settings from any file");
}

void declare_answer(CLI::App& app, AnswerArgs& args) {
  text(app, kMain, "-f,--format", args.format, kSmallFormats, "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  add_colour(app, args);
  add_width(app, args);
}

void add_pictures(CLI::App& app, PictureArgs& args) {
  app.add_option("--report", args.reports, "one more output: svg, html, markdown, csv or json of the pictures, as in svg=chart.svg; repeatable")
      ->type_name("KIND=FILE")->group(kPictures)->allow_extra_args(false);
  text(app, kPictures, "--theme", args.theme, "light|dark|print", "colours of an SVG; default: light. HTML has all of them");
  text(app, kPictures, "--panels", args.panels, "dtype|gpu", "charts of one size on the same axes: one for each datapath, or one for each GPU of an SVG");
  flag(app, kPictures, "--levels", args.levels, "the traffic of L2, L1 and shared memory as satellites, where counters saw it");
  text(app, kPictures, "--rows", args.rows, "N", "kernels that an SVG numbers and lists, those with most time first; default: 30");
  flag(app, kPictures, "--ascii", args.ascii, "a terminal's chart without braille, as where the locale is not UTF-8");
}

void add_plot_and_pictures(CLI::App& app, PictureArgs& args) {
  flag(app, kPictures, "--plot", args.plot, "bars and the roofline chart after the table");
  add_pictures(app, args);
}

Error unexpected_word(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-')
    return {Code::bad_option, {}, "unexpected argument \"" + shortened(printable(word), 100) + '"', {}, {}};
  const auto name = word.substr(0, word.find('='));
  const auto known = option_names(app);
  const std::vector<std::string_view> views(known.begin(), known.end());
  return {Code::unknown_option, {}, "unknown option \"" + shortened(printable(name), 100) + '"', did_you_mean(name, views), {}};
}

/// CLI11's own words are about its types; what a user needs is which option, and that its value is missing or doubled.
Error mismatch(const CLI::ParseError& error) {
  const std::string what = error.what();
  const auto option = what.substr(0, what.find_first_of(": "));
  if (option.starts_with('-')) {
    const bool doubled = what.find("received") != std::string::npos || what.find("At most") != std::string::npos;
    return {doubled ? Code::bad_option : Code::missing_argument, {}, option + (doubled ? " is given more than once" : " needs a value"), {}, {}};
  }
  return {Code::bad_option, {}, printable(what), {}, {}};
}

}  // namespace roofline::cli::args

namespace roofline::cli {

Result<void> check_choice(std::string_view option, std::string_view value, std::span<const std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return {};
  const std::vector<std::string> names(choices.begin(), choices.end());
  auto hint = did_you_mean(value, choices);
  return fail(Code::bad_option, {}, std::string(option) + " cannot be \"" + shortened(printable(value), 60) + '"',
              hint.empty() ? "one of: " + joined(names) : hint);
}

}  // namespace roofline::cli
