#include "report/fuse_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

std::string names_of(const Chain& chain, const std::vector<std::size_t>& tensors) {
  std::string text;
  for (const auto tensor : tensors) {
    if (!text.empty()) text += ", ";
    text += printable(chain.tensors[tensor].name);
  }
  return text;
}

/// "rms_norm + silu" or "rms_norm .. add (4)".
std::string group_name(const Chain& chain, const Group& group) {
  const auto name = [&](std::size_t i) { return printable(chain.kernels[i].name); };
  if (group.first == group.last) return name(group.first);
  if (group.last - group.first == 1) return name(group.first) + " + " + name(group.last);
  return fmt::format("{} .. {} ({})", name(group.first), name(group.last), group.last - group.first + 1);
}

/// Tensors that enter a group from outside, and those that leave it.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> edges(const Chain& chain, const Group& group) {
  std::vector<std::size_t> in, out;
  const auto inside = [&](std::size_t k) { return k >= group.first && k <= group.last; };
  for (std::size_t t = 0; t < chain.tensors.size(); ++t) {
    const auto& tensor = chain.tensors[t];
    const bool made = tensor.made_by && inside(*tensor.made_by);
    const bool read = std::any_of(tensor.read_by.begin(), tensor.read_by.end(), inside);
    const bool kept = std::find(group.traffic.kept.begin(), group.traffic.kept.end(), t) != group.traffic.kept.end();
    if (read && !made) in.push_back(t);
    if (made && !kept) out.push_back(t);
  }
  return {in, out};
}

std::string per_byte(Count flops, Count bytes) {
  return bytes > Count(0) ? format_number(flops.to_double() / bytes.to_double()) : "-";
}

void begin_group_table(Page& page) {
  page.begin_table({{"kernel", Align::left, 12, 0},
                    {"reads", Align::left, 6, 2},
                    {"writes", Align::left, 6, 2},
                    {"passes", Align::right},
                    {"bytes", Align::right},
                    {"FLOP/B", Align::right, 0, 1},
                    {"floor", Align::right},
                    {"bound", Align::left}});
}

void group_row(Page& page, const Chain& chain, const Group& group) {
  const auto [in, out] = edges(chain, group);
  page.row({group_name(chain, group), names_of(chain, in), names_of(chain, out), std::to_string(group.traffic.passes),
            bytes(group.verdict.bytes()), per_byte(group.verdict.flops, group.verdict.bytes()),
            seconds(group.verdict.floor.time), bound_cell(group.verdict)});
}

void total_row(Page& page, const Grouping& grouping) {
  page.rule();
  page.row({"total", "", "", std::to_string(grouping.passes), bytes(grouping.bytes),
            per_byte(grouping.flops, grouping.bytes), seconds(grouping.floor), ""});
}

void write_grouping(Page& page, const FuseReport& report, const Grouping& grouping, const std::string& title) {
  page.sentence(title);
  begin_group_table(page);
  for (const auto& group : grouping.groups) group_row(page, report.chain, group);
  if (grouping.groups.size() > 1) total_row(page, grouping);
  page.end_table();
  page.gap();
}

std::string cut_text(const Chain& chain, const Grouping& grouping) {
  std::string text;
  for (const auto& group : grouping.groups) {
    if (!text.empty()) text += "  |  ";
    text += group_name(chain, group);
  }
  return text;
}

void write_ranking(Page& page, const FuseReport& report) {
  const auto& audit = report.audit;
  if (audit.ranked.size() < 2) return;
  page.sentence(fmt::format("every legal grouping, least floor first ({} legal, {} not):", audit.legal, audit.illegal));
  page.begin_table({{"launches", Align::right}, {"passes", Align::right}, {"bytes", Align::right},
                    {"floor", Align::right}, {"saved", Align::right}, {"kernels", Align::left, 20, 0}});
  for (const auto& grouping : audit.ranked)
    page.row({std::to_string(grouping.groups.size()), std::to_string(grouping.passes), bytes(grouping.bytes),
              seconds(grouping.floor), seconds(audit.as_written.floor - grouping.floor), cut_text(report.chain, grouping)});
  page.end_table();
  if (audit.legal > audit.ranked.size())
    page.sentence(fmt::format("{} more, all slower.", audit.legal - audit.ranked.size()));
  page.gap();
}

