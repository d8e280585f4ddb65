#include "roofline/base/error.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLineWidth =
    100;  ///< columns of source shown, and up to which a hint stands by the caret
constexpr std::size_t kBefore = 40;  ///< columns kept before the caret when a line is cut
constexpr std::size_t kMessageWidth =
    400;  ///< of a message that quotes its input, which may be megabytes
constexpr std::string_view kTab = "    ";
constexpr std::string_view kDots = "...";

struct Palette {
  std::string_view error, strong, place, help, end;
};
constexpr Palette kPlain = {};
constexpr Palette kColours = {"\x1b[1;31m", "\x1b[1m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[0m"};

std::string painted(std::string_view colour, std::string_view text, const Palette& palette) {
  std::string result(colour);
  result += text;
  if (!colour.empty()) result += palette.end;
  return result;
}

std::string one_line(std::string_view text) {
  return shortened(printable(text.substr(0, 8 * kMessageWidth)), kMessageWidth);
}

/// The part of a source line that is shown, and where in it the caret stands, in columns.
struct SourceView {
  std::string text;
  std::size_t caret = 0, carets = 1;
};

struct Cell {
  std::string_view bytes;
  std::size_t column, width;
};

/// Splits a line into what the terminal shows at each column. `stop` is where the caret is, as a
/// byte.
std::vector<Cell> cells_of(std::string_view line, std::size_t start) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t i = start; i < line.size();) {
    const auto c = decode_utf8(line, i);
    const auto bytes = line.substr(i, static_cast<std::size_t>(c.bytes));
    const auto width = c.code == '\t' ? kTab.size() : display_width(printable(bytes));
    cells.push_back({bytes, column, width});
    column += width;
    i += bytes.size();
  }
  return cells;
}

SourceView view_source(const Location& where) {
  // Bytes first, then columns: a line may be megabytes long, and only its cells near the caret are
  // looked at.
  constexpr std::size_t kBytesAround = 4 * kLineWidth;
  std::string_view line = where.source_line;
  const auto column = static_cast<std::size_t>(std::max(1, where.column) - 1);
  const auto left_out = static_cast<std::size_t>(std::max(0, where.source_offset));
  const auto at = std::min(column > left_out ? column - left_out : 0, line.size());
  std::size_t start = at > kBytesAround ? at - kBytesAround : 0;
  while (start < at && is_continuation(line[start])) ++start;
  const bool cut_right = line.size() - at > kBytesAround;
  if (cut_right) line = line.substr(0, at + kBytesAround);

  const auto cells = cells_of(line, start);
  const auto length = static_cast<std::size_t>(std::max(1, where.length));
  std::size_t caret = cells.empty() ? 0 : cells.back().column + cells.back().width;
  std::size_t caret_end = caret;
  for (const auto& cell : cells) {
    const auto byte = static_cast<std::size_t>(cell.bytes.data() - line.data());
    if (byte + cell.bytes.size() > at) caret = std::min(caret, cell.column);
    if (byte < at + length) caret_end = cell.column + cell.width;
  }

  const std::size_t total = cells.empty() ? 0 : cells.back().column + cells.back().width;
  const bool cut_left =
      start > 0 || left_out > 0 || (total > kLineWidth && caret > kLineWidth - kBefore);
  const std::size_t first = cut_left && caret > kBefore ? caret - kBefore : 0;
  const bool long_line = cut_right || total - first > kLineWidth;
  const std::size_t last = long_line ? first + kLineWidth - kDots.size() : total;

  SourceView view;
  if (cut_left) view.text = kDots;
  const auto shift = view.text.size();
  std::size_t from = total;
  for (const auto& cell : cells) {
    if (cell.column < first || cell.column + cell.width > last) continue;
    from = std::min(from, cell.column);
    view.text += cell.bytes == "\t" ? std::string(kTab) : printable(cell.bytes);
  }
  if (long_line) view.text += kDots;
  from = std::min(from, caret);
  view.caret = shift + caret - from;
  view.carets = std::max<std::size_t>(
      1, std::min(caret_end, std::max(last, caret + 1)) - std::min(caret, caret_end));
  return view;
}

