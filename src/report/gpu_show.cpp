#include <fmt/format.h>

#include <algorithm>

#include "report/calibration_report.hpp"
#include "report/gpu_figures.hpp"
#include "report/gpu_report.hpp"
#include "report/table.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

/// How a figure came about, in one word.
std::string kind_of(const Origin& origin) {
  if (!origin.kind.empty()) return origin.kind;
  if (!origin.pattern.empty()) return "measured";
  return origin.derived ? "derived" : "stated";
}

/// Writes one entry. Documents are numbered in the order in which they are first named.
class EntryPage {
 public:
  EntryPage(const Gpu& gpu, std::size_t width) : gpu_(gpu), width_(width) {}

  std::string write() {
    head();
    peaks();
    calibrated();
    figures();
    attainable();
    remarks();
    documents();
    list("Warnings", gpu_.warnings);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kIndent = 2;
  struct Remark {
    std::string what, note;
  };

  void line(std::string_view text, std::size_t indent = 0) {
    text_ += std::string(indent, ' ') + wrapped(text, width_ - indent, indent + kIndent) + "\n";
  }

  /// "[1] [4]", giving new documents the next number.
  std::string refs(const std::vector<std::string>& keys) {
    std::vector<std::string> words;
    for (const std::string& key : keys) {
      auto found = std::find(keys_.begin(), keys_.end(), key);
      if (found == keys_.end()) found = keys_.insert(keys_.end(), key);
      words.push_back(fmt::format("[{}]", found - keys_.begin() + 1));
    }
    return joined(words, " ");
  }

  /// The note of a figure; neighbours with the same note share a line.
  void remark(std::string_view what, const Origin& origin) {
    if (origin.note.empty()) return;
    if (!remarks_.empty() && remarks_.back().note == origin.note) {
      remarks_.back().what += fmt::format(", {}", what);
    } else {
      remarks_.push_back({std::string(what), origin.note});
    }
  }

  void names(std::string_view title, const MaybeFigure<std::vector<std::string>>& figure) {
    if (figure) line(fmt::format("{}: {}  {}", title, joined(figure->value, "; "), refs(figure->origin.sources)));
  }
  void word(std::string_view title, const MaybeFigure<std::string>& figure) {
    if (!figure) return;
    line(fmt::format("{}: {}  {}", title, figure->value, refs(figure->origin.sources)));
    remark(title, figure->origin);
  }

  void head() {
    text_ += gpu_.name + "  (" + gpu_.id + ")" + (gpu_.preliminary ? "  PRELIMINARY" : "") + "\n";
    if (!gpu_.why.empty()) text_ += gpu_.why + "\n";
    text_ += "\n";
    if (!gpu_.aliases.empty()) line("also: " + joined(gpu_.aliases, ", "));
    std::string chip = gpu_.chip ? fmt::format("{} ({})", gpu_.chip->family, gpu_.architecture) : "not named";
    line(fmt::format("vendor: {}; architecture: {}; the figures are of one {}", gpu_.vendor, chip, gpu_.scope));
    word("compute capability", gpu_.compute_capability);
    word("chip name in CUPTI", gpu_.cupti_chip);
    names("driver's device name", gpu_.device_names);
    names("PCI device id", gpu_.pci_device_ids);
    word("memory type", gpu_.memory_type);
    if (!gpu_.file.empty()) line("read from " + gpu_.file);
  }

  AlignedTable table(std::vector<Column> columns) {
    return AlignedTable(std::move(columns), width_, kIndent, [this](std::string_view piece) { text_ += piece; });
  }

  void peaks() {
    text_ += "\nPeaks, TFLOP/s (int8 and int4: TOP/s)\n";
    AlignedTable rows = table({{"unit"}, {"sum in"}, {"dense ", Align::right}, {"sparse", Align::right},
                               {"at", Align::right}, {"FMA/clk/SM", Align::right}, {"ridge", Align::right}, {"kind"}, {"from"}});
    std::string_view path;
    for (const PeakRow& row : peak_rows(gpu_)) {
      if (!path.empty() && row.path != path) rows.rule();
      path = row.path;
      rows.row(peak_cells(row));
      // The arithmetic of an mma.sync ceiling stands in its row.
      if (row.path != "mma.sync") remark(fmt::format("{} {}", row.path, rate_name(row.type)), row.peak->origin);
    }
    rows.finish();
    line("ridge: dense peak / DRAM bandwidth, FLOP (or op) per byte", kIndent);
    const auto any = [&](auto has) { const auto all = peak_rows(gpu_); return std::any_of(all.begin(), all.end(), has); };
    if (any([](const PeakRow& row) { return row.peak->sparse.has_value(); })) {
      line("sparse: the vendor's figure with structured sparsity of " + (gpu_.chip ? gpu_.chip->sparsity : "2:4"), kIndent);
    }
    if (any([](const PeakRow& row) { return row.path == "mma.sync"; })) {
      line("mma.sync: the lower ceiling of kernels that issue that instruction (WMMA, CUTLASS 2.x)", kIndent);
    }
  }

  std::string clock_of(const Peak& peak) const {
    const auto& clock = peak.clock == ClockKind::tensor ? gpu_.tensor_clock : gpu_.boost_clock;
    const char* kind = peak.clock == ClockKind::tensor ? "tensor" : "boost";
    if (!clock) return fmt::format("{} clock", kind);
    constexpr double kMega = 1e6;
    return fmt::format("{} {:.0f} MHz", kind, clock->value.value() / kMega);
  }

  std::vector<std::string> peak_cells(const PeakRow& row) {
    const Peak& peak = *row.peak;
    const std::string_view mark = flag_mark(peak.origin);
    return {fmt::format("{} {}", row.path, rate_name(row.type)),
            peak.accumulate ? std::string(describe(*peak.accumulate).name) : std::string(),
            tera_text(peak.dense) + std::string(mark.empty() ? " " : mark),
            peak.sparse ? tera_text(*peak.sparse) : "-",
            clock_of(peak),
            peak.fma_per_clock_per_sm ? fmt::format("{:.6g}", *peak.fma_per_clock_per_sm) : "-",
            ridge_text(ridge(gpu_, peak)),
            kind_of(peak.origin),
            refs(peak.origin.sources)};
  }

  /// What was measured on this user's own card, beside what the table states.
  void calibrated() {
    if (!gpu_.calibrated) return;
    const auto& calibration = gpu_.calibrated->calibration;
    text_ += "\n";
    line("Calibrated: " + printable(calibration.provenance()));
    AlignedTable rows = table({{"ceiling"}, {"of"}, {"measured", Align::right}, {"data sheet", Align::right}, {"share", Align::right},
                               {"spread", Align::right}, {"clock, power", Align::right}, {""}});
    for (const auto& ceiling : calibration.ceilings) rows.row(calibration_cells(ceiling));
    rows.finish();
    line("for attainable times with --ceilings calibrated; floors and verdicts are those of the table", kIndent);
  }

  void figures() {
    std::string_view group;
    const auto rows = figure_rows(gpu_);
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t last = first;
      while (last < rows.size() && rows[last].group == rows[first].group) ++last;
      figure_group(std::span(rows).subspan(first, last - first));
      first = last;
    }
  }

