#include <fmt/format.h>

#include "report/page/parts.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::parts {
namespace {

using namespace phrases;

/// "33 554 432 B" and, where the dtype is known by the operand's name, the elements behind them.
std::string exact_bytes(const Kernel& kernel, const Traffic& operand, Count amount) {
  auto text = grouped(amount) + " B";
  if (!kernel.op || !kernel.input.has_dtype(operand.operand)) return text;
  const auto& dtype = describe(kernel.input.dtype(operand.operand));
  const Count bits = amount * Count(8);
  if (floor_div(bits, Count(dtype.bits)) * Count(dtype.bits) != bits) return text;
  return fmt::format("{} x {} bit / 8 = {}", grouped(floor_div(bits, Count(dtype.bits))),
                     dtype.bits, text);
}

void add_operands(std::vector<PageFact>& facts, const Kernel& kernel) {
  for (const auto& operand : kernel.work.operands()) {
    const auto name = "bytes " + shortened(printable(operand.operand), 24);
    if (operand.read > Count(0))
      facts.push_back({name, "read", exact_bytes(kernel, operand, operand.read)});
    if (operand.written > Count(0))
      facts.push_back({name, "written", exact_bytes(kernel, operand, operand.written)});
  }
}

const std::optional<Peak>* peak_of(const Gpu& gpu, const Ceiling& ceiling) {
  const auto index = static_cast<std::size_t>(ceiling.resource.pipe.type);
  if (!ceiling.resource.is_compute()) return nullptr;
  if (ceiling.resource.pipe.kind == PipeKind::vector) return &gpu.vector[index];
  if (ceiling.resource.pipe.kind != PipeKind::tensor) return nullptr;
  return ceiling.mma_sync ? &gpu.mma_sync[index] : &gpu.tensor[index];
}

std::string documents(const Gpu& gpu, const Origin& origin) {
  std::string text;
  for (const auto& key : origin.sources) {
    const auto source = find_source(gpu, key);
    if (!text.empty()) text += "; ";
    if (!source)
      text += printable(key);
    else
      text += printable(source->title) +
              (source->revision.empty() ? "" : ", " + printable(source->revision));
  }
  if (origin.derived) text += text.empty() ? "derived from other figures" : " (derived)";
  if (origin.unconfirmed) text += " (unconfirmed)";
  if (origin.doubtful) text += " (doubtful)";
  return text;
}

/// Kind, clock and documents of one ceiling.
std::string provenance(const Gpu& gpu, const Ceiling& ceiling) {
  std::string text(ceiling_kind_name(ceiling.kind));
  if (const auto* peak = peak_of(gpu, ceiling); peak && *peak)
    if (const auto clock = gpu.clock((*peak)->clock))
      text += " at " + format_quantity(clock->value(), "Hz");
  if (ceiling.origin)
    if (const auto from = documents(gpu, *ceiling.origin); !from.empty()) text += "; " + from;
  return text;
}

std::string all_times(const Floor& floor) {
  std::string text;
  for (const auto& item : floor.resources())
    text += fmt::format("{}{} {}", text.empty() ? "max(" : ", ",
                        resource_title(item.ceiling.resource), seconds(item.time));
  return text.empty() ? "0 s" : text + ")";
}

}  // namespace

void explanation(Page& page, const KernelReport& report, const Ceilings& ceilings) {
  const auto& kernel = *report.kernel;
  const auto& v = report.verdict;
  std::vector<PageFact> facts;
  add_operands(facts, kernel);
  facts.push_back({"bytes", "in all",
                   fmt::format("{} B read + {} B written = {} B", grouped(v.bytes_read),
                               grouped(v.bytes_written), grouped(v.bytes()))});
  for (const auto& term : kernel.work.terms()) {
    if (term.amount == Count(0)) continue;
    const auto unit = term.pipe.kind == PipeKind::link ? "B"
                      : term.pipe.kind == PipeKind::sfu || term.pipe.kind == PipeKind::integer
                          ? "op"
                          : "FLOP";
    facts.push_back({"work", pipe_title(term.pipe),
                     fmt::format("{} {}{}", grouped(term.amount), unit,
                                 term.contraction ? ", contraction" : "")});
  }
  for (const auto& item : v.floor.resources()) {
    const auto title = resource_title(item.ceiling.resource);
    facts.push_back({"ceiling", rate(item.ceiling),
                     ceiling_name(item.ceiling) + ", " + provenance(ceilings.gpu(), item.ceiling)});
    facts.push_back({"time", seconds(item.time),
                     fmt::format("{}: {} / {}{}", title, amount(item), rate(item.ceiling),
                                 &item == v.floor.limiting() ? "  <- sets the floor" : "")});
  }
  if (v.ridge)
    facts.push_back({"ridge", intensity(*v.ridge),
                     fmt::format("{} / {}", rate(*v.headline), rate(ceilings.dram()))});
  if (v.intensity)
    facts.push_back({"intensity", intensity(*v.intensity),
                     fmt::format("{} FLOP / {} B", grouped(v.flops), grouped(v.bytes()))});
  facts.push_back({"floor", seconds(v.floor.time), all_times(v.floor)});
  if (v.launch_floor > Seconds(0))
    facts.push_back(
        {"launch", seconds(v.launch_floor),
         fmt::format("least time from one kernel to the next ({}); a floor below twice that is "
                     "overhead-bound",
                     kernel.timing == Timing::unknown ? "stream" : timing_name(kernel.timing))});
  if (kernel.op && !kernel.op->source.empty())
    facts.push_back({"counts", "source", std::string(kernel.op->source)});
  page.gap();
  page.heading("arithmetic", "term by term");
  page.facts(facts);
}

}  // namespace roofline::parts
