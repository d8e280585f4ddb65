#include <fmt/format.h>

#include <algorithm>

#include "report/model_report.hpp"
#include "report/page/parts.hpp"
#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

std::string stored_as(const ModelStep& step) {
  return step.share.quantization.empty() ? std::string(describe(step.share.dtype).name)
                                         : step.share.quantization;
}

std::string kv_name(const ModelStep& step) {
  if (step.options.latent_rows_656) return "fp8 rows with scales and a 16-bit rotary part";
  return std::string(
      describe(step.options.kv_dtype.value_or(step.share.kv_dtype.value_or(step.share.dtype)))
          .name);
}

/// "32 layers, 4096 wide, 32 heads (8 key-value), vocabulary 128 256".
std::string dimensions(const ModelConfig& model) {
  const auto& attention = model.groups.front().layer.attention;
  std::string text = fmt::format("{} layers, {} wide", model.order.size(), grouped(model.hidden));
  if (attention.kind == AttentionBlock::Kind::grouped)
    text += attention.kv_heads == attention.heads
                ? fmt::format(", {} heads", grouped(attention.heads))
                : fmt::format(", {} heads ({} key-value)", grouped(attention.heads),
                              grouped(attention.kv_heads));
  if (attention.kind == AttentionBlock::Kind::latent)
    text += fmt::format(", {} heads on {} latent values", grouped(attention.heads),
                        grouped(attention.kv_rank + attention.rope_dim));
  for (const auto& group : model.groups)
    if (group.layer.experts) {
      text +=
          fmt::format(", {} experts of which a token visits {}",
                      grouped(group.layer.experts->experts), grouped(group.layer.experts->top_k));
      break;
    }
  if (model.embedding.vocab > Count(0))
    text += fmt::format(", vocabulary {}", grouped(model.embedding.vocab));
  return text;
}

std::string sharing(const StepOptions& options) {
  std::string text;
  const std::pair<std::string_view, Count> ranks[] = {{"tensor", options.tensor_parallel},
                                                      {"expert", options.expert_parallel},
                                                      {"pipeline", options.pipeline_parallel}};
  for (const auto& [name, count] : ranks)
    if (count > Count(1))
      text += fmt::format("{}{}-parallel x{}", text.empty() ? "" : ", ", name, grouped(count));
  return text;
}

std::string asked(const ModelReport& report) {
  const auto& options = report.step->options;
  std::string text(phase_name(options.phase));
  text += fmt::format(", batch {}", grouped(options.batch));
  if (options.phase == Phase::decode)
    text += fmt::format(", context {}", grouped(options.context));
  else
    text += fmt::format(", {} tokens a sequence", grouped(options.tokens));
  if (options.prefix > Count(0))
    text += fmt::format(" after {} in the cache", grouped(options.prefix));
  if (const auto shares = sharing(options); !shares.empty())
    text += "; " + shares + ", one GPU's share";
  return text;
}

PageFact parameter_fact(const ModelReport& report) {
  const auto& p = report.parameters;
  std::string detail = p.active() == p.total()
                           ? "every token uses all"
                           : fmt::format("a token uses {}", grouped(p.active()));
  if (report.model->head.present && report.model->head.tied)
    detail += "; the head is the embedding, counted once";
  if (p.extra > Count(0))
    detail +=
        fmt::format("; and {} apart ({})", grouped(p.extra), report.model->extras.front().name);
  return {"parameters", grouped(p.total()), detail};
}

std::vector<PageFact> memory_facts(const ModelReport& report) {
  const auto& step = *report.step;
  std::vector<PageFact> facts;
  std::string weights = stored_as(step);
  if (step.weight_bytes != step.model_weight_bytes)
    weights += fmt::format("; {} on each GPU", bytes(step.weight_bytes));
  facts.push_back({"weights", bytes(step.model_weight_bytes), weights});
  if (step.kv_bytes_per_token > Count(0))
    facts.push_back(
        {"KV cache", bytes(step.kv_bytes_per_token),
         fmt::format("a token, {}; {} for this batch{}", kv_name(step), bytes(step.kv_bytes),
                     step.weight_bytes != step.model_weight_bytes ? " on each GPU" : "")});
  if (step.optimizer_bytes > Count(0))
    facts.push_back({"optimizer", bytes(step.optimizer_bytes),
                     "gradients, two moments and a master copy of the weights"});
  return facts;
}

