#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/gpu_trace_rows.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// What `nsys stats` (or nsys profile --stats=true) prints: several reports in one text, as tables
/// for people or as CSV. Read are the sums of kernels (cuda_gpu_kern_sum, gpukernsum,
/// cuda_api_gpu_sum), the trace of the GPU (cuda_gpu_trace, gputrace) and that of its kernels alone
/// (cuda_kern_exec_trace); a table is known by its columns.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A column by the beginnings that its name has had: "Total Time (ns)", "Total Time".
struct Column {
  std::size_t at = kNoColumn;
  int exponent = 0;  ///< of its unit of time to ns
  double scale = 1;  ///< of its unit of memory to bytes
};
Column find(const std::vector<std::string>& header, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view text = header[i];
    const auto bracket = text.find('(');
    const auto name = trimmed(text.substr(0, bracket));
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    Column column{i, 0, 1};
    if (bracket == std::string_view::npos) return column;
    const auto unit = text.substr(bracket + 1, text.find(')') - bracket - 1);
    const auto exponent = ns_exponent(unit);
    constexpr std::string_view kTimes[] = {"Start", "Duration", "Kernel Start", "Kernel Dur",
                                           "Total Time"};
    if (!exponent && std::find(std::begin(kTimes), std::end(kTimes), name) != std::end(kTimes))
      return {};  // in a unit that is not known there is no time
    column.exponent = exponent.value_or(0);
    for (const auto& [memory, scale] :
         {std::pair{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1048576.0}})
      if (unit == memory) column.scale = scale;
    return column;
  }
  return {};
}

class Reader {
 public:
  Reader(std::string_view text, const ImportOptions& options, ImportSink& sink)
      : text_(text), options_(options), sink_(sink), trace_(sink) {}

  Result<void> read(const std::string& file) {
    std::vector<std::string> fields;
    std::vector<std::size_t> starts;
    std::string_view before;
    bool in_table = false, is_csv = false;
    for (Lines lines(text_); lines.next(); before = lines.line()) {
      const auto line = lines.line();
      if (const auto columns = dashes(line); !columns.empty() && !trimmed(before).empty()) {
        starts = columns;
        cut(before, starts, fields);
        begin(fields);
        in_table = true;
        is_csv = false;
      } else if (is_csv_header(line)) {
        split_fields(line, ',', fields);
        begin(fields);
        in_table = is_csv = true;
      } else if (trimmed(line).empty()) {
        in_table = false;
      } else if (in_table) {
        if (is_csv) {
          const bool good = split_fields(line, ',', fields) && fields.size() >= header_.size();
          if (!good && !lines.ended()) is_cut_ = true;
          if (!good && lines.ended()) ++unreadable_;
          if (!good) continue;
        } else {
          cut(line, starts, fields);
        }
        row(fields);
      }
    }
    if (!seen_)
      return fail(Code::empty_input, {file, 0, 0, 1, {}, 0},
                  "this text of nsys holds no table that has each kernel once",
                  "nsys stats --report cuda_gpu_trace --format csv REPORT.nsys-rep makes one");
    trace_.finish();
    if (is_cut_) sink_.truncated(fmt::format("after row {}", rows_));
    if (unreadable_ > 0) sink_.lose("rows_unreadable", unreadable_);
    if (cut_names_ > 0) sink_.lose("names_cut", cut_names_);
    if (summed_copies_ > 0) sink_.lose("copies_summed", summed_copies_);
    if (host_calls_ > 0) sink_.lose("host_calls_passed_over", host_calls_);
    if (repeated_ > 0) sink_.lose("rows_repeated", repeated_);
    return {};
  }