void write_savings(Page& page, const FuseReport& report, const Grouping& best) {
  const auto& audit = report.audit;
  std::vector<std::size_t> kept;
  for (const auto& group : best.groups) kept.insert(kept.end(), group.traffic.kept.begin(), group.traffic.kept.end());
  if (kept.empty()) return;
  const auto launches = audit.as_written.groups.size() - best.groups.size();
  page.sentence(fmt::format(
      "{} never {} the chip: {} passes and {} less, {} saved, {} at best; {} {} fewer.", names_of(report.chain, kept),
      kept.size() == 1 ? "leaves" : "leave", audit.as_written.passes - best.passes,
      bytes(audit.as_written.bytes - best.bytes), seconds(audit.as_written.floor - best.floor),
      times(audit.as_written.floor / best.floor), launches, launches == 1 ? "launch" : "launches"));
}

void write_intermediates(Page& page, const FuseReport& report) {
  const auto& l2 = report.ceilings->gpu().l2_capacity;
  if (!l2 || report.audit.intermediates.empty()) return;
  std::vector<std::size_t> fitting, larger;
  for (const auto& item : report.audit.intermediates) (item.fits_l2 ? fitting : larger).push_back(item.tensor);
  const auto size = [&](const std::vector<std::size_t>& list) {
    return bytes(report.chain.tensors[list.front()].bytes) + (list.size() > 1 ? " or so each" : "");
  };
  const std::string capacity = format_capacity(l2->value.value());
  if (!larger.empty())
    page.sentence(fmt::format("{} ({}) {} larger than the {} L2: without fusion {} to DRAM.", names_of(report.chain, larger),
                              size(larger), larger.size() == 1 ? "is" : "are", capacity,
                              larger.size() == 1 ? "it does go" : "they do go"));
  if (!fitting.empty())
    page.sentence(fmt::format("{} ({}) {} the {} L2 and may stay there even without fusion: then the saving is smaller.",
                              names_of(report.chain, fitting), size(fitting), fitting.size() == 1 ? "fits" : "fit", capacity));
}

void write_barriers(Page& page, const FuseReport& report) {
  for (const auto& barrier : report.audit.barriers)
    page.sentence(fmt::format("not one kernel: {} and {}: {}", printable(report.chain.kernels[barrier.first].name),
                              printable(report.chain.kernels[barrier.last].name), printable(barrier.reason)));
  for (std::size_t t = 0; t < report.chain.tensors.size(); ++t) {
    const auto& tensor = report.chain.tensors[t];
    if (tensor.made_by && !tensor.read_by.empty() && !tensor.intermediate)
      page.sentence(fmt::format("{} is not declared `intermediate: true`, so it is still written when its reader is fused.",
                                printable(tensor.name)));
  }
}

std::string bound_words(const Grouping& grouping) {
  const bool same = std::all_of(grouping.groups.begin(), grouping.groups.end(), [&](const Group& g) {
    return g.verdict.bound == grouping.groups.front().verdict.bound;
  });
  return same ? std::string(bound_name(grouping.groups.front().verdict.bound)) + "-bound" : "of mixed bounds";
}

