#include <algorithm>
#include <optional>

#include "report/formats/formats.hpp"
#include "report/log_lines.hpp"
#include "report/page/page.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLabelWidth = 9;  ///< of "verdict" and its like, with the gap after it
constexpr std::size_t kLeastDetail = 24;

constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kEnd = "\x1b[0m";

std::string_view colour_of(Tone tone) {
  switch (tone) {
    case Tone::memory: return "\x1b[1;34m";
    case Tone::compute: return "\x1b[1;35m";
    case Tone::overhead: return "\x1b[1;33m";
    case Tone::good: return "\x1b[1;32m";
    case Tone::bad: return "\x1b[1;31m";
    case Tone::plain: break;
  }
  return kBold;
}

std::string painted(std::string_view colour, std::string_view text) {
  if (text.empty()) return {};
  return std::string(colour) + std::string(text) + std::string(kEnd);
}

/// A cell that starts with the name of a bound carries its colour; all others stay as they are.
std::string paint_cell(std::string_view cell) {
  constexpr std::pair<std::string_view, Tone> kWords[] = {{"memory", Tone::memory},
                                                          {"compute", Tone::compute},
                                                          {"overhead", Tone::overhead},
                                                          {"impossible", Tone::bad}};
  for (const auto& [word, tone] : kWords)
    if (cell.starts_with(word)) return painted(colour_of(tone), cell);
  return std::string(cell);
}

constexpr std::string_view kNoBreak = "\xC2\xA0";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "us," is a unit, "times" is not: a prefix of one letter (or two, Mi) and then what is measured.
bool is_unit(std::string_view word) {
  constexpr std::string_view kMeasured[] = {"s",    "B",      "FLOP", "op",  "B/s", "FLOP/s",
                                            "op/s", "FLOP/B", "Hz",   "bit", "%"};
  while (!word.empty() && std::string_view(",;:.)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  for (const auto measured : kMeasured)
    if (word.ends_with(measured) && word.size() <= measured.size() + 2) return true;
  return false;
}

/// A number and its unit, and the groups of a long number, stay on one line.
std::string with_fixed_blanks(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_digit =
        text[i] == ' ' && i > 0 && is_digit(text[i - 1]) && i + 1 < text.size();
    const auto word =
        after_digit ? text.substr(i + 1, text.find(' ', i + 1) - i - 1) : std::string_view();
    if (after_digit &&
        (is_digit(word.empty() ? ' ' : word.front()) ? word.size() == 3 : is_unit(word)))
      result += kNoBreak;
    else
      result += text[i];
  }
  return result;
}

class TextPage final : public Page {
 public:
  TextPage(TextSink sink, const ReportOptions& options)
      : sink_(std::move(sink)),
        colour_(options.colour),
        width_(std::max<std::size_t>(options.width, 40)) {}

  void title(std::string_view text) override { line(bold(text)); }

  void heading(std::string_view full_name, std::string_view detail) override {
    const auto name = shortened_middle(full_name, width_);
    // The name stands for itself while the rest is filled: neither its blanks nor its colour take
    // part.
    const auto taken = display_width(name) + 2;
    if (detail.empty()) return line(bold(name));
    if (taken + kLeastDetail > width_)
      return line(bold(name) + "\n" + std::string(kIndent, ' ') + hanging(detail, kIndent));
    line(bold(name) + "  " + hanging(detail, taken));
  }

  void facts(std::span<const PageFact> facts) override {
    std::size_t label = 0, value = 0;
    for (const auto& fact : facts) {
      label = std::max(label, display_width(fact.label));
      value = std::max(value, display_width(fact.value));
    }
    value = std::min<std::size_t>(value, 24);
    for (const auto& fact : facts) {
      auto start = std::string(kIndent, ' ') + padded(fact.label, label) + "  " +
                   padded(fact.value, value) + "  ";
      const auto indent = display_width(start);
      if (fact.detail.empty())
        line(std::string(trimmed_right(start)));
      else if (indent + kLeastDetail > width_)
        line(std::string(trimmed_right(start)) + "\n" + std::string(kIndent * 2, ' ') +
             wrapped(fact.detail, width_ - kIndent * 2, 0));
      else
        line(start + hanging(fact.detail, indent));
    }
  }

  void sentence(std::string_view text) override {
    line(std::string(kIndent, ' ') + hanging(text, kIndent));
  }

  void begin_table(std::vector<Column> columns) override {
    flush_gap();
    table_.emplace(std::move(columns), width_, kIndent, sink_, colour_ ? &paint_cell : nullptr);
  }
  void row(std::vector<std::string> cells) override { table_->row(std::move(cells)); }
  void rule() override { table_->rule(); }
  void end_table() override {
    table_->finish();
    if (const auto titles = table_->left_out(); !titles.empty())
      line(dim(std::string(kIndent, ' ') +
               hanging("left out for want of room: " + joined(titles) +
                           " (a wider terminal, --width, or --format csv)",
                       kIndent)));
    table_.reset();
  }

  void remark(std::string_view label, std::string_view text, Tone tone,
              std::size_t strong) override {
    const auto indent = kLabelWidth;
    const auto filled = hanging(text, indent);
    // The strong part may have been broken over lines: it is painted only where it was not.
    const bool whole = strong > 0 && filled.compare(0, strong, text, 0, strong) == 0;
    std::string body = filled;
    if (colour_ && whole)
      body = painted(colour_of(tone), filled.substr(0, strong)) + filled.substr(strong);
    const bool bad = tone == Tone::bad && label == "error";
    auto mark = padded(label, indent);
    if (colour_ && !label.empty()) {
      const auto shown = bad                  ? painted(colour_of(tone), label)
                         : label == "verdict" ? bold(label)
                                              : dim(label);
      mark = shown + std::string(indent - label.size(), ' ');
    }
    line(mark + body);
  }

  void gap() override { gap_ = started_; }

 private:
  static std::string_view trimmed_right(std::string_view text) {
    const auto end = text.find_last_not_of(' ');
    return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
  }

  /// `text` filled into the columns right of `indent`; the first line is not indented.
  std::string hanging(std::string_view text, std::size_t indent) const {
    const auto room = std::max<std::size_t>(width_ > indent ? width_ - indent : 0, kLeastDetail);
    const auto filled = wrapped(with_fixed_blanks(text), room, 0);
    std::string result;
    for (std::size_t i = 0; i < filled.size(); ++i) {
      if (filled.compare(i, kNoBreak.size(), kNoBreak) == 0) {
        result += ' ';
        i += kNoBreak.size() - 1;
        continue;
      }
      result += filled[i];
      if (filled[i] == '\n') result += std::string(indent, ' ');
    }
    return result;
  }

  std::string bold(std::string_view text) const {
    return colour_ ? painted(kBold, text) : std::string(text);
  }
  std::string dim(std::string_view text) const {
    return colour_ ? painted(kDim, text) : std::string(text);
  }

  void flush_gap() {
    if (gap_) sink_("\n");
    gap_ = false;
    started_ = true;
  }

  void line(const std::string& text) {
    flush_gap();
    sink_(text + "\n");
  }

  TextSink sink_;
  bool colour_ = false, gap_ = false, started_ = false;
  std::size_t width_;
  std::optional<AlignedTable> table_;
};

}  // namespace

std::unique_ptr<Page> text_page(TextSink sink, const ReportOptions& options) {
  return std::make_unique<TextPage>(log_sink(std::move(sink)), options);
}

std::unique_ptr<ReportWriter> make_text(TextSink sink, const ReportOptions& options) {
  return compose(text_page(std::move(sink), options), options);
}

}  // namespace roofline
