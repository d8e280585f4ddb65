#include <algorithm>

#include "report/model_report.hpp"
#include "report/result_json.hpp"

namespace roofline {
namespace {

void write_list(JsonWriter& json, JsonKey key, const std::vector<std::string>& list) {
  if (list.empty()) return;
  json.begin_array(key);
  for (const auto& item : list) json.text(item);
  json.end_array();
}

void write_roles(JsonWriter& json, const Parameters& p) {
  const auto role = [&](JsonKey key, Count count) {
    if (count > Count(0)) json.count(key, count);
  };
  json.begin_object("parameters_by_role");
  role("embedding", p.embedding);
  role("attention", p.attention);
  role("dense", p.dense);
  role("experts", p.experts);
  role("shared", p.shared);
  role("router", p.router);
  role("norms", p.norms);
  role("biases", p.biases);
  role("head", p.head);
  role("other", p.other);
  json.end_object();
}

void write_sharing(JsonWriter& json, const StepOptions& options) {
  const auto ranks = [&](JsonKey key, Count count) {
    if (count > Count(1)) json.count(key, count);
  };
  ranks("tensor_parallel", options.tensor_parallel);
  ranks("expert_parallel", options.expert_parallel);
  ranks("pipeline_parallel", options.pipeline_parallel);
}

void write_asked(JsonWriter& json, const ModelReport& report) {
  const auto& options = report.step->options;
  json.text("phase", phase_name(options.phase));
  json.count("batch", options.batch);
  if (options.phase == Phase::decode) json.count("context", options.context);
  if (options.phase != Phase::decode) json.count("tokens", options.tokens);
  if (options.prefix > Count(0)) json.count("prefix", options.prefix);
  write_sharing(json, options);
}

void write_memory(JsonWriter& json, const ModelReport& report) {
  const auto& step = *report.step;
  const auto& format = step.share.quantization;
  json.text("weights", format.empty() ? std::string(describe(step.share.dtype).name) : format);
  json.count("weight_bytes", step.model_weight_bytes);
  if (step.weight_bytes != step.model_weight_bytes)
    json.count("weight_bytes_per_gpu", step.weight_bytes);
  if (step.kv_bytes_per_token > Count(0)) {
    const auto kv = step.options.kv_dtype.value_or(step.share.kv_dtype.value_or(step.share.dtype));
    json.text("kv_dtype",
              step.options.latent_rows_656 ? std::string_view("fp8_rows_656") : describe(kv).name);
  }
  json.count("kv_bytes_per_token", step.kv_bytes_per_token);
  json.count("kv_bytes", step.kv_bytes);
  if (step.optimizer_bytes > Count(0)) json.count("optimizer_bytes", step.optimizer_bytes);
  json.count("memory_bytes", step.memory_bytes());
  if (report.fits) json.flag("fits", *report.fits);
}

void write_step(JsonWriter& json, const ModelReport& report) {
  const auto& floor = report.floor;
  json.begin_object("step");
  json.number("bytes", floor.bytes);
  json.count("matmul_flops", report.step->matmul_flops);
  if (floor.intensity) json.number("intensity_flop_per_byte", floor.intensity->value());
  json.number("memory_time_s", floor.memory.value());
  json.number("compute_time_s", floor.compute.value());
  if (floor.link_bytes > Count(0)) {
    json.count("link_bytes", floor.link_bytes);
    json.number("link_time_s", floor.link.value());
  }
  json.number("time_floor_s", floor.time.value());
  json.text("bound", bound_name(floor.bound));
  json.end_object();
}

void write_speed(JsonWriter& json, const ModelReport& report) {
  json.count("kernels_per_step", report.launches);
  json.number("kernels_time_floor_s", report.kernels.totals.time_floor.value());
  json.number("tokens_per_s_at_floor", report.tokens_per_second(report.floor.time));
  if (report.attainable) {
    json.number("attainable_time_s", report.attainable->value());
    json.number("tokens_per_s_attainable", report.tokens_per_second(*report.attainable));
  }
  if (report.crossover) json.count("crossover_batch", *report.crossover);
  if (report.time) {
    json.number("time_s", report.time->value());
    json.number("tokens_per_s", report.tokens_per_second(*report.time));
    json.number("fraction_of_ceiling", report.floor.time / *report.time);
  }
  if (report.utilization) json.number("model_flop_utilization", *report.utilization);
}

/// A figure that is missing has a note with a code that says why.
void write_notes(JsonWriter& json, const ModelReport& report) {
  json.begin_array("notes");
  const auto note = [&](std::string_view code, std::string_view text) {
    json.begin_object();
    json.text("code", code);
    json.text("text", text);
    json.end_object();
  };
  for (const auto& part : report.model->not_counted) note("not_counted", "not counted: " + part);
  for (const auto& key : report.model->unknown)
    note("unknown_field", "a key that is not known changed nothing: " + key);
  if (report.ceilings == nullptr) note("no_gpu", "without a GPU there are no times: --gpu NAME");
  if (report.is_decode && !report.crossover)
    note("no_crossover",
         "no batch is compute-bound: each sequence brings more cache time than product time");
  if (report.ceilings == nullptr) {
    for (const auto& text : report.step->statements) note("assumed", text);
    json.end_array();
    return;
  }
  if (!report.fits) note("unknown_capacity", "the GPU's memory capacity is not known");
  if (!report.attainable) note("no_attainable", "the GPU has no published attainable shares");
  for (const auto& text : report.step->statements) note("assumed", text);
  json.end_array();
}

void write_sections(JsonWriter& json, const ModelStep& step) {
  json.begin_array("sections");
  for (const auto& section : step.sections) {
    json.begin_object();
    json.text("name", section.name);
    json.count("first_kernel", static_cast<long long>(section.first));
    json.count("kernels", static_cast<long long>(section.count));
    json.count("repeat", section.repeat);
    json.end_object();
  }
  json.end_array();
}

void write_model(JsonWriter& json, const ModelReport& report) {
  const auto& model = *report.model;
  json.begin_object("model");
  json.text("name", model.name);
  json.text("architecture", model.architecture.empty() ? model.model_type : model.architecture);
  json.text("model_type", model.model_type);
  json.count("layers", static_cast<long long>(model.order.size()));
  json.count("parameters", report.parameters.total());
  json.count("parameters_active", report.parameters.active());
  if (report.parameters.extra > Count(0)) json.count("parameters_extra", report.parameters.extra);
  write_roles(json, report.parameters);
  write_list(json, "not_counted", model.not_counted);
  write_list(json, "unknown_fields", model.unknown);
  write_memory(json, report);
  write_asked(json, report);
  if (report.ceilings != nullptr) {
    write_step(json, report);
    write_speed(json, report);
  }
  if (report.ceilings != nullptr) write_sections(json, *report.step);
  write_notes(json, report);
  json.end_object();
}

}  // namespace

void write_model_json(JsonWriter& json, const ModelReport& report, const ReportOptions& options) {
  write_header(json, options);
  if (report.ceilings == nullptr) return write_model(json, report);
  const auto& kernels = report.step->workload.kernels;
  write_gpu(json, {.ceilings = report.ceilings,
                   .source_file = {},
                   .swept = {},
                   .points = 1,
                   .kernels_per_point = kernels.size(),
                   .launch_cost = report.launch_cost});
  write_model(json, report);
  json.begin_array("kernels");
  Tally tally;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelReport kernel{.kernel = &kernels[i], .point = {}, .verdict = report.verdicts[i]};
    kernel.levers = levers(kernels[i], kernel.verdict, *report.ceilings);
    kernel.notes = notes(kernels[i], kernel.verdict, *report.ceilings);
    tally.add(kernel);
    json.begin_object();
    write_kernel(json, kernel, true);
    json.end_object();
  }
  json.end_array();
  write_point(json, report.kernels);
  write_coverage(json, tally);
}

void write_model_list(JsonWriter& json, std::span<const ModelReport> reports,
                      const ReportOptions& options) {
  write_header(json, options);
  json.begin_array("results");
  for (const auto& report : reports) {
    json.begin_object();
    write_model_json(json, report, options);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
