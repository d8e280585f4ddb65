#include "report/trace_fusion/trace_fusion_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_writer.hpp"
#include "report/page/parts.hpp"
#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

constexpr std::size_t kShown = 10, kNamesShown = 6;

/// "mul + add + silu": operators without what they work on.
std::string chain_name(const FusibleChain& chain, std::span<const Kernel> works) {
  std::string text;
  for (std::size_t i = 0; i < chain.operations.size(); ++i) {
    if (i == kNamesShown && chain.operations.size() > kNamesShown + 1)
      return text + fmt::format(" + {} more", chain.operations.size() - i);
    std::string_view name = works[chain.operations[i]].name;
    name = name.substr(0, name.find(' '));
    if (name.starts_with("aten::")) name.remove_prefix(6);
    text += (i == 0 ? "" : " + ") + printable(name);
  }
  return text;
}

/// Times won by the chains that are told; each launch is in one chain only.
Seconds won(const TraceFusionReport& report) {
  Seconds sum;
  for (const auto& chain : report.chains)
    if (chain.most_to_win() > Seconds(0)) sum += chain.most_to_win();
  return sum;
}

}  // namespace

void write_trace_fusion_page(Page& page, const TraceFusionReport& report, bool all) {
  parts::gpu_heading(page, *report.ceilings, {});
  page.gap();
  if (report.chains.empty()) {
    page.sentence(
        fmt::format("No two neighbouring launches of {} could be one kernel by what the file "
                    "tells: chains need "
                    "operators with shapes and types (PyTorch: record_shapes=True).",
                    grouped(Count(report.launches))));
    return;
  }
  page.begin_table({{"chain", Align::left, 24, 0},
                    {"times", Align::right},
                    {"each", Align::right},
                    {"floor", Align::right, 0, 2},
                    {"bytes", Align::right, 0, 1},
                    {"fused", Align::right, 0, 1},
                    {"fused floor", Align::right},
                    {"to win", Align::right},
                    {"of all", Align::right}});
  const auto shown = all ? report.chains.size() : std::min(kShown, report.chains.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& chain = report.chains[i];
    const auto win = std::max(chain.most_to_win(), Seconds(0));
    page.row({chain_name(chain, report.works), grouped(Count(chain.occurrences)),
              seconds(chain.time / static_cast<double>(chain.occurrences)), seconds(chain.floor),
              format_bytes(chain.bytes.value()), format_bytes(chain.fused_bytes.value()),
              seconds(chain.fused_floor), seconds(win),
              report.time > Seconds(0) ? percent(win / report.time) : "-"});
  }
  page.end_table();
  if (shown < report.chains.size())
    page.sentence(fmt::format("and {} more (-v shows them)", report.chains.size() - shown));
  page.gap();
  page.remark(
      "note",
      "a trace does not say which tensor is which: neighbours are linked where one reads as "
      "many bytes as the other wrote",
      Tone::plain, 0);
  page.remark(
      "verdict",
      fmt::format("fusing these can win {} of {} of kernel time ({}) at most, and {} launches",
                  seconds(won(report)), seconds(report.time), percent(won(report) / report.time),
                  [&] {
                    std::uint64_t saved = 0;
                    for (const auto& chain : report.chains)
                      saved += chain.occurrences * (chain.operations.size() - 1);
                    return grouped(Count(saved));
                  }()),
      Tone::memory, 0);
}

void write_trace_fusion_json(const TextSink& sink, const TraceFusionReport& report) {
  JsonWriter json(sink, {.indented_levels = 3});
  json.begin_object();
  json.text("schema", "roofline.trace-fusion/1");
  json.text("gpu", report.ceilings->gpu().id);
  json.count("launches", Count(report.launches));
  json.number("time_s", report.time.value());
  json.number("most_to_win_s", won(report).value());
  json.begin_array("chains");
  for (const auto& chain : report.chains) {
    json.begin_object();
    json.begin_array("operations");
    for (const auto index : chain.operations) json.text(report.works[index].name);
    json.end_array();
    json.count("occurrences", Count(chain.occurrences));
    json.number("time_s", chain.time.value());
    json.number("bytes", chain.bytes.value());
    json.number("fused_bytes", chain.fused_bytes.value());
    json.number("time_floor_s", chain.floor.value());
    json.number("fused_time_floor_s", chain.fused_floor.value());
    json.number("most_to_win_s", std::max(0.0, chain.most_to_win().value()));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace roofline
