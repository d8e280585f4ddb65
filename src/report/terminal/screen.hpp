#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::terminal {

/// A field of characters with a finer field of dots behind it: 2 x 4 dots in a cell, as braille has
/// them. A character hides the dots of its cell.
class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

  void dot(double x, double y);  ///< in dots, from the upper left; outside: nothing
  void put(std::size_t column, std::size_t row, std::string_view character,
           std::string_view colour = {});
  bool is_taken(std::size_t column, std::size_t row) const;

  /// One row as text; without braille a cell with dots is empty.
  std::string row(std::size_t index) const;

 private:
  struct Cell {
    unsigned char dots = 0;
    std::string text, colour;
  };
  const Cell& cell(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }
  Cell& cell(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }

  std::size_t columns_, rows_;
  std::vector<Cell> cells_;
};

}  // namespace roofline::terminal