class Writer {
 public:
  explicit Writer(bool colour) : palette_(colour ? kColours : kPlain) {}

  void write(const Error& error) {
    hint_is_shown_ = error.hint.empty();
    out_ += painted(palette_.error, "error[" + code_name(error.code) + "]", palette_);
    out_ += painted(palette_.strong, ": " + one_line(error.what), palette_) + '\n';
    write_place(error);
    if (!hint_is_shown_ && error.where.line <= 0 && error.hint.starts_with("did you mean")) {
      out_ += "  " + one_line(error.hint) + '\n';
      hint_is_shown_ = true;
    }
    if (!hint_is_shown_) write_lines("help: ", error.hint);
    if (!error.note.empty()) write_lines("note: ", error.note);
  }

  std::string take() { return std::move(out_); }
  void line(std::string_view text) { out_ += std::string(text) + '\n'; }

 private:
  void write_place(const Error& error) {
    const auto& where = error.where;
    if (where.file.empty()) return;
    out_ += "  " + painted(palette_.place, "-->", palette_) + ' ' + one_line(where.file);
    if (where.line > 0) out_ += ':' + std::to_string(where.line);
    if (where.line > 0 && where.column > 0) out_ += ':' + std::to_string(where.column);
    out_ += '\n';
    if (where.line <= 0 || where.column <= 0 || where.source_line.empty()) return;
    write_source(error);
  }

  void write_source(const Error& error) {
    const auto number = padded(std::to_string(error.where.line), 2, true);
    const std::string blank(number.size(), ' ');
    const auto bar = [&](const std::string& label) {
      return painted(palette_.place, label + " |", palette_);
    };
    const auto view = view_source(error.where);
    out_ += bar(blank) + '\n';
    out_ += bar(number) + ' ' + view.text + '\n';
    std::string mark(view.carets, '^');
    const auto hint = one_line(error.hint);
    const bool fits = view.caret + mark.size() + 1 + display_width(hint) <= kLineWidth;
    if (!hint_is_shown_ && fits && error.hint.find('\n') == std::string::npos) {
      mark += ' ' + hint;
      hint_is_shown_ = true;
    }
    out_ += bar(blank) + ' ' + std::string(view.caret, ' ') +
            painted(palette_.error, mark, palette_) + '\n';
    out_ += bar(blank) + '\n';
  }

  void write_lines(std::string_view label, std::string_view text) {
    out_ += painted(palette_.help, label, palette_);
    for (bool first = true; !text.empty(); first = false) {
      const auto end = std::min(text.find('\n'), text.size());
      if (!first) out_ += std::string(label.size(), ' ');
      out_ += one_line(text.substr(0, end)) + '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const Palette& palette_;
  bool hint_is_shown_ = false;
  std::string out_;
};

/// Errors of one file by line, files in the order in which they turn up, errors without a line
/// where they stand.
std::vector<const Error*> in_file_order(std::span<const Error> errors) {
  std::vector<const Error*> order;
  order.reserve(errors.size());
  for (const auto& error : errors) order.push_back(&error);
  const auto same_file = [](const Error* a, const Error* b) {
    return a->where.file == b->where.file && a->where.line > 0 && b->where.line > 0;
  };
  for (auto first = order.begin(); first != order.end();) {
    const auto last =
        std::find_if(first, order.end(), [&](const Error* e) { return !same_file(*first, e); });
    const auto next = last == first ? std::next(first) : last;
    std::stable_sort(first, next, [](const Error* a, const Error* b) {
      return std::pair(a->where.line, a->where.column) < std::pair(b->where.line, b->where.column);
    });
    first = next;
  }
  return order;
}

}  // namespace

std::string format_errors(std::span<const Error> errors, bool colour, std::size_t limit) {
  Writer writer(colour);
  const auto order = in_file_order(errors);
  const auto shown = std::min(limit, order.size());
  for (std::size_t i = 0; i < shown; ++i) writer.write(*order[i]);
  const auto rest = order.size() - shown;
  if (rest > 0)
    writer.line("and " + std::to_string(rest) + (rest == 1 ? " more error" : " more errors"));
  return writer.take();
}

}  // namespace roofline
