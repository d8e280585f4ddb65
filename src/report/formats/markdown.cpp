#include <algorithm>

#include "report/formats/formats.hpp"
#include "report/page/page.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

/// Text that Markdown shows as it is, in a paragraph and in a table's cell: names come from files
/// and may hold anything.
std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '\n':
      case '\r': result += ' '; break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '#':
      case '~':
      case '$':
      case '!': result += '\\'; [[fallthrough]];
      default: result += c;
    }
  }
  return result;
}

class MarkdownPage final : public Page {
 public:
  explicit MarkdownPage(TextSink sink) : sink_(std::move(sink)) {}

  void title(std::string_view text) override { block("# " + escaped(text)); }
  void heading(std::string_view name, std::string_view detail) override {
    block("## " + escaped(name));
    if (!detail.empty()) block(escaped(detail));
  }
  void facts(std::span<const PageFact> facts) override {
    block("| | | |\n|:--|--:|:--|");
    for (const auto& fact : facts)
      sink_("| " + escaped(fact.label) + " | " + escaped(fact.value) + " | " +
            escaped(fact.detail) + " |\n");
  }
  void sentence(std::string_view text) override { block(escaped(text)); }

  void begin_table(std::vector<Column> columns) override {
    std::string titles = "|", marks = "|";
    for (const auto& column : columns) {
      titles += " " + escaped(column.title) + " |";
      marks += column.align == Align::right ? "--:|" : ":--|";
    }
    block(titles + "\n" + marks);
  }
  void row(std::vector<std::string> cells) override {
    std::string line = "|";
    for (const auto& cell : cells) {
      const auto text = escaped(cell);
      line += sums_ && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    sink_(line + "\n");
  }
  void rule() override { sums_ = true; }
  void end_table() override { sums_ = false; }

  void remark(std::string_view label, std::string_view text, Tone, std::size_t strong) override {
    const auto body = strong > 0 && strong <= text.size() ? "**" + escaped(text.substr(0, strong)) +
                                                                "**" + escaped(text.substr(strong))
                                                          : escaped(text);
    // A remark without a label goes on with the one before: the same list, one level in.
    if (label.empty() && in_list_) return sink_("  - " + body + "\n");
    const auto line = label.empty() ? "- " + body : "- *" + escaped(label) + "*: " + body;
    if (in_list_) return sink_(line + "\n");
    block(line);
    in_list_ = true;
  }

  void gap() override {}

 private:
  /// A part of its own: a blank line before it, unless it is the first.
  void block(const std::string& text) {
    in_list_ = false;
    if (started_) sink_("\n");
    started_ = true;
    sink_(text + "\n");
  }

  TextSink sink_;
  bool started_ = false, sums_ = false, in_list_ = false;
};

}  // namespace

std::unique_ptr<Page> markdown_page(TextSink sink) {
  return std::make_unique<MarkdownPage>(std::move(sink));
}

std::unique_ptr<ReportWriter> make_markdown(TextSink sink, const ReportOptions& options) {
  return compose(markdown_page(std::move(sink)), options);
}

}  // namespace roofline
