#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/args.hpp"
#include "cli/errors.hpp"
#include "report/json_writer.hpp"
#include "report/page/page.hpp"

namespace roofline::cli {

/// What one command answers: a page for people, or the members of one JSON document.
struct Answer {
  std::string_view schema;  ///< of the JSON document
  std::function<void(Page&)> page;
  std::function<void(JsonWriter&)> json;
};

/// How it is printed, by the options alone. Errors: a format that is none, or excludes --json; a
/// width.
struct AnswerStyle {
  ErrorStyle errors;
  std::string format;  ///< table, markdown, json
  std::size_t width = 100;
};
Checked<AnswerStyle> answer_style(Words words, const AnswerArgs& args);

/// Writes the answer to --output, whole or not at all. Returns the exit code: 0, or that of
/// cannot_write.
int write_answer(const AnswerStyle& style, const AnswerArgs& args, const Answer& answer);

}  // namespace roofline::cli
