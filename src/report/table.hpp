#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/report/report.hpp"

namespace roofline {

enum class Align { left, right };

/// A column of a table. Where the line is too narrow, columns are first shortened, then left out.
struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t least = 0;  ///< may be shortened in the middle down to this many columns; 0: never
  int give_up = 0;        ///< left out when the line is too narrow, the highest first; 0: never
};

/// `text` cut to `width` columns in its middle: both ends of a kernel's name tell it apart.
std::string shortened_middle(std::string_view text, std::size_t width);

/// Rows as lines of columns aligned by display width. The first kBuffered rows decide the widths;
/// the rest follow in the same widths as they come, so that a table of a million rows needs no
/// memory.
class AlignedTable {
 public:
  static constexpr std::size_t kBuffered = 10'000;
  using Paint = std::string (*)(std::string_view padded);  ///< colours one cell; nullptr: none

  AlignedTable(std::vector<Column> columns, std::size_t width, std::size_t indent, TextSink sink,
               Paint paint = nullptr);
  void row(std::vector<std::string> cells);
  void rule();    ///< a line between the rows before and those after
  void finish();  ///< writes what is still held back
  std::vector<std::string> left_out()
      const;  ///< titles of the columns that found no room; after the first line

 private:
  void settle();
  void fit();
  std::size_t line_width() const;
  void write(std::span<const std::string> cells, bool is_title);

  struct Row {
    std::vector<std::string> cells;
    bool rule = false;
  };
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;  // 0: left out
  std::vector<Row> rows_;
  std::size_t width_, indent_;
  TextSink sink_;
  Paint paint_;
  bool settled_ = false;
};

}  // namespace roofline
