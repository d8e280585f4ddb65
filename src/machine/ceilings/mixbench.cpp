// mixbench (github.com/ekondis/mixbench): a table of more and more arithmetic for every element
// that is read. Facts of the GPU stand above it as "key: value". Rates are decimal: an RTX 2070
// reads the 256 MiB of its buffer in the 0.63 ms of its own row at 424 GB/s. Every element is read
// once.
#include <fmt/format.h>

#include <algorithm>

#include "machine/ceilings/output_text.hpp"
#include "roofline/base/text.hpp"

namespace roofline::ceilings {
namespace {

/// A group of columns and the limit that its operations are of.
struct Group {
  std::string_view title, name, resource, unit;
};
constexpr Group kGroups[] = {
    {"Single Precision ops", "vector_fp32", "vector:fp32", "FLOP/s"},
    {"Packed Single Precision ops", "vector_fp32_packed", "vector:fp32", "FLOP/s"},
    {"Double precision ops", "vector_fp64", "vector:fp64", "FLOP/s"},
    {"Half precision ops", "vector_fp16", "vector:fp16", "FLOP/s"},
    {"Integer operations", "int", "int", "op/s"},
};

const Group* find_group(std::string_view title) {
  const auto found = std::find_if(std::begin(kGroups), std::end(kGroups),
                                  [&](const Group& group) { return group.title == title; });
  return found == std::end(kGroups) ? nullptr : found;
}

/// What a column is: a rate of memory, a rate of a group's operations, or neither.
struct Column {
  const Group* group = nullptr;
  bool memory = false;
};

std::vector<Column> columns_of(std::string_view titles, std::string_view names) {
  const auto groups = cells_of(titles, ','), cells = cells_of(names, ',');
  std::vector<Column> columns(cells.size());
  const Group* group = nullptr;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i < groups.size() && !groups[i].empty()) group = find_group(groups[i]);
    columns[i].memory = cells[i] == "GB/sec";
    if (cells[i] == "GFLOPS" || cells[i] == "GIOPS") columns[i].group = group;
  }
  return columns;
}

std::optional<std::uint64_t> count(std::string_view text, double unit = 1) {
  const auto number = leading_number(text);
  constexpr double kMost = 1e18;
  return number && *number > 0 && *number * unit < kMost
             ? std::optional(static_cast<std::uint64_t>(*number * unit))
             : std::nullopt;
}

DeviceFacts facts_of(const OutputText& text) {
  DeviceFacts facts;
  facts.name = text.value("Device:");
  facts.compute_capability = text.value("Compute Capability:");
  facts.sm_count = count(between(text.value("Total SPs:"), "(", " MPs"));
  facts.bus_bits = count(text.value("Memory bus width:"));
  facts.l2_bytes = count(text.value("L2 cache size:"), 1024);
  facts.memory_bytes = count(text.value("Total global mem:"), kMebi);
  if (const auto clock = leading_number(text.value("Memory clock rate:")); clock && *clock > 0)
    facts.memory_clock_hz = *clock * kMega;
  return facts;
}

}  // namespace

bool is_mixbench(std::string_view text) {
  return text.find("Experiment ID, Single Precision ops") != std::string_view::npos;
}

Result<ForeignCeilings> read_mixbench(std::string_view content, const std::string& file, int) {
  const OutputText text(content, file);
  ForeignCeilings read;
  read.device = facts_of(text);
  if (const auto buffer = leading_number(text.value("Buffer size:")))
    read.array_bytes = *buffer * kMebi;
  BestFigures figures;
  std::vector<Column> columns;
  const auto lines = text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = trimmed(lines[i]);
    if (line.starts_with("mixbench") && line.ends_with(')') && read.program.empty())
      read.program = line;
    if (line.starts_with("Experiment ID,") && i + 1 < lines.size()) {
      columns = columns_of(line, lines[i + 1]);
      ++i;
      continue;
    }
    if (columns.empty() || line.empty() || line.find_first_not_of('-') == std::string_view::npos)
      continue;
    const auto cells = cells_of(line, ',');
    if (!leading_number(cells.front())) break;  // what the program prints behind its table
    if (cells.size() != columns.size())
      return fail(Code::wrong_type, text.where(i),
                  fmt::format("this row has {} cells, the table {}", cells.size(), columns.size()),
                  "give the whole output of mixbench");
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!columns[c].memory && !columns[c].group) continue;
      const auto rate = whole_number(cells[c]);
      if (!rate)
        return fail(Code::bad_number, text.where(i, cells[c]),
                    fmt::format("\"{}\" is no rate", printable(cells[c])));
      if (columns[c].memory)
        figures.take("dram_read", "dram", "B/s", *rate * kGiga);
      else
        figures.take(columns[c].group->name, columns[c].group->resource, columns[c].group->unit,
                     *rate * kGiga);
    }
  }
  if (read.program.empty()) read.program = "mixbench";
  read.ceilings = std::move(figures).list();
  return read;
}

}  // namespace roofline::ceilings
