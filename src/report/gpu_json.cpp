#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/gpu_figures.hpp"
#include "report/gpu_report.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

std::string written(const Json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Whole numbers as integers, as all our JSON has them.
Json number(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::abs(value) < kExact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

std::string key_of(std::string_view path) { return path == "mma.sync" ? "mma_sync" : std::string(path); }

void add_origin(Json& json, const Origin& origin) {
  json["sources"] = origin.sources;
  const auto flag = [&](const char* key, bool set) {
    if (set) json[key] = true;
  };
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  flag("derived", origin.derived);
  flag("unconfirmed", origin.unconfirmed);
  flag("doubtful", origin.doubtful);
  text("kind", origin.kind);
  text("pattern", origin.pattern);
  text("measured_by", origin.measured_by);
  text("note", origin.note);
}

Json identity(const Gpu& gpu) {
  Json json;
  json["id"] = gpu.id;
  json["name"] = gpu.name;
  json["vendor"] = gpu.vendor;
  json["architecture"] = gpu.architecture;
  json["scope"] = gpu.scope;
  json["preliminary"] = gpu.preliminary;
  json["aliases"] = gpu.aliases;
  return json;
}

/// Keys of the six ridge points of `list`, FLOP (or op) per byte.
Json ridges(const Gpu& gpu) {
  Json json = Json::object();
  for (const PeakRow& row : peak_rows(gpu)) {
    json[key_of(row.path)][std::string(rate_name(row.type))] = number(ridge(gpu, *row.peak));
  }
  return json;
}

Json peak_json(const Gpu& gpu, const PeakRow& row) {
  const Peak& peak = *row.peak;
  const bool integer = is_integer_rate(row.type);
  Json json;
  json[integer ? "dense_op_per_s" : "dense_flop_per_s"] = number(peak.dense.value());
  if (peak.sparse) json[integer ? "sparse_op_per_s" : "sparse_flop_per_s"] = number(peak.sparse->value());
  json["ridge_flop_per_byte"] = number(ridge(gpu, peak));
  if (peak.fma_per_clock_per_sm) json["fma_per_clock_per_sm"] = number(*peak.fma_per_clock_per_sm);
  json["clock"] = peak.clock == ClockKind::tensor ? "tensor" : "boost";
  if (peak.accumulate) json["accumulate"] = describe(*peak.accumulate).name;
  add_origin(json, peak.origin);
  if (!peak.rate_sources.empty()) json["rate_sources"] = peak.rate_sources;
  return json;
}

template <class T>
void add_texts(Json& json, const char* key, const MaybeFigure<T>& figure) {
  if (!figure) return;
  json[key]["value"] = figure->value;
  add_origin(json[key], figure->origin);
}

Json figures_json(const Gpu& gpu) {
  Json json = Json::object();
  for (const FigureRow& row : figure_rows(gpu)) {
    Json figure;
    figure["value"] = number(row.value);
    add_origin(figure, row.origin);
    json[std::string(row.key)] = std::move(figure);
  }
  return json;
}

Json calibrated_json(const Calibration& calibration) {
  Json json;
  const auto text = [](Json& into, const char* key, const std::string& value) {
    if (!value.empty()) into[key] = value;
  };
  text(json, "source", calibration.source);
  json["date"] = calibration.date;
  text(json, "device", calibration.device);
  text(json, "uuid", calibration.uuid);
  text(json, "driver", calibration.driver);
  json["sustained"] = calibration.sustained;
  json["ceilings"] = Json::array();
  for (const auto& ceiling : calibration.ceilings) {
    Json row;
    row["name"] = ceiling.name;
    row["resource"] = ceiling.resource;
    if (ceiling.mma_sync) row["mma_sync"] = true;
    row["value"] = number(ceiling.value);
    row["unit"] = ceiling.unit;
    if (ceiling.datasheet) row["datasheet"] = number(*ceiling.datasheet);
    if (ceiling.clock_mhz) row["clock_mhz"] = number(*ceiling.clock_mhz);
    row["trusted"] = ceiling.trusted;
    text(row, "reason", ceiling.reason);
    json["ceilings"].push_back(std::move(row));
  }
  return json;
}

Json attainable_json(const Gpu& gpu) {
  Json json = Json::object();
  for (const AttainableShare& share : gpu.attainable) {
    Json row;
    row["bandwidth_share"] = number(share.bandwidth_share);
    row["compute_share"] = number(share.compute_share);
    row["launch_floor_s"] = number(share.launch_floor.value());
    add_origin(row, share.origin);
    json[share.op_class] = std::move(row);
  }
  return json;
}

void collect(std::vector<std::string>& keys, const Json& json) {
  if (!json.is_structured()) return;
  for (const auto& item : json.items()) {
    const bool names = item.key() == "sources" || item.key() == "rate_sources";
    if (!names || !item.value().is_array()) {
      collect(keys, item.value());
      continue;
    }
    for (const auto& key : item.value()) {
      if (std::find(keys.begin(), keys.end(), key.get<std::string>()) == keys.end()) keys.push_back(key);
    }
  }
}

Json documents_json(const Gpu& gpu, const Json& json) {
  std::vector<std::string> keys;
  collect(keys, json);
  Json documents = Json::object();
  for (const std::string& key : keys) {
    const auto source = find_source(gpu, key);
    if (!source) continue;
    Json row;
    row["title"] = source->title;
    if (!source->revision.empty()) row["revision"] = source->revision;
    if (!source->address.empty()) row["address"] = source->address;
    if (!source->seen.empty()) row["seen"] = source->seen;
    documents[key] = std::move(row);
  }
  return documents;
}

}  // namespace

std::string list_gpus_json(std::span<const Gpu> gpus) {
  Json json;
  json["schema"] = "roofline.gpu-list/1";
  json["table_revision"] = gpu_table_revision();
  json["gpus"] = Json::array();
  for (const Gpu& gpu : gpus) {
    Json row = identity(gpu);
    row["dram_bandwidth_bytes_per_s"] = number(gpu.dram_bandwidth->value.value());
    if (gpu.memory_capacity) row["memory_capacity_bytes"] = number(gpu.memory_capacity->value.value());
    if (gpu.l2_capacity) row["l2_bytes"] = number(gpu.l2_capacity->value.value());
    row["ridge_flop_per_byte"] = ridges(gpu);
    const FlagCounts counts = count_flags(gpu);
    row["unconfirmed_figures"] = counts.unconfirmed;
    row["doubtful_figures"] = counts.doubtful;
    json["gpus"].push_back(std::move(row));
  }
  return written(json);
}

std::string show_gpu_json(const Gpu& gpu) {
  Json json;
  json["schema"] = "roofline.gpu-figures/1";
  json.update(identity(gpu));
  if (!gpu.file.empty()) json["file"] = gpu.file;
  add_texts(json, "device_names", gpu.device_names);
  add_texts(json, "pci_ids", gpu.pci_device_ids);
  add_texts(json, "cupti_chip", gpu.cupti_chip);
  add_texts(json, "compute_capability", gpu.compute_capability);
  add_texts(json, "memory_type", gpu.memory_type);
  json["why"] = gpu.why;
  json["warnings"] = gpu.warnings;
  json["notes"] = gpu.notes;
  json["figures"] = figures_json(gpu);
  json["peaks"] = Json::object();
  for (const PeakRow& row : peak_rows(gpu)) {
    json["peaks"][key_of(row.path)][std::string(rate_name(row.type))] = peak_json(gpu, row);
  }
  if (gpu.calibrated) json["calibrated"] = calibrated_json(gpu.calibrated->calibration);
  json["attainable"] = attainable_json(gpu);
  for (const Deviation& row : gpu.expected_deviations) json["expected_deviations"][row.figure] = row.reason;
  json["documents"] = documents_json(gpu, json);
  return written(json);
}

std::string verify_report_json(std::span<const VerifiedGpu> verified) {
  Json json;
  json["schema"] = "roofline.gpu-verify/1";
  json["passed"] = all_passed(verified);
  json["gpus"] = Json::array();
  for (const VerifiedGpu& gpu : verified) {
    Json row;
    row["id"] = gpu.id;
    row["architecture_known"] = gpu.has_chip;
    row["checks"] = Json::array();
    for (const Check& check : gpu.verification.checks) {
      Json entry;
      entry["figure"] = check.figure;
      entry["stated"] = number(check.stated);
      entry["computed"] = number(check.computed);
      entry["deviation"] = number(check.deviation());
      entry["unit"] = check.unit;
      entry["arithmetic"] = check.arithmetic;
      if (!check.reason.empty()) entry["reason"] = check.reason;
      if (check.derived) entry["derived"] = true;
      row["checks"].push_back(std::move(entry));
    }
    row["failures"] = gpu.verification.failures;
    json["gpus"].push_back(std::move(row));
  }
  return written(json);
}

}  // namespace roofline
