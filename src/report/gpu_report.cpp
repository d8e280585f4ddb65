#include "report/gpu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/gpu_figures.hpp"
#include "report/table.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/embedded.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

/// Lower case without blanks, hyphens and underscores, as names of accelerators are compared.
std::string squeezed(std::string_view text) {
  std::string result = lower_case(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return result;
}

bool has(std::string_view text, const std::string& part) { return squeezed(text).find(part) != std::string::npos; }

bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return has(text, part); });
}

bool matches_architecture(const Gpu& gpu, const std::string& part) {
  return has(gpu.architecture, part) || (gpu.chip && has(gpu.chip->family, part));
}

bool matches_text(const Gpu& gpu, const std::string& part) {
  // Not the architecture's id: whoever looks for "h100" does not want all of hopper-gh100.
  return has(gpu.id, part) || has(gpu.name, part) || has(gpu.vendor, part) || (gpu.chip && has(gpu.chip->family, part)) ||
         any_has(gpu.aliases, part) || (gpu.device_names && any_has(gpu.device_names->value, part));
}

/// A ridge point per column. The fallback serves cards without bf16, whose fp16 runs on the same units.
struct RidgeColumn {
  std::string_view title;
  bool vector;
  RateType type, fallback;
};
constexpr RidgeColumn kRidgeColumns[] = {
    {"fp32", true, RateType::fp32, RateType::none},  {"tf32", false, RateType::tf32, RateType::none},
    {"bf16", false, RateType::bf16, RateType::fp16}, {"fp8", false, RateType::fp8, RateType::none},
    {"fp4", false, RateType::fp4, RateType::none},   {"int8", false, RateType::int8, RateType::none},
};

std::string marked(std::string_view text, std::string_view mark) {
  return fmt::format("{}{}", text, mark.empty() ? std::string_view(" ") : mark);
}

std::string ridge_cell(const Gpu& gpu, const RidgeColumn& column) {
  const Peaks& peaks = column.vector ? gpu.vector : gpu.tensor;
  const auto* peak = &peaks[static_cast<std::size_t>(column.type)];
  if (!*peak && column.fallback != RateType::none) peak = &peaks[static_cast<std::size_t>(column.fallback)];
  if (!*peak) return "- ";
  return marked(ridge_text(ridge(gpu, **peak)), flag_mark((*peak)->origin, gpu.dram_bandwidth->origin));
}

std::string flags_cell(const Gpu& gpu) {
  const FlagCounts counts = count_flags(gpu);
  std::vector<std::string> words;
  if (gpu.preliminary) words.emplace_back("pre");
  if (counts.unconfirmed) words.push_back(fmt::format("{}~", counts.unconfirmed));
  if (counts.doubtful) words.push_back(fmt::format("{}?", counts.doubtful));
  return joined(words, " ");
}

std::vector<std::string> list_row(const Gpu& gpu) {
  constexpr double kTera = 1e12, kMebi = 1 << 20;
  std::vector<std::string> cells = {gpu.id, gpu.name};
  cells.push_back(marked(format_number(gpu.dram_bandwidth->value.value() / kTera), flag_mark(gpu.dram_bandwidth->origin)));
  cells.push_back(gpu.l2_capacity ? marked(format_number(gpu.l2_capacity->value.value() / kMebi), flag_mark(gpu.l2_capacity->origin))
                                  : "- ");
  for (const RidgeColumn& column : kRidgeColumns) cells.push_back(ridge_cell(gpu, column));
  cells.push_back(flags_cell(gpu));
  return cells;
}

std::vector<Column> list_columns() {
  std::vector<Column> columns = {{"id"}, {"name", Align::left, 0, 1}, {"TB/s ", Align::right}, {"L2 MiB ", Align::right}};
  for (const RidgeColumn& column : kRidgeColumns) columns.push_back({std::string(column.title) + " ", Align::right});
  columns.push_back({"flags"});
  return columns;
}

/// The mark of a figure is a blank where there is none; a line need not end in it.
std::string without_trailing_blanks(std::string_view text) {
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    while (line.ends_with(' ')) line.remove_suffix(1);
    result.append(line).append("\n");
    start = end + 1;
  }
  return result;
}

std::string percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

