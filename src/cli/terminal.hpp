#pragma once

#include <cstddef>
#include <string_view>

namespace roofline::cli {

enum class Stream { out, err };
enum class ColourChoice { automatic, always, never };

bool is_terminal(Stream stream);

/// Whether `stream` gets colours. Order: what the user chose for this program; NO_COLOR;
/// CLICOLOR_FORCE or FORCE_COLOR; TERM=dumb; then whether the stream is a terminal. Sources:
/// no-color.org (a program's own option and configuration go before NO_COLOR),
/// bixense.com/clicolors; NO_COLOR beats the forcing variables as in CMake.
bool wants_colour(Stream stream, ColourChoice choice);

/// Columns: of the terminal, else COLUMNS, else 100.
std::size_t terminal_width();

void write_error(std::string_view text);  ///< to stderr, whole

}  // namespace roofline::cli