 private:
  static bool is_csv_header(std::string_view line) {
    for (const std::string_view begin : {"Time (%),", "Time(%),", "Start (", "Start(",
                                         "\"Time (%)\",", "Start,", "API Start (", "Total Time ("})
      if (line.starts_with(begin) && line.find(',') != std::string_view::npos) return true;
    return false;
  }
  /// Where the columns begin, of a line of dashes ("---  ---", or "+---+---+" of --format table);
  /// else nothing.
  static std::vector<std::size_t> dashes(std::string_view line) {
    std::vector<std::size_t> starts;
    if (line.find_first_not_of("-+ ") != std::string_view::npos) return starts;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '-' && (i == 0 || line[i - 1] != '-')) starts.push_back(i);
    if (starts.size() < 3) starts.clear();
    return starts;
  }
  static void cut(std::string_view line, const std::vector<std::size_t>& starts,
                  std::vector<std::string>& fields) {
    fields.clear();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const auto begin = std::min(starts[i], line.size());
      const auto end = i + 1 < starts.size() ? std::min(starts[i + 1], line.size()) : line.size();
      auto field = trimmed(line.substr(begin, end - begin));
      if (field.ends_with('|')) field = trimmed(field.substr(0, field.size() - 1));
      fields.emplace_back(field);
    }
  }

  enum class Kind : unsigned char { other, sums, trace, copies };

  void begin(const std::vector<std::string>& header) {
    header_ = header;
    name_ = find(header, {"Name", "Kernel Name"});
    total_ = find(header, {"Total Time"});
    count_ = find(header, {"Instances"});
    start_ = find(header, {"Start", "Kernel Start"});
    duration_ = find(header, {"Duration", "Kernel Dur"});
    const auto has = [&](std::string_view name) { return find(header, {name}).at != kNoColumn; };
    // cuda_api_gpu_sum: calls, kernels and copies in one table
    category_ = find(header, {"Category"});
    if (category_.at != kNoColumn) name_ = find(header, {"Operation"});
    kind_ = Kind::other;
    if (name_.at != kNoColumn && total_.at != kNoColumn && count_.at != kNoColumn)
      kind_ = Kind::sums;
    else if (start_.at != kNoColumn && duration_.at != kNoColumn && name_.at != kNoColumn &&
             (has("GrdX") || has("Grid X") || has("Kernel Dur") ||
              (has("CorrId") && !has("Result"))))
      kind_ = Kind::trace;
    else if (has("Operation") && total_.at != kNoColumn)
      kind_ = Kind::copies;
    if (kind_ == Kind::sums || kind_ == Kind::trace) {
      repeats_ = seen_;  // the same kernels in another report
      seen_ = true;
      sink_.tool("Nsight Systems");
    }
  }

  void row(const std::vector<std::string>& fields) {
    if (kind_ == Kind::other) return;
    if (kind_ == Kind::copies) {
      summed_copies_ += number(fields, find(header_, {"Count", "Operations", "Instances"}));
      return;
    }
    if (repeats_) {
      ++repeated_;
      return;
    }
    ++rows_;
    const auto category = text(fields, category_);
    if (category == "CUDA_API") {
      ++host_calls_;
      return;
    }
    if (category == "MEMORY_OPER") {
      summed_copies_ += number(fields, count_);
      return;
    }
    if (kind_ == Kind::sums)
      sum(fields);
    else
      event(fields);
    if ((sink_.launches() & 0xffff) == 0xffff && options_.progress)
      options_.progress(0, sink_.launches());
  }

  static std::string_view text(const std::vector<std::string>& fields, Column column) {
    return column.at < fields.size() ? std::string_view(fields[column.at]) : std::string_view();
  }
  static std::string plain(std::string_view number) {  // "36,917,512"
    std::string out;
    for (const char c : number)
      if (c != ',' && c != '"') out += c;
    return out;
  }
  static std::optional<std::uint64_t> time(const std::vector<std::string>& fields, Column column) {
    return exact_ns(plain(text(fields, column)), column.exponent);
  }
  static std::uint64_t number(const std::vector<std::string>& fields, Column column) {
    const auto value = exact_ns(plain(text(fields, column)), 0);
    return value.value_or(0);
  }

  void sum(const std::vector<std::string>& fields) {
    const auto total = time(fields, total_);
    if (!total || trimmed(text(fields, name_)).empty()) {
      ++unreadable_;
      return;
    }
    const auto seconds = [&](std::initializer_list<std::string_view> names) {
      const auto ns = time(fields, find(header_, names));
      return ns ? static_cast<double>(*ns) / 1e9 : kNone;
    };
    capture::Shape shape;
    shape.name = named(fields);
    three(text(fields, find(header_, {"GridXYZ"})), shape.grid);
    three(text(fields, find(header_, {"BlockXYZ"})), shape.block);
    capture::Summary summary;
    summary.shape = sink_.shape(shape);
    summary.launches = number(fields, count_);
    summary.seconds = {static_cast<double>(*total) / 1e9, kNone, seconds({"Med", "Median"}),
                       seconds({"Min", "Minimum"}), seconds({"Max", "Maximum"})};
    sink_.add(summary);
  }

  /// "  16    1    1"
  static void three(std::string_view text, std::array<std::uint64_t, 3>& sizes) {
    for (auto& size : sizes) {
      text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
      const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
      if (read.ec != std::errc()) return;
      text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    }
  }

  std::uint64_t named(const std::vector<std::string>& fields) {
    auto name = trimmed(text(fields, name_));
    constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
    if (name.ends_with(kEllipsis)) ++cut_names_;
    return sink_.text(name);
  }

  void event(const std::vector<std::string>& fields) {
    const auto start = time(fields, start_), duration = time(fields, duration_);
    if (!start || !duration) {
      ++unreadable_;
      return;
    }
    GpuTraceRow row;
    row.start = *start;
    row.duration = *duration;
    const auto axes = [&](std::string_view prefix, std::array<std::uint64_t, 3>& sizes) {
      for (std::size_t i = 0; i < 3; ++i)
        sizes[i] = number(fields, find(header_, {std::string(prefix) + "XYZ"[i]}));
    };
    axes("Grd", row.grid);
    axes("Blk", row.block);
    three(text(fields, find(header_, {"GridXYZ"})), row.grid);
    three(text(fields, find(header_, {"BlockXYZ"})), row.block);
    row.registers = number(fields, find(header_, {"Reg/Trd"}));
    const auto bytes = [&](std::initializer_list<std::string_view> names) {
      const auto column = find(header_, names);
      const auto value = read_number(text(fields, column), '.');
      return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value * column.scale))
                                 : std::uint64_t{0};
    };
    row.static_shared_bytes = bytes({"StcSMem"});
    row.dynamic_shared_bytes = bytes({"DymSMem"});
    row.bytes = bytes({"Bytes"});
    row.context = number(fields, find(header_, {"Ctx"}));
    row.stream = number(fields, find(header_, {"Strm"}));
    row.correlation = number(fields, find(header_, {"CorrId", "CorrID"}));
    row.device = text(fields, find(header_, {"Device"}));
    row.ordinal = number(fields, find(header_, {"DevId"}));
    row.source = text(fields, find(header_, {"SrcMemKd"}));
    row.name = trimmed(text(fields, name_));
    trace_.add(row);
  }

  std::string_view text_;
  const ImportOptions& options_;
  ImportSink& sink_;
  GpuTraceRows trace_;
  std::vector<std::string> header_;
  Column name_, category_, total_, count_, start_, duration_;
  Kind kind_ = Kind::other;
  bool seen_ = false, repeats_ = false, is_cut_ = false;
  std::uint64_t rows_ = 0, unreadable_ = 0, cut_names_ = 0, summed_copies_ = 0, repeated_ = 0,
                host_calls_ = 0;
};

}  // namespace

bool is_nsys_stats(const FileHead& head) {
  const std::string_view text = head.bytes;
  for (const std::string_view mark :
       {"Executing 'cuda_", "Executing 'nvtx_", "Executing 'osrt_", "cuda_gpu_kern_sum",
        "gpukernsum", "cuda_gpu_trace", "Time (%),Total Time (", "Time(%),Total Time (",
        "Start (ns),Duration (ns),CorrId", "Start(ns),Duration(ns),CorrId",
        "Start (ns)  Duration (ns)", "API Start (ns),", "KAvg (ns)",
        "Start (ns),Duration (ns),Name,", "Projected Start (ns)", "Kern Inst", ".nsys-rep"})
    if (text.find(mark) != std::string_view::npos) return true;
  const auto all = [&](std::initializer_list<std::string_view> words) {
    return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
      return text.find(word) != std::string_view::npos;
    });
  };
  return all({"Total Time (", "Instances"}) || all({"Start", "Duration", "CorrId", "GrdX", "Strm"});
}

Result<void> read_nsys_stats(const std::string& path, const ImportOptions& options,
                             ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  return Reader(*text, options, sink).read(path == "-" ? "<stdin>" : path);
}

}  // namespace roofline::formats
