#include "cli/answer.hpp"

#include "cli/output.hpp"
#include "cli/style.hpp"
#include "cli/version.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {

Checked<AnswerStyle> answer_style(Words words, const AnswerArgs& args) {
  constexpr std::string_view kFormats[] = {"table", "markdown", "json"};
  AnswerStyle style{.errors = style_of(words), .format = {}, .width = 100};
  Errors errors;
  if (const auto common = common_style(args)) {
    style.errors.colour = common->errors.colour;
    style.width = common->width;
  } else {
    errors.push_back(common.error());
  }
  if (args.json && !args.format.empty() && args.format != "json")
    errors.push_back({Code::contradiction,
                      {},
                      "--json and --format " + printable(args.format) + " exclude each other",
                      {},
                      {}});
  style.format = args.json ? "json" : args.format.empty() ? "table" : args.format;
  if (auto known = check_choice("--format", style.format, kFormats); !known)
    errors.push_back(std::move(known.error()));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return style;
}

int write_answer(const AnswerStyle& style, const AnswerArgs& args, const Answer& answer) {
  const bool to_stdout = args.output.empty() || args.output == "-";
  const bool colour = to_stdout ? wants_colour(Stream::out, style.errors.colour)
                                : style.errors.colour == ColourChoice::always;
  auto output = Output::open(args.output);
  if (!output) return report_error(output.error(), style.errors);
  const TextSink sink = [&](std::string_view text) { output->write(text); };
  if (style.format == "json") {
    JsonWriter json(sink, {.indented_levels = 3});
    json.begin_object();
    json.text("schema", answer.schema);
    answer.json(json);
    json.end_object();
    json.end_line();
    json.flush();
  } else {
    const ReportOptions options{
        .colour = colour, .width = style.width, .tool_version = version_number()};
    const auto page = style.format == "markdown" ? markdown_page(sink) : text_page(sink, options);
    answer.page(*page);
  }
  const auto written = output->finish();
  return written ? 0 : report_error(written.error(), style.errors);
}

}  // namespace roofline::cli
