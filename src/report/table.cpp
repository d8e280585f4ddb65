#include "report/table.hpp"

#include <algorithm>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::string_view kDots = "...";

/// The end of `text` that takes at most `width` columns.
std::string_view tail(std::string_view text, std::size_t width) {
  std::size_t at = text.size(), taken = 0;
  while (at > 0) {
    std::size_t start = at - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    const auto columns = display_width(text.substr(start, at - start));
    if (taken + columns > width) break;
    taken += columns;
    at = start;
  }
  return text.substr(at);
}

}  // namespace

std::string shortened_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= kDots.size() + 2) return shortened(text, width);
  const auto room = width - kDots.size();
  const auto front = room - room / 2;
  // shortened() ends in dots already, and counts them.
  return shortened(text, front + kDots.size()) + std::string(tail(text, room / 2));
}

AlignedTable::AlignedTable(std::vector<Column> columns, std::size_t width, std::size_t indent,
                           TextSink sink, Paint paint)
    : columns_(std::move(columns)),
      widths_(columns_.size(), 0),
      width_(width),
      indent_(indent),
      sink_(std::move(sink)),
      paint_(paint) {}

void AlignedTable::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  if (settled_) return write(cells, false);
  rows_.push_back({std::move(cells), false});
  if (rows_.size() >= kBuffered) settle();
}

void AlignedTable::rule() {
  if (settled_) return;  // a stream has no room for decoration
  rows_.push_back({{}, true});
}

void AlignedTable::finish() {
  if (!settled_) settle();
}

std::vector<std::string> AlignedTable::left_out() const {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (settled_ && widths_[i] == 0 && !columns_[i].title.empty())
      titles.push_back(columns_[i].title);
  return titles;
}

std::size_t AlignedTable::line_width() const {
  std::size_t total = indent_;
  bool first = true;
  for (const auto width : widths_) {
    if (width == 0) continue;
    total += width + (first ? 0 : kGap);
    first = false;
  }
  return total;
}

/// Shortens the widest column that may be, a column at a time, then leaves columns out.
void AlignedTable::fit() {
  while (line_width() > width_) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool can = columns_[i].least > 0 && widths_[i] > columns_[i].least;
      if (can && (widest == columns_.size() || widths_[i] > widths_[widest])) widest = i;
    }
    if (widest != columns_.size()) {
      --widths_[widest];
      continue;
    }
    std::size_t victim = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (widths_[i] > 0 && columns_[i].give_up > 0 &&
          (victim == columns_.size() || columns_[i].give_up > columns_[victim].give_up))
        victim = i;
    if (victim == columns_.size()) return;
    widths_[victim] = 0;
  }
}

void AlignedTable::settle() {
  for (std::size_t i = 0; i < columns_.size(); ++i) widths_[i] = display_width(columns_[i].title);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths_[i] = std::max(widths_[i], display_width(row.cells[i]));
  fit();
  settled_ = true;
  std::vector<std::string> titles;
  for (const auto& column : columns_) titles.push_back(column.title);
  if (std::any_of(titles.begin(), titles.end(), [](const auto& title) { return !title.empty(); }))
    write(titles, true);
  for (const auto& row : rows_) {
    if (row.rule)
      sink_(std::string(indent_, ' ') + std::string(line_width() - indent_, '-') + "\n");
    else
      write(row.cells, false);
  }
  rows_.clear();
  rows_.shrink_to_fit();
}

void AlignedTable::write(std::span<const std::string> cells, bool is_title) {
  std::string line(indent_, ' ');
  bool first = true;
  std::size_t pending = 0;  // blanks that only stand before something
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths_[i] == 0) continue;
    if (!first) pending += kGap;
    first = false;
    const auto text = shortened_middle(cells[i], widths_[i]);
    const auto blanks = widths_[i] - std::min(widths_[i], display_width(text));
    if (text.empty()) {
      pending += blanks;
      continue;
    }
    const bool right = columns_[i].align == Align::right;
    line += std::string(pending + (right ? blanks : 0), ' ');
    line += paint_ && !is_title ? paint_(text) : text;
    pending = right ? 0 : blanks;
  }
  if (line.find_first_not_of(' ') == std::string::npos) line.clear();
  sink_(line + "\n");
}

}  // namespace roofline