void write_chain(Page& page, const FuseReport& report, std::optional<Seconds> launch_cost) {
  const auto& audit = report.audit;
  write_grouping(page, report, audit.as_written, fmt::format("as written: {} kernels", audit.as_written.groups.size()));
  const Grouping* best = audit.fully_fused ? &*audit.fully_fused : audit.ranked.empty() ? nullptr : &audit.ranked.front();
  if (audit.fully_fused) write_grouping(page, report, *audit.fully_fused, "fused: 1 kernel");
  else if (best)
    write_grouping(page, report, *best, fmt::format("fused as far as is legal: {} kernels", best->groups.size()));
  write_ranking(page, report);
  if (!audit.exhaustive)
    page.sentence(fmt::format("more than {} kernels: only the best grouping is sought (dynamic programming over the last cut).", kExactKernels));
  write_barriers(page, report);
  if (!best) return;
  write_savings(page, report, *best);
  write_intermediates(page, report);
  if (launch_cost)
    page.sentence(fmt::format("launching: {} as written, {} fused, at {} each.",
                              seconds(static_cast<double>(audit.as_written.groups.size()) * *launch_cost),
                              seconds(static_cast<double>(best->groups.size()) * *launch_cost), seconds(*launch_cost)));
  const auto before = bound_words(audit.as_written), after = bound_words(*best);
  const bool gains = best->floor < audit.as_written.floor;
  const std::string text = before == after
                               ? fmt::format("{} before and after{}", before, before == "memory-bound" && gains
                                                 ? ": bytes would change it, more arithmetic units would not" : "")
                               : fmt::format("{} as written, {} fused", before, after);
  page.remark("verdict", text, tone_of(best->groups.front().verdict.bound), before.size());
  page.remark("lever", gains ? fmt::format("fuse: {} instead of {}, {} at best", seconds(best->floor),
                                           seconds(audit.as_written.floor), times(audit.as_written.floor / best->floor))
                             : std::string("fusing these kernels saves launches, not bytes"),
              Tone::plain, 0);
}

void write_attention(Page& page, const FuseReport& report) {
  for (const auto& item : report.attention) {
    const auto name = kernel_name(item.flash);
    page.sentence(name + ": attention materialised against flash");
    page.begin_table({{"form", Align::left}, {"bytes", Align::right}, {"FLOPs", Align::right}, {"FLOP/B", Align::right},
                      {"floor", Align::right}, {"bound", Align::left}});
    for (const auto& [form, verdict] : {std::pair{"materialised", &item.materialised}, std::pair{"flash", &item.kept}})
      page.row({form, bytes(verdict->bytes()), flops(verdict->flops), per_byte(verdict->flops, verdict->bytes()),
                seconds(verdict->floor.time), bound_cell(*verdict)});
    page.end_table();
    page.sentence(fmt::format("Scores and probabilities make four one-way trips of {} in all; flash moves none of them.", bytes(item.score_bytes)));
    page.remark("lever", fmt::format("{}: a flash kernel, {} instead of {}, {} at best", name, seconds(item.kept.floor.time),
                                     seconds(item.materialised.floor.time), times(item.materialised.floor.time / item.kept.floor.time)),
                Tone::plain, 0);
    page.gap();
  }
}

void write_epilogues(Page& page, const FuseReport& report) {
  for (const auto& item : report.epilogues) {
    page.sentence(fmt::format("{}: its epilogue saves, against kernels of their own:", printable(item.kernel)));
    page.begin_table({{"part", Align::left}, {"bytes", Align::right}, {"floor", Align::right}});
    for (const auto& saving : item.savings) page.row({saving.part, bytes(saving.bytes), seconds(saving.floor)});
    page.end_table();
    page.gap();
  }
}

