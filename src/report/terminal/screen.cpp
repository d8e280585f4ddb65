#include "report/terminal/screen.hpp"

namespace roofline::terminal {
namespace {

/// U+2800 with `dots` set, as UTF-8.
std::string braille(unsigned char dots) {
  return {'\xE2', static_cast<char>(0xA0 + (dots >> 6)), static_cast<char>(0x80 + (dots & 0x3f))};
}

/// The bit of a dot, by its column and row in the cell (Unicode, Braille Patterns).
constexpr unsigned char kBits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

}  // namespace

Screen::Screen(std::size_t columns, std::size_t rows)
    : columns_(columns), rows_(rows), cells_(columns * rows) {}

void Screen::dot(double x, double y) {
  if (!(x >= 0 && y >= 0 && x < 2.0 * static_cast<double>(columns_) &&
        y < 4.0 * static_cast<double>(rows_)))
    return;
  const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
  cell(column / 2, row / 4).dots |= kBits[column % 2][row % 4];
}

void Screen::put(std::size_t column, std::size_t row, std::string_view character,
                 std::string_view colour) {
  if (column >= columns_ || row >= rows_) return;
  auto& target = cell(column, row);
  target.text = character;
  target.colour = colour;
}

bool Screen::is_taken(std::size_t column, std::size_t row) const {
  return !cell(column, row).text.empty();
}

std::string Screen::row(std::size_t index) const {
  std::string line;
  std::size_t used = 0;  // bytes up to the last cell that is not blank
  for (std::size_t column = 0; column < columns_; ++column) {
    const auto& at = cell(column, index);
    if (!at.text.empty()) {
      line += at.colour + at.text + (at.colour.empty() ? "" : "\x1b[0m");
    } else if (at.dots != 0) {
      line += braille(at.dots);
    } else {
      line += ' ';
      continue;
    }
    used = line.size();
  }
  line.resize(used);
  return line;
}

}  // namespace roofline::terminal
