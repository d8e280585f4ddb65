// Three programs after McCalpin's STREAM. All count bytes read and written.
#include <fmt/format.h>

#include <algorithm>

#include "machine/ceilings/output_text.hpp"
#include "roofline/base/text.hpp"

namespace roofline::ceilings {
namespace {

/// A function of a benchmark, and the limit that it measures; of the others (mul, add ...) nothing
/// is kept that these do not say.
struct Function {
  std::string_view name, ceiling;
};

const Function* find_function(std::span<const Function> functions, std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const Function& function) { return function.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

// Dot reads two arrays and writes a number for each block.
constexpr Function kBabel[] = {
    {"Copy", "dram_copy"}, {"Triad", "dram_triad"}, {"Dot", "dram_read"}};
constexpr Function kGpuStream[] = {{"COPY", "dram_copy"}, {"TRIAD", "dram_triad"}};

/// "MBytes/sec" of the table, "max_mbytes_per_sec" of the CSV.
struct Unit {
  std::string_view column, csv;
  double bytes;
};
constexpr Unit kUnits[] = {{"MBytes/sec", "max_mbytes_per_sec", kMega},
                           {"MiBytes/sec", "max_mibytes_per_sec", kMebi},
                           {"GBytes/sec", "max_gbytes_per_sec", kGiga},
                           {"GiBytes/sec", "max_gibytes_per_sec", 1024 * kMebi}};

const Unit* find_unit(std::string_view word, std::string_view Unit::*field) {
  for (const auto& unit : kUnits)
    if (unit.*field == word) return &unit;
  return nullptr;
}

/// "268.4 MB (=0.3 GB)"
std::optional<double> size_of(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() < 2) return std::nullopt;
  const auto number = whole_number(words[0]);
  for (const auto& [name, bytes] : {std::pair<std::string_view, double>{"KB", 1e3},
                                    {"MB", kMega},
                                    {"GB", kGiga},
                                    {"KiB", 1024},
                                    {"MiB", kMebi},
                                    {"GiB", 1024 * kMebi}})
    if (number && words[1] == name) return *number * bytes;
  return std::nullopt;
}

/// Where a table says what its columns are: which holds the rate.
struct Table {
  std::size_t rate = 0, sizes = 0;  ///< columns; `sizes`: that of n_elements, before sizeof
  const Unit* unit = nullptr;
  bool csv = false;
};

std::optional<Table> header_of(std::string_view line) {
  Table table;
  table.csv = line.starts_with("function,");
  const auto cells = table.csv ? cells_of(line, ',') : words_of(line);
  if (!table.csv && (cells.empty() || cells[0] != "Function")) return std::nullopt;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto* unit = find_unit(cells[i], table.csv ? &Unit::csv : &Unit::column)) {
      table.unit = unit;
      table.rate = i;
    }
    if (cells[i] == "n_elements") table.sizes = i;
  }
  return table.unit ? std::optional(table) : std::nullopt;
}

}  // namespace

// ---------------------------------------------------------------- BabelStream
bool is_babel_stream(std::string_view text) {
  return text.find("BabelStream\n") != std::string_view::npos ||
         text.find("BabelStream\r\n") != std::string_view::npos ||
         text.find("Function    MBytes/sec  Min (sec)") != std::string_view::npos ||
         text.starts_with("function,num_times,n_elements,");
}

Result<ForeignCeilings> read_babel_stream(std::string_view content, const std::string& file, int) {
  const OutputText text(content, file);
  ForeignCeilings read;
  read.program = "BabelStream";
  if (const auto version = text.value("Version:"); !version.empty())
    read.program += fmt::format(" {}", version);
  read.array_bytes = size_of(text.value("Array size:"));
  BestFigures figures;
  std::optional<Table> table;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = trimmed(lines[i]);
    if (line.starts_with("Using "))  // "Using CUDA device NVIDIA H100 NVL"
      if (constexpr std::string_view kDevice = " device "; line.find(kDevice) != line.npos)
        read.device.name = trimmed(line.substr(line.find(kDevice) + kDevice.size()));
    // "Validation failed on sum. Error 3.5e-06": a kernel did less than it should, or other than
    // it.
    if (line.starts_with("Validation failed"))
      read.fault = fmt::format("it found its own results wrong: \"{}\"",
                               printable(line.substr(0, line.find(". "))));
    if (auto header = header_of(line)) {
      table = header;
      continue;
    }
    if (!table) continue;
    const auto cells = table->csv ? cells_of(line, ',') : words_of(line);
    const auto* function = cells.empty() ? nullptr : find_function(kBabel, cells[0]);
    if (!function) continue;
    const auto rate = cells.size() > table->rate ? whole_number(cells[table->rate]) : std::nullopt;
    if (!rate)
      return fail(Code::bad_number, text.where(i),
                  fmt::format("{} has no rate in this row", function->name),
                  "give the whole output of BabelStream");
    figures.take(function->ceiling, "dram", "B/s", *rate * table->unit->bytes);
    if (table->csv && table->sizes > 0 && cells.size() > table->sizes + 1)
      if (const auto count = whole_number(cells[table->sizes]),
          bytes = whole_number(cells[table->sizes + 1]);
          count && bytes)
        read.array_bytes = *count * *bytes;
  }
  read.ceilings = std::move(figures).list();
  return read;
}

