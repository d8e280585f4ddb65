// nvbandwidth (github.com/NVIDIA/nvbandwidth) and bandwidthTest of NVIDIA's samples: copies within
// a GPU, and between it and its host.
#include <fmt/format.h>

#include <algorithm>

#include "machine/ceilings/output_text.hpp"
#include "roofline/base/text.hpp"

namespace roofline::ceilings {
namespace {

/// One test of nvbandwidth. Its copies are counted once, so that what crosses DRAM in a copy within
/// a GPU is twice its figure: 1519 GB/s are printed for an H100 of 3.35 TB/s.
struct Test {
  std::string_view name, ceiling, resource;
  double crossings;
};
constexpr Test kTests[] = {
    {"host_to_device_memcpy_ce", "copy_to_device", "link:pcie", 1},
    {"device_to_host_memcpy_ce", "copy_to_host", "link:pcie", 1},
    {"device_local_copy", "dram_copy", "dram", 2},
};

/// The part of bandwidthTest's output that a line belongs to. Copies within the GPU are counted
/// read and written there.
struct Direction {
  std::string_view letters, title, ceiling, resource;
};
constexpr Direction kDirections[] = {
    {"H2D", "Host to Device Bandwidth", "copy_to_device", "link:pcie"},
    {"D2H", "Device to Host Bandwidth", "copy_to_host", "link:pcie"},
    {"D2D", "Device to Device Bandwidth", "dram_copy", "dram"},
};

CalibratedCeiling ceiling_of(const Direction& direction) {
  CalibratedCeiling ceiling;
  ceiling.name = direction.ceiling;
  ceiling.resource = direction.resource;
  ceiling.unit = "B/s";
  ceiling.samples = 1;
  return ceiling;
}

/// Of each direction the largest copy: smaller ones stay in caches, or end before they are fast.
class LargestCopies {
 public:
  void take(const Direction& direction, double bytes, double rate) {
    auto& entry = entries_[static_cast<std::size_t>(&direction - kDirections)];
    if (bytes <= entry.bytes) return;
    entry = {bytes, rate};
  }
  void finish(ForeignCeilings& read) const {
    for (std::size_t i = 0; i < std::size(kDirections); ++i) {
      if (entries_[i].bytes <= 0) continue;
      read.ceilings.push_back(ceiling_of(kDirections[i]));
      read.ceilings.back().value = entries_[i].rate;
      if (kDirections[i].resource == "dram") read.array_bytes = entries_[i].bytes;
    }
  }

 private:
  struct Entry {
    double bytes = 0, rate = 0;
  };
  Entry entries_[std::size(kDirections)];
};

}  // namespace

// ---------------------------------------------------------------- nvbandwidth
// Running host_to_device_memcpy_ce.
// memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
//            0         1
//  0     55.40     55.38
bool is_nvbandwidth(std::string_view text) {
  return text.find("nvbandwidth Version") != std::string_view::npos;
}

Result<ForeignCeilings> read_nvbandwidth(std::string_view content, const std::string& file,
                                         int device) {
  const OutputText text(content, file);
  ForeignCeilings read;
  read.program = fmt::format("nvbandwidth {}", text.value("nvbandwidth Version:"));
  read.driver = text.value("Driver Version:");
  const auto name = text.value(fmt::format("Device {}:", device));  // behind it the PCI address
  read.device.name = trimmed(name.substr(0, std::min(name.rfind('('), name.size())));
  BestFigures figures;
  const Test* test = nullptr;
  std::vector<std::string_view> columns;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = trimmed(lines[i]);
    if (constexpr std::string_view kRunning = "Running "; line.starts_with(kRunning)) {
      test = nullptr;
      columns.clear();
      for (const auto& row : kTests)
        if (line.substr(kRunning.size()) == fmt::format("{}.", row.name)) test = &row;
      continue;
    }
    const auto words = words_of(line);
    if (!test || words.empty() || !leading_number(words[0])) continue;
    if (columns.empty()) {
      columns = words;
      continue;
    }
    const auto column = std::find(columns.begin(), columns.end(), fmt::format("{}", device));
    if (column == columns.end()) continue;
    const auto at = static_cast<std::size_t>(column - columns.begin()) + 1;  // behind the row's own
    if (words.size() <= at || words[at] == "N/A") continue;
    const auto rate = whole_number(words[at]);
    if (!rate)
      return fail(Code::bad_number, text.where(i, words[at]),
                  fmt::format("\"{}\" is no rate", printable(words[at])));
    figures.take(test->ceiling, test->resource, "B/s", test->crossings * *rate * kGiga);
  }
  read.ceilings = std::move(figures).list();
  return read;
}

// ---------------------------------------------------------------- bandwidthTest
// Either a line for each size, "bandwidthTest-D2D, Bandwidth = 762.8 GB/s, Time = 0.00009 s,
// Size = 68000000 bytes, NumDevsUsed = 1", or a table of sizes below a title.
bool is_bandwidth_test(std::string_view text) {
  return text.find("[CUDA Bandwidth Test]") != std::string_view::npos;
}

Result<ForeignCeilings> read_bandwidth_test(std::string_view content, const std::string& file,
                                            int device) {
  const OutputText text(content, file);
  ForeignCeilings read;
  read.program = "bandwidthTest";
  read.device.name = text.value(fmt::format("Device {}:", device));
  LargestCopies copies;
  const Direction* section = nullptr;
  bool pinned = true;
  double unit = kGiga;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = trimmed(lines[i]);
    for (const auto& direction : kDirections) {
      if (line.starts_with(direction.title)) section = &direction;
      const auto mark = fmt::format("bandwidthTest-{}", direction.letters);
      if (!line.starts_with(mark) || line.find("-Paged") != std::string_view::npos) continue;
      const auto rate = leading_number(between(line, "Bandwidth = ", "B/s"));
      const auto bytes = leading_number(between(line, "Size = ", " bytes"));
      const auto used = leading_number(line.substr(std::min(line.rfind('=') + 1, line.size())));
      if (!rate || !bytes)
        return fail(Code::bad_number, text.where(i), "this line has no rate and size");
      if (used.value_or(1) > 1)
        return fail(Code::wrong_type, text.where(i),
                    fmt::format("this is the sum over {} GPUs: no limit of one", *used),
                    "run it with --device=0");
      const double scale = line.find(" MB/s") != std::string_view::npos ? kMega : kGiga;
      copies.take(direction, *bytes, *rate * scale);
    }
    if (line.find("PINNED") != std::string_view::npos) pinned = true;
    if (line.find("PAGEABLE") != std::string_view::npos) pinned = false;
    if (line.find("Bandwidth(") != std::string_view::npos)
      unit = line.find("(MB/s)") != std::string_view::npos ? kMega : kGiga;
    const auto words = words_of(line);
    if (!section || !pinned || words.size() != 2) continue;
    if (const auto bytes = whole_number(words[0]), rate = whole_number(words[1]); bytes && rate)
      copies.take(*section, *bytes, *rate * unit);
  }
  copies.finish(read);
  return read;
}

}  // namespace roofline::ceilings