PageFact fit_fact(const ModelReport& report) {
  const auto& gpu = report.ceilings->gpu();
  const auto need = bytes(report.step->memory_bytes());
  if (!report.fits) return {"memory", need, "the GPU's capacity is not known"};
  const auto capacity = format_capacity(gpu.memory_capacity->value.value());
  const double share = report.step->memory_bytes().to_double() / gpu.memory_capacity->value.value();
  return {"memory", need,
          fmt::format("{} {} of {}; activations not counted",
                      *report.fits ? "fits:" : "does not fit:", percent(share), capacity)};
}

// ---------------------------------------------------------------- the table
class KernelTable {
 public:
  KernelTable(Page& page, const ModelReport& report)
      : page_(page), report_(report), total_(report.kernels.totals.time_floor) {}

  void write() {
    page_.begin_table({{"kernel", Align::left, 14, 0},
                       {"op", Align::left, 0, 3},
                       {"shape", Align::left, 12, 4},
                       {"bytes", Align::right},
                       {"FLOPs", Align::right, 0, 2},
                       {"FLOP/B", Align::right, 0, 1},
                       {"bound", Align::left, 0, 5},
                       {"floor", Align::right},
                       {"share", Align::right}});
    for (const auto& section : report_.step->sections) write_section(section);
    const auto& totals = report_.kernels.totals;
    page_.rule();
    page_.row({fmt::format("{} kernels", grouped(report_.launches)), "", "", bytes(totals.bytes),
               without_unit(flops(report_.step->matmul_flops), "FLOP"), "",
               std::string(bound_name(report_.kernels.bound)), seconds(totals.time_floor), ""});
    page_.end_table();
  }

 private:
  void write_section(const StepSection& section) {
    Count moved;
    Seconds floor;
    Count products;
    for (std::size_t i = section.first; i < section.first + section.count; ++i) {
      moved += report_.verdicts[i].bytes();
      floor += report_.verdicts[i].floor.time;
      products += report_.step->workload.kernels[i].work.matmul_flops();
    }
    const auto name = section.repeat == Count(1)
                          ? section.name
                          : fmt::format("{} x{}", section.name, grouped(section.repeat));
    page_.row({printable(name), "", "", bytes(moved), without_unit(flops(products), "FLOP"), "", "",
               seconds(floor), share(section.repeat.to_double() * floor)});
    for (std::size_t i = section.first; i < section.first + section.count; ++i)
      kernel(report_.step->workload.kernels[i], report_.verdicts[i]);
  }

  void kernel(const Kernel& kernel, const Verdict& verdict) {
    page_.row({"  " + kernel_name(kernel), std::string(kernel.op->name), compact_shape(kernel),
               bytes(verdict.bytes()), without_unit(flops(verdict.flops), "FLOP"),
               verdict.intensity ? format_number(verdict.intensity->value()) : "",
               bound_cell(verdict), seconds(verdict.floor.time),
               share(kernel.repeat.to_double() * verdict.floor.time)});
  }

  std::string share(Seconds part) const {
    return total_ > Seconds(0) ? percent(part / total_) : "";
  }

  Page& page_;
  const ModelReport& report_;
  Seconds total_;
};

