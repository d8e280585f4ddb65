#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/gpu_trace_rows.hpp"
#include "ingest/formats/nvprof_log.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// nvprof --csv: sums (the default) or a trace of the GPU (--print-gpu-trace), units in the row
/// below the header or in the cells, several runs in one file, lines of nvprof between. Its KB and
/// MB are of 1024.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The columns of --print-gpu-trace, of a file whose header was cut away.
const std::vector<std::string>& trace_header() {
  static const std::vector<std::string> kHeader = {
      "Start",       "Duration",      "Grid X",
      "Grid Y",      "Grid Z",        "Block X",
      "Block Y",     "Block Z",       "Registers Per Thread",
      "Static SMem", "Dynamic SMem",  "Size",
      "Throughput",  "SrcMemType",    "DstMemType",
      "Device",      "Context",       "Stream",
      "Name",        "Correlation_ID"};
  return kHeader;
}

bool is_unit(std::string_view text) {
  for (const std::string_view unit :
       {"%", "s", "ms", "us", "ns", "B", "KB", "MB", "GB", "B/s", "KB/s", "MB/s", "GB/s"})
    if (text == unit) return true;
  return false;
}

class Reader {
 public:
  Reader(std::string_view text, const ImportOptions& options, ImportSink& sink)
      : text_(text), options_(options), sink_(sink), log_(sink), trace_(sink) {}

  Result<void> read(const std::string& file) {
    std::vector<std::string> fields;
    sink_.tool("nvprof");
    for (Lines lines(text_); lines.next();) {
      const auto line = trimmed(lines.line());
      if (line.empty()) continue;
      if (line.starts_with("==")) {
        log_.take(line);
        continue;
      }
      const bool good = split_fields(line, ',', fields);
      if (is_header(fields)) {
        header_ = fields;
        units_.clear();
        if (column_of(header_, "Metric Name") != kNoColumn ||
            column_of(header_, "Event Name") != kNoColumn)
          return fail(Code::wrong_type, {file, lines.number(), 1, 1, {}, 0},
                      "this table of nvprof holds counters and no times",
                      "nvprof --csv --print-gpu-trace makes a table that is read");
      } else if (is_units(fields)) {
        if (header_.empty() && fields.size() == trace_header().size()) header_ = trace_header();
        units_ = fields;
      } else if (!header_.empty()) {
        if (!good || fields.size() < header_.size())
          (lines.ended() ? unreadable_ : cut_) += 1;
        else
          row(fields);
      }
    }
    if (header_.empty())
      return fail(Code::empty_input, {file, 0, 0, 1, {}, 0},
                  "this output of nvprof holds no table that is read",
                  "nvprof --csv --print-gpu-trace --log-file FILE makes one");
    if (is_trace())
      trace_.finish();
    else
      sink_.lose("gpu_not_named");
    if (cut_ > 0) sink_.truncated(fmt::format("after row {}", rows_));
    if (unreadable_ > 0) sink_.lose("rows_unreadable", unreadable_);
    if (summed_copies_ > 0) sink_.lose("copies_summed", summed_copies_);
    if (host_calls_ > 0) sink_.lose("host_calls_passed_over", host_calls_);
    if (repeated_ > 0) sink_.lose("rows_repeated", repeated_);
    return {};
  }

 private:
  static bool is_header(const std::vector<std::string>& fields) {
    return column_of(fields, "Name") != kNoColumn &&
           (column_of(fields, "Time(%)") != kNoColumn || column_of(fields, "Start") != kNoColumn);
  }
  static bool is_units(const std::vector<std::string>& fields) {
    return std::all_of(fields.begin(), fields.end(),
                       [](const auto& f) { return f.empty() || is_unit(trimmed(f)); }) &&
           std::any_of(fields.begin(), fields.end(), [](const auto& f) { return !f.empty(); });
  }
  bool is_trace() const { return column_of(header_, "Duration") != kNoColumn; }

  std::string_view text(const std::vector<std::string>& fields, std::string_view name) const {
    const auto at = column_of(header_, name);
    return at < fields.size() ? trimmed(fields[at]) : std::string_view();
  }
  /// A name is the last column of a table of sums, and its own commas may not be quoted.
  std::string name(const std::vector<std::string>& fields) const {
    const auto at = column_of(header_, "Name");
    std::string joined(at < fields.size() ? trimmed(fields[at]) : std::string_view());
    if (at + 1 == header_.size())
      for (std::size_t i = at + 1; i < fields.size(); ++i) joined += ',' + fields[i];
    return std::string(trimmed(joined));
  }

