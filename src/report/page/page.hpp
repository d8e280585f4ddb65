#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// "bytes  805.3 MB  a 268.4 + b 268.4 read, c 268.4 written"
struct PageFact {
  std::string label, value, detail;
};

/// How a remark is meant; it decides a colour and nothing else.
enum class Tone { plain, memory, compute, overhead, good, bad };

/// The parts of a report for people, in the order in which they are read. What they say is decided
/// before; a page lays them out. All text is printable already.
class Page {
 public:
  virtual ~Page() = default;
  virtual void title(std::string_view text) = 0;  ///< one file of several
  virtual void heading(std::string_view name, std::string_view detail) = 0;  ///< a GPU, or a kernel
  virtual void facts(std::span<const PageFact> facts) = 0;
  virtual void sentence(std::string_view text) = 0;
  virtual void begin_table(std::vector<Column> columns) = 0;
  virtual void row(std::vector<std::string> cells) = 0;
  virtual void rule() = 0;  ///< sums follow
  virtual void end_table() = 0;
  /// "verdict  memory-bound"; `strong` is the part of `text` at its start that carries the verdict.
  virtual void remark(std::string_view label, std::string_view text, Tone tone,
                      std::size_t strong) = 0;
  virtual void gap() = 0;  ///< between parts
};

std::unique_ptr<Page> text_page(TextSink sink, const ReportOptions& options);
std::unique_ptr<Page> markdown_page(TextSink sink);

/// For --quiet: of what it gets only verdicts (and flips, where those are the answer) go on to
/// `page`; with `silent` not even those.
std::unique_ptr<Page> verdicts_page(std::unique_ptr<Page> page, bool silent);

/// What arrives is a report; what leaves is a page. One composer serves all formats that people
/// read.
std::unique_ptr<ReportWriter> compose(std::unique_ptr<Page> page, const ReportOptions& options);

}  // namespace roofline