void grouping_json(JsonWriter& json, const Chain& chain, const Grouping& grouping) {
  json.number("time_floor_s", grouping.floor.value());
  json.count("bytes", grouping.bytes);
  json.count("flops", grouping.flops);
  json.count("passes", Count(grouping.passes));
  json.count("launches", Count(static_cast<long long>(grouping.groups.size())));
  json.begin_array("groups");
  for (const auto& group : grouping.groups) {
    json.begin_object();
    json.begin_array("kernels");
    for (std::size_t i = group.first; i <= group.last; ++i) json.text(chain.kernels[i].name);
    json.end_array();
    json.begin_array("kept");
    for (const auto tensor : group.traffic.kept) json.text(chain.tensors[tensor].name);
    json.end_array();
    json.count("bytes_read", group.traffic.bytes_read);
    json.count("bytes_written", group.traffic.bytes_written);
    json.count("passes", Count(group.traffic.passes));
    json.number("time_floor_s", group.verdict.floor.time.value());
    json.text("bound", bound_name(group.verdict.bound));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Checked<FuseReport> fuse(const Workload& workload, const Ceilings& ceilings, const std::string& source_file) {
  FuseReport report{.ceilings = &ceilings, .source_file = source_file};
  Errors errors;
  for (const auto& kernel : workload.kernels) {
    auto flash = flash_alternative(kernel, ceilings);
    if (!flash) errors.push_back(flash.error());
    else if (*flash) report.attention.push_back(std::move(**flash));
    if (auto savings = epilogue_savings(kernel, ceilings); !savings.empty())
      report.epilogues.push_back({kernel.name, std::move(savings)});
  }
  auto chain = chain_of(workload);
  if (!chain && report.attention.empty() && report.epilogues.empty())
    errors.insert(errors.end(), chain.error().begin(), chain.error().end());
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (!chain) return report;
  report.chain = std::move(*chain);
  auto audit = audit_fusion(report.chain, ceilings);
  if (!audit) return tl::unexpected(Errors{audit.error()});
  report.audit = std::move(*audit);
  return report;
}

void write_fuse_page(Page& page, const FuseReport& report, std::optional<Seconds> launch_cost) {
  parts::UsedCeilings used;
  for (const auto& group : report.audit.as_written.groups) used.add(group.verdict);
  for (const auto& item : report.attention) used.add(item.materialised);
  parts::gpu_heading(page, *report.ceilings, used.list());
  page.gap();
  if (!report.chain.kernels.empty()) write_chain(page, report, launch_cost);
  if (!report.attention.empty()) page.gap();
  write_attention(page, report);
  write_epilogues(page, report);
}

void write_fuse_json(JsonWriter& json, const FuseReport& report) {
  json.begin_object("gpu");
  json.text("id", report.ceilings->gpu().id);
  json.text("name", report.ceilings->gpu().name);
  json.end_object();
  if (!report.chain.kernels.empty()) {
    json.begin_object("as_written");
    grouping_json(json, report.chain, report.audit.as_written);
    json.end_object();
    if (report.audit.fully_fused) {
      json.begin_object("fully_fused");
      grouping_json(json, report.chain, *report.audit.fully_fused);
      json.end_object();
    }
    json.begin_array("groupings");
    for (const auto& grouping : report.audit.ranked) {
      json.begin_object();
      grouping_json(json, report.chain, grouping);
      json.end_object();
    }
    json.end_array();
    json.count("legal", Count(static_cast<long long>(report.audit.legal)));
    json.count("illegal", Count(static_cast<long long>(report.audit.illegal)));
    json.flag("exhaustive", report.audit.exhaustive);
    json.begin_array("barriers");
    for (const auto& barrier : report.audit.barriers) {
      json.begin_object();
      json.text("first", report.chain.kernels[barrier.first].name);
      json.text("last", report.chain.kernels[barrier.last].name);
      json.text("reason", barrier.reason);
      json.end_object();
    }
    json.end_array();
    json.begin_array("intermediates");
    for (const auto& item : report.audit.intermediates) {
      json.begin_object();
      json.text("name", report.chain.tensors[item.tensor].name);
      json.count("bytes", report.chain.tensors[item.tensor].bytes);
      json.flag("fits_l2", item.fits_l2);
      json.end_object();
    }
    json.end_array();
  }
  json.begin_array("attention");
  for (const auto& item : report.attention) {
    json.begin_object();
    json.text("kernel", item.flash.name);
    json.count("score_bytes", item.score_bytes);
    json.number("materialised_time_floor_s", item.materialised.floor.time.value());
    json.number("flash_time_floor_s", item.kept.floor.time.value());
    json.count("materialised_bytes", item.materialised.bytes());
    json.count("flash_bytes", item.kept.bytes());
    json.end_object();
  }
  json.end_array();
  json.begin_array("epilogues");
  for (const auto& item : report.epilogues) {
    json.begin_object();
    json.text("kernel", item.kernel);
    json.begin_array("parts");
    for (const auto& saving : item.savings) {
      json.begin_object();
      json.text("part", saving.part);
      json.count("bytes", saving.bytes);
      json.number("time_floor_s", saving.floor.value());
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