  void figure_group(std::span<const FigureRow> rows) {
    text_ += fmt::format("\n{}\n", rows.front().group);
    constexpr std::size_t kTitle = 32, kValue = 14;
    AlignedTable lines = table({{""}, {"", Align::right}, {""}, {""}});
    for (const FigureRow& row : rows) {
      lines.row({padded(row.title, kTitle), padded(row.text, kValue, true), kind_and_flags(row), refs(row.origin.sources)});
      remark(row.title, with_measurer(row.origin));
    }
    lines.finish();
  }

  /// "measured, 88 % of peak"; "stated, ~ unconfirmed"
  std::string kind_and_flags(const FigureRow& row) const {
    std::vector<std::string> words = {kind_of(row.origin)};
    if (row.key == "dram_bandwidth_measured_bytes_per_s") {
      words.push_back(fmt::format("{:.0f} % of peak", 100 * row.value / gpu_.dram_bandwidth->value.value()));
    }
    if (row.origin.doubtful) words.emplace_back("? doubtful");
    if (row.origin.unconfirmed) words.emplace_back("~ unconfirmed");
    return joined(words, "; ");
  }

  /// Who measured, and how, in front of the note.
  static Origin with_measurer(Origin origin) {
    std::vector<std::string> words;
    if (!origin.measured_by.empty()) words.push_back("measured by " + origin.measured_by);
    if (!origin.pattern.empty()) words.push_back(origin.pattern);
    if (!origin.note.empty()) words.push_back(origin.note);
    origin.note = joined(words, "; ");
    return origin;
  }

  void attainable() {
    if (gpu_.attainable.empty()) return;
    text_ += "\nAttainable shares of the ceilings\n";
    AlignedTable rows = table({{"op class"}, {"bandwidth", Align::right}, {"compute", Align::right},
                               {"per launch", Align::right}, {"kind"}, {"from"}});
    for (const AttainableShare& share : gpu_.attainable) {
      rows.row({share.op_class, fmt::format("{:.0f} %", 100 * share.bandwidth_share),
                fmt::format("{:.0f} %", 100 * share.compute_share), format_seconds(share.launch_floor), kind_of(share.origin),
                refs(share.origin.sources)});
      if (share.op_class != "memory") remark("attainable " + share.op_class, share.origin);
    }
    rows.finish();
  }

  void remarks() {
    std::vector<std::string> lines;
    for (const Remark& remark : remarks_) lines.push_back(remark.what + ": " + remark.note);
    for (const Deviation& row : gpu_.expected_deviations) {
      lines.push_back(row.figure + " differs from its arithmetic by more than 2 %: " + row.reason);
    }
    list("Remarks", lines);
    std::vector<std::string> notes = gpu_.notes;
    if (gpu_.chip && !gpu_.chip->note.empty()) notes.push_back(gpu_.architecture + ": " + gpu_.chip->note);
    list("Notes", notes);
  }

  void list(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text_ += fmt::format("\n{}\n", title);
    for (const std::string& entry : lines) line(entry, kIndent);
  }

  void documents() {
    text_ += "\nFrom\n";
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto source = find_source(gpu_, keys_[i]);
      line(fmt::format("[{}] {}: {}", i + 1, keys_[i], source ? source->title : "not described"), kIndent);
    }
  }

  const Gpu& gpu_;
  std::size_t width_;
  std::string text_;
  std::vector<std::string> keys_;
  std::vector<Remark> remarks_;
};

}  // namespace

std::string show_gpu(const Gpu& gpu, std::size_t width) { return EntryPage(gpu, width).write(); }

}  // namespace roofline
