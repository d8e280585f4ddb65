#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// What nvbench prints: devices, a log, and for each benchmark and device a table with a row for
/// each state. Old versions write GiB/s and BWPeak, new ones GB/s and BWUtil.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line = trimmed(line);
  line.remove_prefix(1);
  while (!line.empty()) {
    const auto end = std::min(line.find('|'), line.size());
    cells.emplace_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

std::uint64_t first_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "22.957 ms"
std::optional<std::uint64_t> time_of(std::string_view cell) {
  const auto space = cell.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto exponent = ns_exponent(trimmed(cell.substr(space)));
  return exponent ? exact_ns(cell.substr(0, space), *exponent) : std::nullopt;
}

/// "52.618 GB/s", "476.387 GiB/s" in B/s.
double rate_of(std::string_view cell) {
  const auto space = cell.find(' ');
  if (space == std::string_view::npos) return 0;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"B/s", 1},           {"KB/s", 1e3},         {"MB/s", 1e6},
      {"GB/s", 1e9},        {"TB/s", 1e12},        {"KiB/s", 1024.0},
      {"MiB/s", 1048576.0}, {"GiB/s", 1073741824}, {"TiB/s", 1099511627776}};
  for (const auto& [unit, scale] : kUnits)
    if (trimmed(cell.substr(space)) == unit)
      return read_number(cell.substr(0, space), '.').value_or(0) * scale;
  return 0;
}

class Reader {
 public:
  explicit Reader(ImportSink& sink) : sink_(sink) {}

  void read(std::string_view text) {
    std::vector<std::string> header;
    for (Lines lines(text); lines.next();) {
      const auto line = trimmed(lines.line());
      if (line.starts_with("## ") || line.starts_with("### ")) header.clear();
      if (line.starts_with("## [")) {
        begin_device(line);
      } else if (line.starts_with("* ")) {
        fact(line.substr(2));
      } else if (line.starts_with("## ")) {
        benchmark_ = line.substr(3);
      } else if (line.starts_with("### [")) {
        name_device(line);
      } else if (line.starts_with('|') && header.empty()) {
        header = cells_of(line);
      } else if (line.starts_with('|') &&
                 line.find_first_not_of("|-: ") != std::string_view::npos) {
        row(header, cells_of(line));
      }
    }
    for (const auto& [ordinal, device] : devices_) sink_.add(device);
    if (devices_.empty()) sink_.lose("gpu_not_named");
  }

 private:
  /// "## [0] `NVIDIA A30`"
  void begin_device(std::string_view line) {
    device_ = first_number(line);
    auto& device = devices_[device_];
    device.ordinal = device_;
    const auto open = line.find('`'), close = line.rfind('`');
    if (open != std::string_view::npos && close > open)
      device.name = sink_.text(line.substr(open + 1, close - open - 1));
  }

  /// "### [0] NVIDIA A30", over a table: all that is told where the list of devices was cut away.
  void name_device(std::string_view line) {
    device_ = first_number(line);
    const auto close = line.find(']');
    const auto name =
        close == std::string_view::npos ? std::string_view() : trimmed(line.substr(close + 1));
    if (name.empty() || devices_.contains(device_)) return;
    auto& device = devices_[device_];
    device.ordinal = device_;
    device.name = sink_.text(name);
  }

  void fact(std::string_view text) {
    const auto at = devices_.find(device_);
    if (at == devices_.end()) return;
    auto& device = at->second;
    const auto number = first_number(text.substr(std::min(text.find(':'), text.size())));
    if (text.starts_with("SM Version")) {
      device.major = number / 100;
      device.minor = number % 100 / 10;
    } else if (text.starts_with("Number of SMs")) {
      device.sm_count = number;
    } else if (text.starts_with("SM Default Clock Rate")) {
      device.sm_clock_khz = number * 1000;
    } else if (text.starts_with("L2 Cache Size")) {
      device.l2_bytes = number * 1024;
    } else if (text.starts_with("ECC Enabled")) {
      device.ecc = text.find("Yes") != std::string_view::npos ? 1 : 0;
    } else if (const auto bracket = text.find('(');
               text.starts_with("Global Memory Bus Peak") && bracket != std::string_view::npos) {
      device.bus_width_bits = first_number(text.substr(bracket));
      const auto clock = text.find('@');
      if (clock != std::string_view::npos)
        device.memory_clock_khz = first_number(text.substr(clock)) * 1000;
    }
  }

  /// "2^12 = 4096" is the value of an axis of powers.
  static std::string_view axis_value(std::string_view cell) {
    constexpr std::string_view kEquals = " = ";
    const auto at = cell.find(kEquals);
    return cell.starts_with("2^") && at != std::string_view::npos ? cell.substr(at + kEquals.size())
                                                                  : cell;
  }

  void row(const std::vector<std::string>& header, const std::vector<std::string>& cells) {
    const auto cell = [&](std::string_view name) {
      const auto at = column_of(header, name);
      return at < cells.size() ? std::string_view(cells[at]) : std::string_view();
    };
    const auto time = time_of(cell("GPU Time"));
    if (!time || *time == 0) return sink_.lose("benchmarks_skipped");
    // The axes stand before the samples; sizes with a unit there are summaries.
    std::string axes;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) {
      if (header[i] == "Samples" || header[i] == "CPU Time" || header[i] == "GPU Time") break;
      const auto value = axis_value(cells[i]);
      if (value.empty() || value.find(' ') != std::string_view::npos) continue;
      axes += fmt::format("{}{}={}", axes.empty() ? "" : " ", header[i], value);
    }
    const auto launches = std::max<std::uint64_t>(first_number(cell("Samples")), 1);
    const double seconds = static_cast<double>(*time) / 1e9;
    capture::Summary summary;
    summary.shape = sink_.shape(axes.empty() ? benchmark_ : fmt::format("{}[{}]", benchmark_, axes),
                                {}, {}, device_);
    summary.launches = launches;
    summary.seconds = {seconds * static_cast<double>(launches), kNone, kNone, kNone, kNone};
    if (const double rate = rate_of(cell("GlobalMem BW")); rate > 0) {
      Operation declared;  // a rate of what its author says it reads and writes
      declared.name = "declared";
      declared.attributes.emplace_back("bytes", fmt::format("{:.0f}", rate * seconds));
      summary.operation = sink_.operation(declared);
    }
    sink_.add(summary);
  }

  ImportSink& sink_;
  std::string benchmark_ = "benchmark";
  std::uint64_t device_ = 0;
  std::map<std::uint64_t, capture::Device> devices_;
};

/// A table alone, as it is pasted elsewhere.
bool has_table(std::string_view text) {
  for (Lines lines(text); lines.next();) {
    const auto line = trimmed(lines.line());
    if (!line.starts_with('|')) continue;
    const auto cells = cells_of(line);
    if (column_of(cells, "Samples") != kNoColumn && column_of(cells, "GPU Time") != kNoColumn)
      return true;
  }
  return false;
}

}  // namespace

bool is_nvbench_markdown(const FileHead& head) {
  const std::string_view text = head.bytes;
  return text.find("# Benchmark Results") != std::string_view::npos ||
         (text.find("# Devices") != std::string_view::npos &&
          text.find("* SM Version:") != std::string_view::npos) ||
         has_table(text);
}

Result<void> read_nvbench_markdown(const std::string& path, const ImportOptions&,
                                   ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  sink.tool("nvbench");
  Reader(sink).read(*text);
  return {};
}

}  // namespace roofline::formats
