#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/gpu_trace_rows.hpp"
#include "ingest/formats/nvprof_log.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// What nvprof prints without --csv: sums, or with --print-gpu-trace a row for each launch. Its
/// times have five digits: enough for durations, not for starts seconds into a run, so that a trace
/// becomes the times of each kernel and no order of events. Names of GPUs are cut after some
/// fifteen characters.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Cells stand two and more spaces apart; words within one have a single space between.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (line = trimmed(line); !line.empty();) {
    const auto end = std::min(line.find("  "), line.size());
    cells.push_back(line.substr(0, end));
    line = trimmed(line.substr(end));
  }
  return cells;
}

std::size_t column(const std::vector<std::string_view>& header, std::string_view name) {
  const auto at = std::find(header.begin(), header.end(), name);
  return at == header.end() ? kNoColumn : static_cast<std::size_t>(at - header.begin());
}

/// "60.228ms" in ns.
std::optional<std::uint64_t> time_of(std::string_view cell) {
  const auto end = std::min(cell.find_first_not_of("0123456789."), cell.size());
  const auto exponent = ns_exponent(cell.substr(end));
  return exponent ? exact_ns(cell.substr(0, end), *exponent) : std::nullopt;
}

std::uint64_t whole(std::string_view cell) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? value : 0;
}

/// "1.5000KB", of 1024.
std::uint64_t bytes_of(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || value < 0) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(cell.data() + cell.size() - end));
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"B", 1}, {"KB", 1024.0}, {"MB", 1048576.0}, {"GB", 1073741824.0}};
  for (const auto& [name, scale] : kUnits)
    if (unit == name) return static_cast<std::uint64_t>(std::llround(value * scale));
  return 0;
}

/// "(188 188 1)"
std::array<std::uint64_t, 3> three(std::string_view cell) {
  std::array<std::uint64_t, 3> sizes{};
  if (!cell.starts_with('(')) return sizes;
  const char *at = cell.data() + 1, *end = cell.data() + cell.size();
  for (auto& size : sizes) {
    while (at != end && *at == ' ') ++at;
    const auto read = std::from_chars(at, end, size);
    if (read.ec != std::errc()) break;
    at = read.ptr;
  }
  return sizes;
}

/// Every bracket closes: a name that the end of the file cut mostly has one that does not.
bool is_whole(std::string_view name) {
  int depth = 0;
  for (const char c : name)
    depth += std::string_view("([{<").find(c) != std::string_view::npos   ? 1
             : std::string_view(")]}>").find(c) != std::string_view::npos ? -1
                                                                          : 0;
  return depth == 0;
}

class Reader {
 public:
  explicit Reader(ImportSink& sink) : sink_(sink), log_(sink) {}

  Result<void> read(std::string_view text, const std::string& file) {
    sink_.tool("nvprof");
    for (Lines lines(text); lines.next();) {
      const auto line = trimmed(lines.line());
      if (line.starts_with("==")) {
        note(line);
      } else if (line.starts_with("Type  Time(%)") || line.starts_with("Time(%)  ")) {
        begin(Table::sums, line);
      } else if (line.starts_with("Start  Duration  ")) {
        begin(Table::trace, line);
      } else if (line.empty()) {
        table_ = Table::none;  // notes follow, or what the program prints
      } else if (table_ == Table::sums) {
        sum(line, lines.ended());
      } else if (table_ == Table::trace) {
        launch(line, lines.ended());
      }
    }
    if (!any_)
      return fail(Code::empty_input, {file, 0, 0, 1, {}, 0},
                  "this output of nvprof holds no table that is read",
                  "nvprof --csv --print-gpu-trace --log-file FILE makes one");
    write_trace();
    if (devices_.empty()) sink_.lose("gpu_not_named");
    for (const auto& [name, ordinal] : devices_) {
      capture::Device device;
      device.ordinal = ordinal;
      device.name = sink_.text(split_device(name).first);
      sink_.add(device);
    }
    if (cut_ > 0) sink_.truncated("after row " + std::to_string(rows_));
    const std::pair<std::string_view, std::uint64_t> losses[] = {
        {"rows_unreadable", unreadable_},
        {"copies_summed", copies_},
        {"host_calls_passed_over", host_calls_},
        {"rows_repeated", repeated_},
        {"starts_too_coarse", launches_.empty() ? 0 : 1}};
    for (const auto& [reason, count] : losses)
      if (count > 0) sink_.lose(reason, count);
    return {};
  }

 private:
  enum class Table { none, sums, trace };

  void begin(Table table, std::string_view header) {
    table_ = table;
    any_ = true;
    header_.clear();
    for (const auto cell : cells_of(header)) header_.emplace_back(cell);
    if (table == Table::sums && in_calls_) kind_ = "API calls";
  }

  /// "==9630== API calls:"
  void note(std::string_view line) {
    log_.take(line);
    if (line.ends_with("API calls:")) in_calls_ = true;
    if (line.ends_with("Profiling result:")) in_calls_ = false;
    kind_ = "GPU activities";
    table_ = Table::none;
  }

  void unread(bool ended) { (ended ? unreadable_ : cut_) += 1; }

