#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args.hpp"
#include "cli/job.hpp"
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

/// The options of a command that draws, `width` columns wide in a terminal; whether it has colours
/// is left to the caller. Errors of all options together: bad_option, out_of_range.
Checked<Pictures> pictures_of(const PictureArgs& args, std::size_t width);

/// --plot stands below a table and nothing else.
std::optional<Error> misplaced_plot(const PictureArgs& args, const std::string& format, bool json);

/// Draws a roofline.result/1 document after a command's own output: the plot on stdout, the reports
/// to their files. Returns the exit code.
int draw_document(std::string json, const std::string& name, const Frame& frame,
                  const Pictures& pictures);

}  // namespace roofline::cli