// ---------------------------------------------------------------- the step
std::string traffic_words(const ModelReport& report) {
  const auto& step = *report.step;
  const auto& traffic = step.traffic;
  const Count batch = step.options.batch;
  std::string text = fmt::format("weights {}", format_bytes(traffic.weights(batch)));
  if (!traffic.experts.empty()) {
    const auto& e = traffic.experts.front();
    text += fmt::format(" ({} of {} experts a layer)",
                        format_number(traffic.distinct_experts(e, batch)), grouped(e.held));
  }
  if (const Count cache = (traffic.kv_read_per_sequence + traffic.kv_written_per_sequence) * batch;
      cache > Count(0))
    text += ", cache " + bytes(cache);
  if (traffic.optimizer > Count(0)) text += ", optimizer " + bytes(traffic.optimizer);
  return text;
}

std::string tokens_per_second(const ModelReport& report, Seconds time) {
  return format_number(report.tokens_per_second(time));
}

std::vector<PageFact> step_facts(const ModelReport& report) {
  const auto& floor = report.floor;
  std::vector<PageFact> facts;
  facts.push_back(
      {"whole step", seconds(floor.time),
       fmt::format(
           "at the floor: {} in {}, products in {}{}", format_bytes(floor.bytes),
           seconds(floor.memory), seconds(floor.compute),
           floor.link_bytes > Count(0) ? fmt::format(", links in {}", seconds(floor.link)) : "")});
  facts.push_back({"", "", traffic_words(report)});
  facts.push_back({"kernels", seconds(report.kernels.totals.time_floor),
                   fmt::format("sum of their floors: what lies between them goes through DRAM ({})",
                               bytes(report.kernels.totals.bytes))});
  if (report.attainable)
    facts.push_back({"attainable", seconds(*report.attainable),
                     "as well-tuned kernels of their classes are seen to run"});
  std::string speed = fmt::format("tokens/s at the floor");
  if (report.attainable)
    speed += fmt::format(", {} attainable", tokens_per_second(report, *report.attainable));
  facts.push_back({"speed", tokens_per_second(report, floor.time), speed});
  if (report.collectives > Count(0))
    facts.push_back(
        {"collectives", bytes(floor.link_bytes),
         fmt::format("over the link in each direction, {} of them: {}", grouped(report.collectives),
                     floor.link > Seconds(0) ? seconds(floor.link)
                                             : std::string("the link's rate is not known"))});
  return facts;
}

PageFact crossover_fact(const ModelReport& report) {
  if (report.crossover)
    return {"crossover", "batch " + grouped(*report.crossover),
            "from there on products take longer than bytes"};
  return {"crossover", "none", "each further sequence brings more cache time than product time"};
}

PageFact launch_fact(const ModelReport& report) {
  const auto& s = *report.kernels.sequence;
  if (report.as_graph)
    return {"launching", seconds(s.as_graph),
            fmt::format("as one graph of {} kernels", grouped(s.launches))};
  return {"launching", seconds(s.launch_time),
          fmt::format("{} kernels at {} each; wall time {}, GPU busy {}; as one graph {}",
                      grouped(s.launches), seconds(*report.launch_cost), seconds(s.makespan),
                      percent(s.gpu_busy), seconds(s.as_graph))};
}

PageFact measured_fact(const ModelReport& report) {
  std::string detail =
      fmt::format("{} of the floor's speed, {} tokens/s; {} of the peaks in use (MFU, {})",
                  percent(report.floor.time / *report.time),
                  tokens_per_second(report, *report.time), percent(*report.utilization),
                  report.step->options.phase == Phase::train
                      ? "three times the forward products"
                      : "products of the model, masked pairs not counted");
  return {"measured", seconds(*report.time), detail};
}

