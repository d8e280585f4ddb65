#include "report/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_writer.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kIndent = 6;  // of the text beside a mark

std::string mark_text(Mark mark, bool colour) {
  constexpr std::string_view kColours[] = {"\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m"};
  const auto word = padded(mark_name(mark), kIndent);
  return colour ? fmt::format("{}{}\x1b[0m", kColours[static_cast<std::size_t>(mark)], word) : word;
}

std::string indented(std::string_view text, std::size_t width) {
  return wrapped(text, width > kIndent + 20 ? width - kIndent : 20, 0);
}

/// Every line of `text` behind `kIndent` blanks; the first one behind what stands there already.
void append_block(std::string& out, std::string_view first, std::string_view text,
                  std::size_t width) {
  out += first;
  for (const char c : indented(text, width)) {
    out += c;
    if (c == '\n') out.append(kIndent, ' ');
  }
  out += '\n';
}

std::string summary(const DoctorReport& report) {
  const auto bad = std::count_if(report.findings.begin(), report.findings.end(),
                                 [](const Finding& f) { return f.mark != Mark::ok; });
  std::string text = bad == 0
                         ? fmt::format("all {} are fine. ", report.findings.size())
                         : fmt::format("{} of {} need attention. ", bad, report.findings.size());
  if (report.counters) return text + "Profiling works, with counters.";
  if (report.profile)
    return text + "Profiling works; gating on DRAM bytes, which takes counters, does not.";
  return fmt::format("{}Profiling does not work here; {} do.", text, kNeedNoGpu);
}

void write_facts(JsonWriter& json, const DeviceFacts& facts) {
  json.text("name", facts.name);
  if (!facts.pci_id.empty()) json.text("pci_id", facts.pci_id);
  if (!facts.compute_capability.empty()) json.text("compute_capability", facts.compute_capability);
  if (facts.sm_count) json.count("sm_count", Count(*facts.sm_count));
  if (facts.bus_bits) json.count("memory_bus_bits", Count(*facts.bus_bits));
  if (facts.l2_bytes) json.count("l2_bytes", Count(*facts.l2_bytes));
  if (facts.memory_bytes) json.count("memory_bytes", Count(*facts.memory_bytes));
  if (facts.memory_clock_hz) json.number("memory_clock_hz", *facts.memory_clock_hz);
  json.flag("mig", facts.mig);
}

