#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "report/report_words.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

std::string page(const CodeEntry& entry, std::size_t width) {
  auto text = fmt::format("{}: {}\n\n{}\n", code_name(entry.code), entry.title,
                          wrapped(entry.meaning, width, 0));
  text += fmt::format("\nExit code: {}\n", entry.exit_code);
  if (!entry.example.empty()) {
    text += "\nExample:\n";
    std::string_view rest = entry.example;
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size());
      text += fmt::format("    {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return text;
}

std::string all_codes() {
  std::string text;
  for (const auto& entry : error_codes())
    text += fmt::format("{}  {}\n", code_name(entry.code), entry.title);
  text += "\nWords of reports:\n";
  for (const auto& word : report_words()) text += fmt::format("{:<10}  {}\n", word.kind, word.word);
  return text + "\nOne of them in full: roofline explain RF2003, roofline explain under_roof\n";
}

/// Empty when reports do not use the word.
std::string word_page(std::string_view name, std::size_t width) {
  std::string text;
  for (const auto& word : report_words())
    if (word.word == name)
      text += fmt::format("{}{} ({})\n\n{}\n", text.empty() ? "" : "\n", word.word, word.kind,
                          wrapped(word.meaning, width, 0));
  return text;
}

const CodeEntry* find_code(std::string_view word) {
  auto number = lower_case(word);
  if (number.starts_with("rf")) number = number.substr(2);
  for (const auto& entry : error_codes())
    if (std::to_string(static_cast<int>(entry.code)) == number) return &entry;
  return nullptr;
}

Error unknown_code(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& entry : error_codes()) names.push_back(code_name(entry.code));
  for (const auto& known : report_words()) names.emplace_back(known.word);
  const std::vector<std::string_view> views(names.begin(), names.end());
  auto hint = did_you_mean(word, views);
  return {Code::bad_option,
          {},
          "nothing to explain under \"" + shortened(printable(word), 60) + '"',
          hint.empty() ? "roofline explain lists them all" : std::move(hint),
          {}};
}

}  // namespace

int run_explain(Words words) {
  const auto args = parse<ExplainArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = common_style(*args);
  if (!style) return report_error(style.error(), style_of(words));
  if (args->codes.empty()) return print(all_codes());
  std::string text;
  for (const auto& word : args->codes) {
    const auto* entry = find_code(word);
    const auto found = entry ? page(*entry, style->width) : word_page(word, style->width);
    if (found.empty()) return report_error(unknown_code(word), style->errors);
    text += (text.empty() ? "" : "\n") + found;
  }
  return print(text);
}

}  // namespace roofline::cli