void write_verdict(Page& page, const ModelReport& report) {
  const bool launches = report.kernels.bound == Bound::overhead && report.kernels.sequence &&
                        report.kernels.sequence->launch_bound && !report.as_graph;
  const auto bound = launches ? Bound::overhead : report.floor.bound;
  const auto word = std::string(bound_name(bound)) + "-bound";
  std::string text = word;
  if (report.time && *report.time < kImpossibleBelow * report.floor.time)
    return page.remark("verdict",
                       fmt::format("impossible: {} is less than the floor of {}",
                                   seconds(*report.time), seconds(report.floor.time)),
                       Tone::bad, 10);
  if (launches)
    text += ": the CPU cannot launch kernels as fast as the GPU runs them";
  else if (bound == Bound::memory)
    text += fmt::format(": bytes take {} times as long as products",
                        report.floor.compute > Seconds(0)
                            ? format_number(report.floor.memory / report.floor.compute)
                            : "many");
  else if (bound == Bound::compute)
    text += fmt::format(": products take {} times as long as bytes",
                        report.floor.memory > Seconds(0)
                            ? format_number(report.floor.compute / report.floor.memory)
                            : "many");
  page.remark("verdict", text, tone_of(bound), word.size());
}

void write_levers(Page& page, const ModelReport& report) {
  const auto& step = *report.step;
  const auto& traffic = step.traffic;
  const double cache = (traffic.kv_read_per_sequence * step.options.batch).to_double(),
               weights = traffic.weights(step.options.batch);
  if (report.floor.bound == Bound::compute) {
    const bool wide =
        report.floor.headline && (report.floor.headline->resource.pipe.type == RateType::bf16 ||
                                  report.floor.headline->resource.pipe.type == RateType::fp16);
    return page.remark("lever",
                       wide ? "lower precision: fp8 products run at twice the rate of 16-bit ones "
                              "where the GPU has them (--weights fp8)"
                            : "fewer products: a shorter sequence, or a cached prefix",
                       Tone::plain, 0);
  }
  if (!report.is_decode) return;
  if (cache > weights)
    page.remark(
        "lever",
        fmt::format("a narrower cache: it is {} of the bytes, and a larger batch does not help it",
                    percent(cache / report.floor.bytes)),
        Tone::plain, 0);
  else
    page.remark("lever",
                fmt::format("a larger batch reads the same weights, which are {} of the bytes; "
                            "narrower weights shrink them",
                            percent(weights / report.floor.bytes)),
                Tone::plain, 0);
}

}  // namespace

void write_model_notes(Page& page, const ModelReport& report) {
  for (const auto& part : report.model->not_counted)
    page.remark("note", "not counted: " + printable(part), Tone::overhead, 11);
  if (!report.model->unknown.empty()) {
    std::vector<std::string> names;
    for (const auto& key : report.model->unknown) names.push_back(printable(key));
    page.remark("note",
                "keys of the config that are not known and changed nothing: " + joined(names),
                Tone::overhead, 0);
  }
  for (const auto& text : report.step->statements)
    page.remark("note", printable(text), Tone::plain, 0);
}

void write_model_heading(Page& page, const ModelReport& report) {
  const auto& model = *report.model;
  page.heading(printable(model.name),
               printable(fmt::format(
                   "{}: {}", model.architecture.empty() ? model.model_type : model.architecture,
                   dimensions(model))));
  auto facts = memory_facts(report);
  facts.insert(facts.begin(), parameter_fact(report));
  page.facts(facts);
  page.gap();
}

void write_model_page(Page& page, const ModelReport& report, const ReportOptions& options) {
  if (options.verbosity < 0) {
    page.sentence(printable(report.ceilings->gpu().name));
    return write_verdict(page, report);
  }
  parts::UsedCeilings used;
  for (const auto& verdict : report.verdicts) used.add(verdict);
  parts::gpu_heading(page, *report.ceilings, used.list());
  page.gap();
  page.sentence(asked(report));
  KernelTable(page, report).write();
  page.gap();
  auto facts = step_facts(report);
  facts.push_back(fit_fact(report));
  if (report.is_decode) facts.push_back(crossover_fact(report));
  if (report.kernels.sequence) facts.push_back(launch_fact(report));
  if (report.time) facts.push_back(measured_fact(report));
  page.facts(facts);
  page.gap();
  write_model_notes(page, report);
  write_verdict(page, report);
  write_levers(page, report);
  page.gap();
}

}  // namespace roofline
