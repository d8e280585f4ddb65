#include "report/result_json.hpp"

#include <algorithm>

namespace roofline {
namespace {

void write_optional(JsonWriter& json, JsonKey key, std::optional<Seconds> value) {
  if (value) json.number(key, value->value());
}

// ---------------------------------------------------------------- what a kernel is

/// The value of an op parameter as the model was given it.
void write_value(JsonWriter& json, JsonKey key, const Value& value);

void write_element(JsonWriter& json, const Value& value) {
  if (const auto* count = std::get_if<Count>(&value.data))
    json.count(*count);
  else if (const auto* number = std::get_if<double>(&value.data))
    json.number(*number);
  else if (const auto* flag = std::get_if<bool>(&value.data))
    json.flag(*flag);
  else if (const auto* text = std::get_if<std::string>(&value.data))
    json.text(*text);
  else if (const auto* list = std::get_if<ValueList>(&value.data)) {
    json.begin_array();
    for (const auto& item : *list) write_element(json, item);
    json.end_array();
  } else if (const auto* map = std::get_if<ValueMap>(&value.data)) {
    json.begin_object();
    for (const auto& [name, item] : *map) write_value(json, JsonKey::named(name), item);
    json.end_object();
  }
}

void write_value(JsonWriter& json, JsonKey key, const Value& value) {
  if (const auto* count = std::get_if<Count>(&value.data))
    json.count(key, *count);
  else if (const auto* number = std::get_if<double>(&value.data))
    json.number(key, *number);
  else if (const auto* flag = std::get_if<bool>(&value.data))
    json.flag(key, *flag);
  else if (const auto* text = std::get_if<std::string>(&value.data))
    json.text(key, *text);
  else if (const auto* list = std::get_if<ValueList>(&value.data)) {
    json.begin_array(key);
    for (const auto& item : *list) write_element(json, item);
    json.end_array();
  } else if (const auto* map = std::get_if<ValueMap>(&value.data)) {
    json.begin_map(key);
    for (const auto& [name, item] : *map) write_value(json, JsonKey::named(name), item);
    json.end_object();
  }
}

void write_params(JsonWriter& json, const Kernel& kernel) {
  json.begin_map("params");
  for (const auto& param : kernel.op->params)
    if (const auto* value = kernel.input.find(param.name))
      write_value(json, JsonKey::named(param.name), *value);
  json.end_object();
}

void write_dtypes(JsonWriter& json, const Kernel& kernel) {
  json.begin_map("dtypes");
  for (const auto& operand : kernel.op->operands) {
    const auto types = kernel.input.dtype_list(operand.name);
    if (types.size() == 1) json.text(JsonKey::named(operand.name), describe(types.front()).name);
    if (types.size() < 2) continue;
    json.begin_array(JsonKey::named(operand.name));
    for (const auto type : types) json.text(describe(type).name);
    json.end_array();
  }
  json.end_object();
}

void write_source(JsonWriter& json, const Location& where) {
  if (where.file.empty()) return;
  json.begin_object("source");
  json.text("file", where.file);
  if (where.line > 0) json.count("line", where.line);
  json.end_object();
}

/// FLOPs by operand type. Two datapaths of one type (an fp32 product on vector and matrix units)
/// are one entry.
template <class Wanted>
void write_flops(JsonWriter& json, JsonKey key, const Work& work, Wanted wanted) {
  std::array<Count, kRateTypes> by_type{};
  for (const auto& term : work.terms())
    if (wanted(term)) by_type[static_cast<std::size_t>(term.pipe.type)] += term.amount;
  json.begin_map(key);
  for (std::size_t type = 0; type < by_type.size(); ++type)
    if (by_type[type] != Count(0))
      json.count(JsonKey::named(rate_name(static_cast<RateType>(type))), by_type[type]);
  json.end_object();
}

void write_work(JsonWriter& json, const Work& work) {
  json.begin_object("work");
  write_flops(json, "matmul_flops", work, [](const Term& t) { return t.contraction; });
  write_flops(json, "vector_flops", work,
              [](const Term& t) { return !t.contraction && t.pipe.kind == PipeKind::vector; });
  json.count("sfu_ops", work.sfu_ops());
  json.count("int_ops", work.int_ops());
  json.count("link_bytes", work.link_bytes());
  json.end_object();
}

void write_operands(JsonWriter& json, const Work& work) {
  json.begin_map("operands");
  for (const auto& traffic : work.operands()) {
    json.begin_object(JsonKey::named(traffic.operand));
    json.count("read", traffic.read);
    json.count("written", traffic.written);
    json.end_object();
  }
  json.end_object();
}

/// A fact is text; one that is a plain integer is written as a number.
std::optional<Count> whole_number(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  Count value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value.overflowed() ? std::nullopt : std::optional(value);
}

void write_facts(JsonWriter& json, const Work& work) {
  if (work.facts().empty()) return;
  json.begin_map("facts");
  for (const auto& fact : work.facts()) {
    if (const auto number = whole_number(fact.value))
      json.count(JsonKey::named(fact.name), *number);
    else
      json.text(JsonKey::named(fact.name), fact.value);
  }
  json.end_object();
}

// ---------------------------------------------------------------- what follows from it

void write_roofline(JsonWriter& json, const KernelReport& report) {
  const auto& verdict = report.verdict;
  if (verdict.intensity) json.number("intensity_flop_per_byte", verdict.intensity->value());
  if (const auto pipe = pipe_key(report); !pipe.empty()) json.text("pipe", pipe);
  if (verdict.ridge) json.number("ridge_flop_per_byte", verdict.ridge->value());
  if (verdict.bf16_ridge) json.number("bf16_ridge_flop_per_byte", verdict.bf16_ridge->value());
  json.begin_map("resource_time_s");
  for (const auto& item : verdict.floor.resources())
    json.number(JsonKey::named(resource_name(item.ceiling.resource)), item.time.value());
  json.end_object();
  json.number("time_floor_s", verdict.floor.time.value());
  if (const auto* limiting = verdict.floor.limiting())
    json.text("limiter", resource_name(limiting->ceiling.resource));
  write_optional(json, "attainable_time_s", verdict.attainable);
  if (verdict.launch_floor > Seconds(0))
    json.number("launch_floor_s", verdict.launch_floor.value());
}

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  if (verdict.side) json.text("side", side_name(*verdict.side));
  json.text("bound", bound_name(verdict.bound));
  json.flag("balanced", verdict.balanced);
  if (verdict.balanced_with) json.text("balanced_with", resource_name(*verdict.balanced_with));
  json.text("confidence", confidence_name(verdict.confidence));
}

void write_margin(JsonWriter& json, const Margin& margin) {
  json.begin_object("margin");
  json.number("intensity_over_ridge", margin.intensity_over_ridge);
  json.begin_array("flips");
  for (const auto& flip : margin.flips) {
    json.begin_object();
    json.text("variable", flip.variable);
    json.count("from", flip.from);
    json.count("to", flip.to);
    json.text("before", side_name(flip.before));
    json.text("after", side_name(flip.after));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_tile(JsonWriter& json, const TileModel& tile) {
  json.begin_object("tile");
  json.count("tiles", tile.tiles);
  json.count("sm_inbound_bytes", tile.sm_inbound_bytes);
  json.count("padded_inbound_bytes", tile.padded_inbound_bytes);
  json.number("intensity_flop_per_byte", tile.tile_intensity.value());
  json.count("shared_memory_bytes", tile.shared_memory_bytes);
  json.count("accumulator_bytes", tile.accumulator_bytes);
  json.number("tile_efficiency", tile.tile_efficiency);
  if (tile.waves) json.count("waves", *tile.waves);
  if (tile.wave_efficiency) json.number("wave_efficiency", *tile.wave_efficiency);
  if (tile.combined_efficiency) json.number("combined_efficiency", *tile.combined_efficiency);
  if (tile.dram_operand_bytes) json.count("dram_operand_bytes", *tile.dram_operand_bytes);
  if (tile.fits_shared_memory) json.flag("fits_shared_memory", *tile.fits_shared_memory);
  write_optional(json, "l2_time_s", tile.l2_time);
  json.end_object();
}

void write_remarks(JsonWriter& json, JsonKey key, const std::vector<Remark>& remarks) {
  json.begin_array(key);
  for (const auto& remark : remarks) {
    json.begin_object();
    json.text("code", remark.code);
    json.text("text", remark.text);
    json.end_object();
  }
  json.end_array();
}

void write_measured(JsonWriter& json, const MeasuredVerdict& measured, Count samples) {
  json.begin_object("measured");
  json.number("time_s", measured.time.value());
  json.text("timing", timing_name(measured.timing));
  json.count("samples", samples);
  write_measured_verdict(json, measured);
  json.end_object();
}

void write_levers(JsonWriter& json, const std::vector<Lever>& levers) {
  json.begin_array("levers");
  for (const auto& lever : levers) {
    json.begin_object();
    json.text("code", lever.code);
    json.text("text", lever.text);
    write_optional(json, "saves_up_to_s", lever.saves_up_to);
    json.end_object();
  }
  json.end_array();
}

// ---------------------------------------------------------------- what a machine is

void write_flags(JsonWriter& json, const Origin& origin) {
  if (!origin.derived && !origin.unconfirmed && !origin.doubtful) return;
  json.begin_array("flags");
  if (origin.derived) json.text("derived");
  if (origin.unconfirmed) json.text("unconfirmed");
  if (origin.doubtful) json.text("doubtful");
  json.end_array();
}

void write_origin(JsonWriter& json, const Origin& origin) {
  if (!origin.sources.empty()) json.text("source", origin.sources.front());
  if (origin.sources.size() > 1) {
    json.begin_array("sources");
    for (const auto& source : origin.sources) json.text(source);
    json.end_array();
  }
  write_flags(json, origin);
}

/// The clock at which a peak is stated, where the table knows it; of one that was measured, the
/// clock meanwhile.
std::optional<Hertz> clock_of(const Gpu& gpu, const Ceiling& ceiling) {
  if (ceiling.kind != CeilingKind::datasheet) return ceiling.clock;
  const Pipe pipe = ceiling.resource.pipe;
  if (pipe.kind != PipeKind::tensor && pipe.kind != PipeKind::vector) return std::nullopt;
  const auto& peak =
      (pipe.kind == PipeKind::tensor ? gpu.tensor
                                     : gpu.vector)[static_cast<std::size_t>(pipe.type)];
  return peak ? gpu.clock(peak->clock) : std::nullopt;
}

void write_ceiling(JsonWriter& json, const Gpu& gpu, const Ceiling& ceiling) {
  json.begin_object();
  json.text("resource", resource_name(ceiling.resource));
  json.text("kind", ceiling_kind_name(ceiling.kind));
  json.number("value", ceiling.per_second);
  json.text("unit", ceiling.unit());
  if (const auto clock = clock_of(gpu, ceiling)) json.number("clock_hz", clock->value());
  if (ceiling.sparse) json.flag("sparse", true);
  if (ceiling.mma_sync) json.flag("mma_sync", true);
  if (ceiling.origin) write_origin(json, *ceiling.origin);
  json.end_object();
}

void write_ceilings(JsonWriter& json, const Ceilings& ceilings) {
  json.begin_array("ceilings");
  const auto known = ceilings.all();
  for (const auto& ceiling : known) write_ceiling(json, ceilings.gpu(), ceiling);
  for (const auto& ceiling :
       known) {  // the second, lower tensor ceiling of kernels that issue mma.sync
    if (ceiling.kind != CeilingKind::datasheet || ceiling.mma_sync ||
        ceiling.resource.pipe.kind != PipeKind::tensor)
      continue;
    const auto lower = ceilings.of(ceiling.resource.pipe, false, true);
    if (lower && lower->mma_sync) write_ceiling(json, ceilings.gpu(), *lower);
  }
  json.end_array();
}

/// When, where and with what driver the calibrated ones were measured.
void write_calibrated(JsonWriter& json, const Calibration& calibration) {
  json.begin_object("calibration");
  if (!calibration.source.empty()) json.text("source", calibration.source);
  json.text("date", calibration.date);
  if (!calibration.device.empty()) json.text("device", calibration.device);
  if (!calibration.uuid.empty()) json.text("uuid", calibration.uuid);
  if (!calibration.driver.empty()) json.text("driver", calibration.driver);
  json.flag("sustained", calibration.sustained);
  json.end_object();
}

void write_sequence(JsonWriter& json, const Sequence& sequence, Bound bound) {
  json.begin_object("sequence");
  json.number("makespan_s", sequence.makespan.value());
  json.number("gpu_busy", sequence.gpu_busy);
  json.number("launch_time_s", sequence.launch_time.value());
  json.number("gpu_time_s", sequence.gpu_time.value());
  json.number("serial_s", sequence.serial.value());
  json.text("bound", bound_name(bound));
  json.number("as_graph_s", sequence.as_graph.value());
  json.count("launches", sequence.launches);
  json.end_object();
}

void write_totals(JsonWriter& json, const PointReport& report) {
  const auto& totals = report.totals;
  json.begin_object("totals");
  json.number("time_floor_s", totals.time_floor.value());
  write_optional(json, "time_s", totals.time);
  json.count("launches", totals.launches);
  json.count("flops", totals.flops);
  json.count("bytes", totals.bytes);
  json.text("bound", bound_name(report.bound));
  json.end_object();
}

}  // namespace

void write_measured_verdict(JsonWriter& json, const MeasuredVerdict& measured) {
  json.number("fraction_of_ceiling", measured.fraction_of_ceiling);
  json.text("status", status_name(measured.status));
  if (measured.achieved_flop_rate)
    json.number("achieved_flop_per_s", measured.achieved_flop_rate->value());
  if (measured.achieved_bandwidth)
    json.number("achieved_bytes_per_s", measured.achieved_bandwidth->value());
  write_remarks(json, "causes", measured.causes);
}

void write_causes(JsonWriter& json, const std::vector<Remark>& causes) {
  write_remarks(json, "causes", causes);
}

void write_advice(JsonWriter& json, const std::vector<Lever>& levers,
                  const std::vector<Remark>& notes) {
  write_levers(json, levers);
  write_remarks(json, "notes", notes);
}

std::string pipe_key(const KernelReport& report) {
  if (report.verdict.headline) return resource_name(report.verdict.headline->resource);
  const Pipe pipe = report.kernel->work.pipe();
  return pipe.kind == PipeKind::none ? std::string() : pipe_name(pipe);
}

void write_header(JsonWriter& json, const ReportOptions& options) {
  json.text("schema", kResultSchema);
  json.begin_object("tool");
  json.text("name", "roofline");
  json.text("version", options.tool_version);
  json.end_object();
  json.text("flop_convention", "fma=2");
}

void write_gpu(JsonWriter& json, const GpuReport& report) {
  const auto& ceilings = *report.ceilings;
  json.begin_object("gpu");
  json.text("id", ceilings.gpu().id);
  json.text("name", report.device_name.empty() ? std::string_view(ceilings.gpu().name)
                                               : report.device_name);
  if (ceilings.gpu().preliminary) json.flag("preliminary", true);
  write_ceilings(json, ceilings);
  if (const auto& own = ceilings.gpu().calibrated) write_calibrated(json, own->calibration);
  json.end_object();
  const auto& options = ceilings.options();
  if (!options.sparsity_two_four && !options.mma_sync && !report.launch_cost) return;
  json.begin_object("options");
  if (options.sparsity_two_four) json.text("sparsity", "2:4");
  if (options.mma_sync) json.text("path", "mma_sync");
  write_optional(json, "launch_cost_s", report.launch_cost);
  json.end_object();
}

void write_binding(JsonWriter& json, std::span<const Binding> point) {
  json.begin_map("point");
  for (const auto& [name, value] : point) json.count(JsonKey::named(name), value);
  json.end_object();
}

void write_description(JsonWriter& json, const KernelReport& report) {
  const auto& kernel = *report.kernel;
  if (kernel.op) write_params(json, kernel);
  if (kernel.op) write_dtypes(json, kernel);
  if (kernel.mma_sync) json.text("path", "mma_sync");
}

void write_figures(JsonWriter& json, const KernelReport& report) {
  const auto& verdict = report.verdict;
  json.count("bytes_read", verdict.bytes_read);
  json.count("bytes_written", verdict.bytes_written);
  json.count("bytes", verdict.bytes());
  json.count("flops", verdict.flops);
  write_work(json, report.kernel->work);
  write_operands(json, report.kernel->work);
  write_facts(json, report.kernel->work);
  write_roofline(json, report);
  write_verdict(json, verdict);
}

void write_kernel(JsonWriter& json, const KernelReport& report, bool remarks) {
  const auto& kernel = *report.kernel;
  const auto& verdict = report.verdict;
  json.text("name", kernel.name);
  if (kernel.op) json.text("op", kernel.op->name);
  if (!report.point.empty()) write_binding(json, report.point);
  write_source(json, kernel.where);
  write_description(json, report);
  json.count("launches", kernel.repeat);
  write_optional(json, "launch_cost_s", kernel.launch_cost);
  write_figures(json, report);
  if (report.margin) write_margin(json, *report.margin);
  if (report.tile) write_tile(json, *report.tile);
  if (verdict.measured) write_measured(json, *verdict.measured, kernel.samples);
  if (remarks) write_advice(json, report.levers, report.notes);
}

void write_point(JsonWriter& json, const PointReport& report) {
  if (report.sequence) write_sequence(json, *report.sequence, report.bound);
  write_totals(json, report);
}

void Tally::add(const KernelReport& report) {
  kernels += 1;
  by_bound[static_cast<std::size_t>(report.verdict.bound)] += 1;
  if (report.verdict.measured)
    by_status[static_cast<std::size_t>(report.verdict.measured->status)] += 1;
}

void write_coverage(JsonWriter& json, const Tally& tally) {
  json.begin_object("coverage");
  json.count("kernels", tally.kernels);
  json.count("matched",
             tally.kernels);  // a description is an op by construction; nothing was skipped
  json.begin_array("lost");
  json.end_array();
  json.end_object();
}

void write_tally(JsonWriter& json, const Tally& tally) {
  json.count("rows", tally.kernels);
  json.count("points", tally.points);
  json.begin_object("by_bound");
  for (std::size_t i = 0; i < tally.by_bound.size(); ++i)
    if (tally.by_bound[i] > Count(0))
      json.count(JsonKey::named(bound_name(static_cast<Bound>(i))), tally.by_bound[i]);
  json.end_object();
  json.begin_object("by_status");
  for (std::size_t i = 0; i < tally.by_status.size(); ++i)
    if (tally.by_status[i] > Count(0))
      json.count(JsonKey::named(status_name(static_cast<Status>(i))), tally.by_status[i]);
  json.end_object();
}

}  // namespace roofline