// ---------------------------------------------------------------- gpu-stream of SuperBench
// Device 0: "NAME"  152 SMs(10.0)  Memory: 4000MHz x 8192-bit = 8192 GB/s PEAK   ECC is ON
// STREAM_COPY_double_gpu_0_buffer_4294967296_block_128     6711.67 81.93
bool is_gpu_stream(std::string_view text) {
  return text.find("STREAM Benchmark") != std::string_view::npos &&
         text.find("STREAM_COPY") != std::string_view::npos;
}

namespace {

DeviceFacts gpu_stream_device(std::string_view line) {
  DeviceFacts facts;
  facts.name = between(line, "\"", "\"");
  const auto behind = line.substr(std::min(line.rfind('"') + 1, line.size()));
  facts.compute_capability = between(behind, "SMs(", ")");
  const auto count = [](std::optional<double> number) {
    return number && *number > 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                 : std::nullopt;
  };
  constexpr double kMost = 1e9;
  if (const auto sms = leading_number(behind); sms && *sms < kMost) facts.sm_count = count(sms);
  if (const auto bits = leading_number(between(behind, " x ", "-bit")); bits && *bits < kMost)
    facts.bus_bits = count(bits);
  if (const auto clock = leading_number(between(behind, "Memory:", "MHz")); clock && *clock > 0)
    facts.memory_clock_hz = *clock * kMega;
  return facts;
}

}  // namespace

Result<ForeignCeilings> read_gpu_stream(std::string_view content, const std::string& file,
                                        int device) {
  const OutputText text(content, file);
  ForeignCeilings read;
  read.program = "gpu-stream (SuperBench)";
  read.array_bytes = leading_number(text.value("Buffer size(bytes):"));
  const auto heading = fmt::format("Device {}:", device), mark = fmt::format("_gpu_{}_", device);
  BestFigures figures;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = trimmed(lines[i]);
    if (line.starts_with(heading)) read.device = gpu_stream_device(line.substr(heading.size()));
    const auto words = words_of(line);
    if (words.size() < 2 || words[0].find(mark) == std::string_view::npos) continue;
    const auto* function = find_function(kGpuStream, between(words[0], "STREAM_", "_"));
    if (!function) continue;
    const auto rate = whole_number(words[1]);
    if (!rate)
      return fail(Code::bad_number, text.where(i, words[1]),
                  fmt::format("\"{}\" is no rate", printable(words[1])));
    figures.take(function->ceiling, "dram", "B/s", *rate * kGiga);
  }
  read.ceilings = std::move(figures).list();
  return read;
}

// ---------------------------------------------------------------- gpu-stream of gpu-benches
// github.com/te42kyfo/gpu-benches: a row for each size of block. Its triad reads three arrays.
bool is_gpu_benches_stream(std::string_view text) {
  return text.find("smBlocks") != std::string_view::npos &&
         text.find("triad") != std::string_view::npos;
}

Result<ForeignCeilings> read_gpu_benches_stream(std::string_view content, const std::string& file,
                                                int) {
  constexpr Function kFunctions[] = {
      {"read", "dram_read"}, {"scale", "dram_copy"}, {"triad", "dram_triad"}};
  constexpr std::string_view kMark = "GB/s:";
  const OutputText text(content, file);
  ForeignCeilings read;
  read.program = "gpu-stream (gpu-benches)";
  BestFigures figures;
  std::vector<std::string_view> titles;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto bar = lines[i].find('|');
    if (bar == std::string_view::npos) continue;
    const auto behind = lines[i].substr(bar + 1);
    const auto at = behind.find(kMark);
    if (at == std::string_view::npos) {
      titles = words_of(behind);
      continue;
    }
    const auto rates = words_of(behind.substr(at + kMark.size()));
    if (rates.size() != titles.size())
      return fail(Code::wrong_type, text.where(i),
                  fmt::format("this row has {} rates, the table {}", rates.size(), titles.size()));
    for (std::size_t c = 0; c < rates.size(); ++c) {
      const auto* function = find_function(kFunctions, titles[c]);
      if (!function) continue;
      const auto rate = whole_number(rates[c]);
      if (!rate)
        return fail(Code::bad_number, text.where(i, rates[c]),
                    fmt::format("\"{}\" is no rate", printable(rates[c])));
      figures.take(function->ceiling, "dram", "B/s", *rate * kGiga);
    }
  }
  read.ceilings = std::move(figures).list();
  return read;
}

}  // namespace roofline::ceilings