  /// The number of a cell and its unit: of the cell itself, or of the row of units.
  std::pair<std::string_view, std::string_view> measured(const std::vector<std::string>& fields,
                                                         std::string_view column) const {
    const auto cell = text(fields, column);
    const auto end = std::min(cell.find_first_not_of("0123456789.+-eE"), cell.size());
    if (end < cell.size()) return {cell.substr(0, end), trimmed(cell.substr(end))};
    const auto at = column_of(header_, column);
    return {cell, at < units_.size() ? trimmed(units_[at]) : std::string_view()};
  }
  std::optional<std::uint64_t> time(const std::vector<std::string>& fields,
                                    std::string_view column) const {
    const auto [number, unit] = measured(fields, column);
    const auto exponent = ns_exponent(unit);
    return exponent ? exact_ns(number, *exponent) : std::nullopt;
  }
  std::uint64_t bytes(const std::vector<std::string>& fields, std::string_view column) const {
    const auto [number, unit] = measured(fields, column);
    const auto value = read_number(number, '.');
    double scale = 1;
    for (const auto& [known, factor] :
         {std::pair{"KB", 1024.0}, {"MB", 1048576.0}, {"GB", 1073741824.0}})
      if (unit == known) scale = factor;
    return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value * scale)) : 0;
  }
  std::uint64_t number(const std::vector<std::string>& fields, std::string_view column) const {
    return exact_ns(text(fields, column), 0).value_or(0);
  }

  void row(const std::vector<std::string>& fields) {
    ++rows_;
    if (is_trace()) return event(fields);
    const auto kind = text(fields, "Type");
    if (log_.in_ranges()) {
      if (kind == "GPU activities") ++repeated_;
      return;
    }
    if (kind == "API calls" || kind == "OpenACC") {
      ++host_calls_;
      return;
    }
    const auto called = name(fields);
    const auto total = time(fields, "Time");
    if (!total || called.empty()) {
      ++unreadable_;
      return;
    }
    if (is_copy_row(called)) {
      summed_copies_ += number(fields, "Calls");
      return;
    }
    const auto seconds = [&](std::string_view column) {
      const auto ns = time(fields, column);
      return ns ? static_cast<double>(*ns) / 1e9 : kNone;
    };
    capture::Summary summary;
    summary.shape = sink_.shape(called);
    summary.launches = number(fields, "Calls");
    summary.seconds = {static_cast<double>(*total) / 1e9, kNone, kNone, seconds("Min"),
                       seconds("Max")};
    sink_.add(summary);
  }

  void event(const std::vector<std::string>& fields) {
    const auto start = time(fields, "Start"), duration = time(fields, "Duration");
    if (!start || !duration) {
      ++unreadable_;
      return;
    }
    GpuTraceRow row;
    row.start = *start;
    row.duration = *duration;
    row.grid = {number(fields, "Grid X"), number(fields, "Grid Y"), number(fields, "Grid Z")};
    row.block = {number(fields, "Block X"), number(fields, "Block Y"), number(fields, "Block Z")};
    row.registers = number(fields, "Registers Per Thread");
    row.static_shared_bytes = bytes(fields, "Static SMem");
    row.dynamic_shared_bytes = bytes(fields, "Dynamic SMem");
    row.bytes = bytes(fields, "Size");
    row.context = number(fields, "Context");
    row.stream = number(fields, "Stream");
    row.correlation = number(fields, "Correlation_ID");
    row.device = text(fields, "Device");
    row.source = text(fields, "SrcMemType");
    row.name = text(fields, "Name");
    trace_.add(row);
    if ((sink_.launches() & 0xffff) == 0xffff && options_.progress)
      options_.progress(0, sink_.launches());
  }

  std::string_view text_;
  const ImportOptions& options_;
  ImportSink& sink_;
  NvprofLog log_;
  GpuTraceRows trace_;
  std::vector<std::string> header_, units_;
  std::uint64_t rows_ = 0, unreadable_ = 0, cut_ = 0, summed_copies_ = 0, host_calls_ = 0,
                repeated_ = 0;
};

}  // namespace

bool is_nvprof_csv(const FileHead& head) {
  const std::string_view text = head.bytes;
  for (const std::string_view mark : {"NVPROF is profiling process", "======== Profiling result",
                                      "\"Time(%)\",\"Time\",\"Calls\"", "Time(%),Time,Calls,",
                                      "\"Start\",\"Duration\",\"Grid X\""})
    if (text.find(mark) != std::string_view::npos) return true;
  return text.starts_with("us,us,,,,,,,,") || text.starts_with("ms,ms,,,,,,,,") ||
         text.starts_with("s,ms,,,,,,,,") || text.starts_with("ms,us,,,,,,,,");
}

Result<void> read_nvprof_csv(const std::string& path, const ImportOptions& options,
                             ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  // Its table may come long after what shows that it is of nvprof.
  if (holds_nvprof_text(*text)) return read_nvprof_text(*text, path, sink);
  return Reader(*text, options, sink).read(path == "-" ? "<stdin>" : path);
}

}  // namespace roofline::formats