  /// "GPU activities:   39.66%  88.817ms  1002  88.639us  67.553us  112.64us  name", of which the
  /// first stands in the first row alone.
  void sum(std::string_view line, bool ended) {
    const auto percent = line.find('%');
    if (const auto colon = line.find(':'); colon < percent) {
      kind_ = line.substr(0, colon);
      line = trimmed(line.substr(colon + 1));
    }
    std::array<std::string_view, 6> cells;  // share, time, calls, mean, least, most
    auto rest = line;
    for (auto& cell : cells) {
      const auto end = std::min(rest.find(' '), rest.size());
      cell = rest.substr(0, end);
      rest = trimmed(rest.substr(end));
    }
    const auto total = time_of(cells[1]);
    if (!cells[0].ends_with('%')) {
      table_ = Table::none;  // "No API activities were profiled."
      return;
    }
    ++rows_;
    if (log_.in_ranges()) {
      if (kind_ == "GPU activities") ++repeated_;
      return;
    }
    if (kind_ != "GPU activities") {
      ++host_calls_;
      return;
    }
    const auto calls = whole(cells[2]);
    if (!total || calls == 0 || rest.empty() || (!ended && !is_whole(rest))) return unread(ended);
    if (is_copy_row(rest)) {
      copies_ += calls;
      return;
    }
    const auto seconds = [](std::string_view cell) {
      const auto ns = time_of(cell);
      return ns ? static_cast<double>(*ns) / 1e9 : kNone;
    };
    capture::Summary summary;
    summary.shape = sink_.shape(rest);
    summary.launches = calls;
    summary.seconds = {static_cast<double>(*total) / 1e9, kNone, kNone, seconds(cells[4]),
                       seconds(cells[5])};
    sink_.add(summary);
  }

  void launch(std::string_view line, bool ended) {
    const auto cells = cells_of(line);
    if (cells.empty() || !time_of(cells[0])) {
      table_ = Table::none;
      return;
    }
    ++rows_;
    std::vector<std::string_view> header(header_.begin(), header_.end());
    const auto cell = [&](std::string_view name) {
      const auto at = column(header, name);
      return at < cells.size() ? cells[at] : std::string_view();
    };
    auto name = cell("Name");
    const auto duration = time_of(cell("Duration"));
    if (!duration || name.empty() || (!ended && !is_whole(name))) return unread(ended);
    // "kernel(int*) [114]" with the number that its call has too.
    if (const auto open = name.rfind(" [");
        open != std::string_view::npos && name.ends_with(']') &&
        whole(name.substr(open + 2, name.size() - open - 3)) > 0)
      name = name.substr(0, open);
    if (is_copy_row(name)) {
      ++copies_;
      return;
    }
    capture::Shape shape;
    shape.name = sink_.text(name);
    shape.grid = three(cell("Grid Size"));
    shape.block = three(cell("Block Size"));
    shape.registers = whole(cell("Regs*"));
    shape.static_shared_bytes = bytes_of(cell("SSMem*"));
    shape.dynamic_shared_bytes = bytes_of(cell("DSMem*"));
    const auto device = cell("Device");
    shape.device =
        devices_.try_emplace(std::string(device), split_device(device).second).first->second;
    launches_[sink_.shape(shape)].push_back(*duration);
  }

  void write_trace() {
    for (auto& [shape, times] : launches_) {
      std::sort(times.begin(), times.end());
      double total = 0;
      for (const auto ns : times) total += static_cast<double>(ns);
      const auto middle = times.size() / 2;
      const double median =
          times.size() % 2 == 1
              ? static_cast<double>(times[middle])
              : (static_cast<double>(times[middle - 1]) + static_cast<double>(times[middle])) / 2;
      capture::Summary summary;
      summary.shape = shape;
      summary.launches = times.size();
      summary.seconds = {total / 1e9, kNone, median / 1e9, static_cast<double>(times.front()) / 1e9,
                         static_cast<double>(times.back()) / 1e9};
      sink_.add(summary);
    }
  }

  ImportSink& sink_;
  NvprofLog log_;
  Table table_ = Table::none;
  std::vector<std::string> header_;
  std::string kind_ = "GPU activities";
  std::map<std::string, std::uint64_t> devices_;                  // name -> ordinal
  std::map<std::uint64_t, std::vector<std::uint64_t>> launches_;  // ns, by shape
  std::uint64_t rows_ = 0, unreadable_ = 0, cut_ = 0, copies_ = 0, host_calls_ = 0, repeated_ = 0;
  bool any_ = false, in_calls_ = false;
};

}  // namespace

bool holds_nvprof_text(std::string_view text) {
  for (Lines lines(text); lines.next();) {
    const auto line = trimmed(lines.line());
    if (line.starts_with("Type  Time(%)") || line.starts_with("Start  Duration  ") ||
        (line.starts_with("Time(%)  ") && line.ends_with("  Name") &&
         line.find("Total Time") == std::string_view::npos))
      return true;
  }
  return false;
}

bool is_nvprof_text(const FileHead& head) { return holds_nvprof_text(head.bytes); }

Result<void> read_nvprof_text(std::string_view text, const std::string& path, ImportSink& sink) {
  return Reader(sink).read(text, path == "-" ? "<stdin>" : path);
}

Result<void> read_nvprof_text(const std::string& path, const ImportOptions&, ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  return read_nvprof_text(*text, path, sink);
}

}  // namespace roofline::formats
