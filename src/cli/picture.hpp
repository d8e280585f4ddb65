#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "roofline/base/result.hpp"
#include "roofline/report/chart.hpp"

/// Pictures and reports made of charts: what `report` writes, and what other commands write beside
/// their own output.
namespace roofline::cli {

enum class PictureKind { plot, svg, html, markdown, csv, json };
struct PictureFormat {
  std::string_view name, doc;
  PictureKind kind;
};
std::span<const PictureFormat> picture_formats();
const PictureFormat* find_picture_format(std::string_view name);

/// `--report svg=chart.svg`: one more output beside the main one.
struct SideReport {
  PictureKind kind = PictureKind::svg;
  std::string file;
};
/// Errors: bad_option for what is not KIND=FILE, has an unknown kind, or would write one file
/// twice.
Result<std::vector<SideReport>> side_reports(const std::vector<std::string>& words);

/// `svg`: the file of a picture beside a Markdown report; empty: none.
void write_picture(PictureKind kind, std::span<const Chart> charts, const PictureOptions& options,
                   std::string_view svg, const TextSink& sink);

/// Writes every side report, each whole or not at all. Errors: cannot_write.
Result<void> write_side_reports(std::span<const SideReport> reports, std::span<const Chart> charts,
                                const PictureOptions& options);

/// What a command draws besides its own output.
struct Pictures {
  std::vector<SideReport> sides;
  PictureOptions options;
  bool plot = false;  ///< in the terminal, below the command's own output
  bool wanted() const { return plot || !sides.empty(); }
};

/// The charts of a roofline.result/1 document. Errors: those of its text; `name` stands for its
/// file.
Checked<std::vector<Chart>> charts_of_document(std::string json, const std::string& name);

/// "--theme" and what else makes a picture; a terminal's part is filled in by the caller. Errors:
/// bad_option.
Result<Theme> theme_of(const std::string& word);

/// Whether a terminal shows braille: the locale is UTF-8, and TERM is neither dumb nor linux.
bool shows_braille();

}  // namespace roofline::cli