void write_gpu(JsonWriter& json, const DetectedGpu& gpu) {
  json.begin_object();
  json.count("ordinal", Count(gpu.ordinal));
  if (!gpu.uuid.empty()) json.text("uuid", gpu.uuid);
  if (!gpu.pci_bus.empty()) json.text("pci_bus", gpu.pci_bus);
  write_facts(json, gpu.facts);
  if (gpu.simulated) json.flag("simulated", true);
  json.text("fit", fit_name(gpu.match.fit));
  if (gpu.match.fit == Fit::exact) json.text("id", gpu.match.entry()->id);
  json.begin_array("candidates");
  for (const Gpu* entry : gpu.match.entries) json.text(entry->id);
  json.end_array();
  json.begin_array("differs");
  for (const auto& difference : gpu.match.differs) {
    json.begin_object();
    json.text("fact", difference.fact);
    json.text("seen", difference.seen);
    json.text("table", difference.table);
    json.flag("decides", difference.decides);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::vector<std::string> ids_of(const Identification& match) {
  std::vector<std::string> ids;
  for (const Gpu* entry : match.entries) ids.push_back(entry->id);
  return ids;
}

/// What the table has for the device, as a sentence.
std::string match_text(const DetectedGpu& gpu) {
  const auto* entry = gpu.match.entry();
  switch (gpu.match.fit) {
    case Fit::exact:
      return fmt::format("{} ({}): every fact that decides agrees", entry->id, entry->name);
    case Fit::ambiguous:
      return fmt::format(
          "fits {}: neither PCI id nor name tells which; choose by what you know of the machine",
          joined(ids_of(gpu.match)));
    case Fit::slice:
      return fmt::format(
          "a MIG instance of {} ({}): the ceilings of the whole card do not hold for it", entry->id,
          entry->name);
    case Fit::nearest:
      return fmt::format("not in the table; nearest is {} ({}), which differs", entry->id,
                         entry->name);
    case Fit::unknown: break;
  }
  return fmt::format(
      "not in the table: no entry of compute capability {}",
      gpu.facts.compute_capability.empty() ? "(not told)" : gpu.facts.compute_capability);
}

std::string use_text(const DetectedGpu& gpu) {
  switch (gpu.match.fit) {
    case Fit::exact:
    case Fit::ambiguous:
      return fmt::format("roofline analyze kernels.yaml --gpu {}", gpu.match.entry()->id);
    default: return "roofline gpus template > mygpu.yaml, fill it in, then --gpu ./mygpu.yaml";
  }
}

}  // namespace

std::string_view mark_name(Mark mark) {
  constexpr std::string_view kNames[] = {"ok", "warn", "no"};
  return kNames[static_cast<std::size_t>(mark)];
}

std::string facts_text(const DeviceFacts& facts) {
  std::vector<std::string> words;
  if (!facts.compute_capability.empty()) {
    auto digits = facts.compute_capability;
    std::erase(digits, '.');
    words.push_back("sm_" + digits);
  }
  if (facts.sm_count) words.push_back(fmt::format("{} SMs", *facts.sm_count));
  if (facts.bus_bits) words.push_back(fmt::format("{}-bit bus", *facts.bus_bits));
  if (facts.memory_bytes)
    words.push_back(format_capacity(static_cast<double>(*facts.memory_bytes)));
  if (facts.l2_bytes)
    words.push_back("L2 " + format_capacity(static_cast<double>(*facts.l2_bytes)));
  if (!facts.pci_id.empty()) words.push_back("PCI " + facts.pci_id);
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string difference_text(const FactDifference& difference) {
  return fmt::format("{}: {} here, {} in the table", difference.fact, printable(difference.seen),
                     difference.table);
}

std::string doctor_text(const DoctorReport& report, std::size_t width, bool colour) {
  std::string text;
  const std::string blanks(kIndent, ' ');
  for (const auto& finding : report.findings) {
    auto line = printable(finding.text);
    if (!finding.code.empty()) line += fmt::format(" ({})", finding.code);
    if (!finding.meaning.empty()) line += "; " + printable(finding.meaning);
    append_block(text, mark_text(finding.mark, colour), line, width);
    if (!finding.remedy.empty())
      append_block(text, blanks, "do: " + printable(finding.remedy), width);
  }
  return text + wrapped(summary(report), width) + "\n";
}

std::string doctor_json(const DoctorReport& report) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; }, {.indented_levels = 3});
  json.begin_object();
  json.text("schema", "roofline.doctor/1");
  json.begin_object("tool");
  json.text("name", "roofline");
  json.text("version", report.tool_version);
  json.end_object();
  json.begin_object("works");
  json.flag("analyze", true);
  json.flag("profile", report.profile);
  json.flag("counters", report.counters);
  json.end_object();
  json.begin_array("findings");
  for (const auto& finding : report.findings) {
    json.begin_object();
    json.text("mark", mark_name(finding.mark));
    json.text("subject", finding.subject);
    json.text("text", finding.text);
    if (!finding.meaning.empty()) json.text("meaning", finding.meaning);
    if (!finding.remedy.empty()) json.text("remedy", finding.remedy);
    if (!finding.code.empty()) json.text("code", finding.code);
    json.end_object();
  }
  json.end_array();
  json.begin_array("gpus");
  for (const auto& gpu : report.gpus) write_gpu(json, gpu);
  json.end_array();
  json.begin_map("machine");
  for (const auto& fact : report.facts) json.text(JsonKey::named(fact.key), fact.value);
  json.end_object();
  json.end_object();
  json.end_line();
  json.flush();
  return text;
}

std::string detect_text(const std::vector<DetectedGpu>& gpus, std::size_t width) {
  std::string text;
  for (const auto& gpu : gpus) {
    if (!text.empty()) text += '\n';
    text += fmt::format("GPU {}   {}{}\n", gpu.ordinal, printable(gpu.facts.name),
                        gpu.simulated ? "   (SIMULATED: no such GPU exists)" : "");
    append_block(text, "  has   ", facts_text(gpu.facts), width);
    append_block(text, "  is    ", match_text(gpu), width);
    for (const auto& difference : gpu.match.differs)
      append_block(text, "  but   ", difference_text(difference), width);
    append_block(text, "  use   ", use_text(gpu), width);
  }
  return text;
}

std::string detect_json(const std::vector<DetectedGpu>& gpus) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; }, {.indented_levels = 3});
  json.begin_object();
  json.text("schema", "roofline.detected-gpus/1");
  json.begin_array("gpus");
  for (const auto& gpu : gpus) write_gpu(json, gpu);
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
  return text;
}

}  // namespace roofline
