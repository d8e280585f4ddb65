#include "cli/style.hpp"

#include <cstdlib>

#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kChoices[] = {"auto", "always", "never"};
constexpr double kLeast = 40, kMost = 10'000;

/// The value of `--name value` or `--name=value`; empty when it is not there.
std::string_view value_of(Words words, std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == name && i + 1 < words.size()) return words[i + 1];
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return word.substr(name.size() + 1);
  }
  return {};
}

bool is_json(std::string_view format) { return format == "json" || format == "jsonl"; }

}  // namespace

std::optional<ColourChoice> find_colour_choice(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kChoices); ++i)
    if (word == kChoices[i]) return static_cast<ColourChoice>(i);
  return std::nullopt;
}

ErrorStyle style_of(Words words) {
  ErrorStyle style;
  for (const auto& word : words) style.json = style.json || word == "--json";
  style.json = style.json || is_json(value_of(words, "--format")) || is_json(value_of(words, "-f"));
  auto colour = value_of(words, "--color");
  if (const char* variable = std::getenv("ROOFLINE_COLOR"); colour.empty() && variable)
    colour = variable;
  style.colour = find_colour_choice(colour).value_or(ColourChoice::automatic);
  return style;
}

Result<CommonStyle> common_style(const CommonArgs& args) {
  CommonStyle style{.errors = {.json = args.json}, .width = terminal_width()};
  if (!args.color.empty()) {
    if (auto known = check_choice("--color", args.color, kChoices); !known)
      return tl::unexpected(std::move(known.error()));
    style.errors.colour = *find_colour_choice(args.color);
  }
  if (!args.width.empty()) {
    const auto number = parse_number(args.width);
    if (!number || *number < kLeast || *number > kMost)
      return fail(Code::bad_option, {}, "--width needs a number of columns from 40 to 10000");
    style.width = static_cast<std::size_t>(*number);
  }
  return style;
}

}  // namespace roofline::cli
