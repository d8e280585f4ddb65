#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/args.hpp"
#include "roofline/base/text.hpp"

/// How the options of a command are declared. One file declares the commands of one group and ends with a line
/// ROOFLINE_ARGS for each of them: from the same declaration come the parser, help, man pages, reference and completion.
namespace roofline::cli::args {

// Options of this group are in the short help; those of the others in the long one only.
inline constexpr const char* kMain = "Options";
inline constexpr const char* kModel = "What is assumed";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kSettings = "Settings";

inline constexpr const char* kSmallFormats = "table|markdown|json";

/// The names between bars are the values: help shows them, completion offers them.
CLI::Option* text(CLI::App& app, const char* group, const std::string& names, std::string& value, const std::string& type,
                  const std::string& doc);
CLI::Option* flag(CLI::App& app, const char* group, const std::string& names, bool& value, const std::string& doc);
CLI::Option* positional(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& doc);
CLI::Option* positional(CLI::App& app, const std::string& name, std::string& value, const std::string& doc);

void add_colour(CLI::App& app, CommonArgs& args);
void add_width(CLI::App& app, CommonArgs& args);
void add_json(CLI::App& app, CommonArgs& args, const char* group = kMain);
void add_verbosity(CLI::App& app, CommonArgs& args);
void add_config(CLI::App& app, CommonArgs& args);
/// Of commands whose answer is a page or one JSON document: --format, --output and how it looks.
void declare_answer(CLI::App& app, AnswerArgs& args);
/// What every command that draws takes: reports beside its main output, and how they look.
void add_pictures(CLI::App& app, PictureArgs& args);
/// The same of commands whose own output is another: there the terminal's chart is asked for.
void add_plot_and_pictures(CLI::App& app, PictureArgs& args);

/// What is wrong with a word that no option takes, and with CLI11's own complaint.
Error unexpected_word(const CLI::App& app, const std::string& word);
Error mismatch(const CLI::ParseError& error);

template <class Args>
struct Holder {
  CLI::App app;
  Args args;
};

}  // namespace roofline::cli::args

namespace roofline::cli {

template <class Args>
std::vector<OptionDoc> option_docs() {
  args::Holder<Args> holder;
  holder.app.set_help_flag();
  declare(holder.app, holder.args);
  std::vector<OptionDoc> docs;
  for (const auto* option : holder.app.get_options()) {
    OptionDoc doc{.names = {}, .value = {}, .doc = option->get_description(), .group = option->get_group()};
    for (const auto& name : option->get_snames()) doc.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) doc.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) doc.value = option->get_type_name();
    docs.push_back(std::move(doc));
  }
  return docs;
}

template <class Args>
Result<Args> parse(Words words) {
  args::Holder<Args> holder;
  holder.app.set_help_flag();
  holder.app.allow_extras();
  declare(holder.app, holder.args);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 takes them
  try {
    holder.app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(args::mismatch(error));
  }
  const auto rest = holder.app.remaining();
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& word) { return word.starts_with('-'); });
  if (!rest.empty()) return tl::unexpected(args::unexpected_word(holder.app, option != rest.end() ? *option : rest.front()));
  return std::move(holder.args);
}

}  // namespace roofline::cli

#define ROOFLINE_ARGS(Args)                                                   \
  template std::vector<::roofline::cli::OptionDoc> roofline::cli::option_docs<::roofline::cli::Args>(); \
  template ::roofline::Result<::roofline::cli::Args> roofline::cli::parse<::roofline::cli::Args>(::roofline::cli::Words words)