void write_verified(std::string& text, const VerifiedGpu& gpu) {
  const auto line = [&](const Check& check) {
    return fmt::format("{} {:>8}   stated {}, computed {}   {}\n", padded(check.figure, 11), percent(check.deviation()),
                       format_quantity(check.stated, check.unit), format_quantity(check.computed, check.unit), check.arithmetic);
  };
  std::string body;
  constexpr std::size_t kIndent = 6, kWidth = 88;
  for (const Check& check : gpu.verification.checks) {
    if (check.reason.empty()) continue;
    body += "    " + line(check) + "      reason: " + wrapped(check.reason, kWidth, kIndent) + "\n";
  }
  for (const std::string& failure : gpu.verification.failures) body += "    FAILS  " + wrapped(failure, kWidth, kIndent) + "\n";
  if (!gpu.has_chip) {
    body += "    note   names no architecture: its rates were not held against a chip's, and it has no mma.sync ceiling\n";
  }
  if (!body.empty()) text += "  " + gpu.id + "\n" + body;
}

}  // namespace

std::vector<Gpu> matching_gpus(std::span<const Gpu> gpus, const GpuFilter& filter) {
  const std::string text = squeezed(filter.text), vendor = squeezed(filter.vendor), chip = squeezed(filter.architecture);
  std::vector<Gpu> found;
  for (const Gpu& gpu : gpus) {
    if (!text.empty() && !matches_text(gpu, text)) continue;
    if (!vendor.empty() && squeezed(gpu.vendor) != vendor) continue;
    if (!chip.empty() && !matches_architecture(gpu, chip)) continue;
    found.push_back(gpu);
  }
  return found;
}

std::string list_gpus(std::span<const Gpu> gpus, std::size_t width) {
  if (gpus.empty()) return "no accelerator matches\n";
  std::string text;
  AlignedTable table(list_columns(), width, 0, [&](std::string_view piece) { text += piece; });
  std::string_view vendor = gpus.front().vendor;
  for (const Gpu& gpu : gpus) {
    if (gpu.vendor != vendor) table.rule();
    vendor = gpu.vendor;
    table.row(list_row(gpu));
  }
  table.finish();
  text = without_trailing_blanks(text);
  std::string legend = fmt::format(
      "{} accelerators. TB/s: DRAM bandwidth. fp32 to int8: ridge point, dense peak / DRAM bandwidth, in FLOP (or op) per "
      "byte; fp32 on vector units, the rest on tensor units; bf16 is fp16 where there is no bf16. ~ rests on an unconfirmed "
      "figure, ? on a doubtful one; flags count them per entry, pre: preliminary.",
      gpus.size());
  if (!table.left_out().empty()) legend += " Names: on a wider line.";
  text += "\n" + wrapped(legend, width) + "\n";
  return text;
}

std::string why_gpu(const Gpu& gpu) {
  std::string text = gpu.name + "\n" + (gpu.why.empty() ? "this entry says nothing about itself (why:)" : gpu.why) + "\n";
  constexpr std::size_t kWidth = 98, kIndent = 2;
  for (const std::string& warning : gpu.warnings) text += "! " + wrapped(warning, kWidth, kIndent) + "\n";
  return text;
}

std::vector<VerifiedGpu> verify_gpus(std::span<const Gpu> gpus) {
  std::vector<VerifiedGpu> verified;
  for (const Gpu& gpu : gpus) verified.push_back({gpu.id, gpu.chip.has_value(), verify(gpu)});
  return verified;
}

bool all_passed(std::span<const VerifiedGpu> verified) {
  return std::all_of(verified.begin(), verified.end(),
                     [](const VerifiedGpu& gpu) { return gpu.verification.failures.empty(); });
}

std::string verify_report(std::span<const VerifiedGpu> verified) {
  std::string text;
  std::size_t derived_again = 0, circular = 0, deviating = 0, failures = 0;
  for (const VerifiedGpu& gpu : verified) {
    write_verified(text, gpu);
    for (const Check& check : gpu.verification.checks) {
      (check.derived ? circular : derived_again) += 1;
      deviating += !check.reason.empty();
    }
    failures += gpu.verification.failures.size();
  }
  if (!text.empty()) text = "Deviations above 2 %, and what does not hold\n" + text + "\n";
  text += fmt::format("{} accelerator{}: {} stated figures derived again from SMs x rate x 2 x clock or width x data rate\n"
                      "(and {} that are themselves derived), {} deviate by more than 2 % for a recorded reason, {} failure{}\n",
                      verified.size(), verified.size() == 1 ? "" : "s", derived_again, circular, deviating, failures,
                      failures == 1 ? "" : "s");
  return text;
}

std::string_view gpu_template() { return embedded_file("template.yaml"); }

}  // namespace roofline
