#include "machine/gpu_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/derived_ceilings.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

/// The texts and names that are no figures.
void read_identity(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  const auto take = [&](std::string_view key, std::string& into) {
    if (const YamlNode* node = file.find(key)) {
      into = read_text(reader.document(), *node, key, reader.errors()).value_or(std::string{});
    }
  };
  const auto take_all = [&](std::string_view key, std::vector<std::string>& into) {
    if (const YamlNode* node = file.find(key)) {
      if (auto names = read_names(reader.document(), *node, key, reader.errors())) into = std::move(*names);
    }
  };
  if (const YamlNode* node = file.need("id")) {
    gpu.id = read_text(reader.document(), *node, "id", reader.errors()).value_or(std::string{});
    if (!is_spec_id(gpu.id)) {
      reader.error(Code::unknown_name, *node, "an id is made of lower-case letters and digits, in words joined by hyphens",
                   "write id: my-card-48gb");
    }
  }
  gpu.name = gpu.id;
  take("name", gpu.name);
  if (const YamlNode* node = file.need("vendor")) {
    gpu.vendor = read_text(reader.document(), *node, "vendor", reader.errors()).value_or(std::string{});
  }
  gpu.scope = "gpu";
  take("scope", gpu.scope);
  if (const YamlNode* node = file.find("preliminary")) {
    gpu.preliminary = read_flag(reader.document(), *node, "preliminary", reader.errors()).value_or(false);
  }
  take("why", gpu.why);
  gpu.why = trimmed(gpu.why);
  take_all("aliases", gpu.aliases);
  take_all("warnings", gpu.warnings);
  take_all("notes", gpu.notes);
  gpu.device_names = reader.names(file, "device_names", "device_names");
  gpu.pci_device_ids = reader.names(file, "pci_ids", "pci_ids");
  gpu.cupti_chip = reader.text(file, "cupti_chip", "cupti_chip");
  gpu.compute_capability = reader.text(file, "compute_capability", "compute_capability");
}

void read_architecture_name(SpecReader& reader, YamlMap& file, const SpecReferences& references, Gpu& gpu) {
  const YamlNode* node = file.find("architecture");
  if (!node) return;
  gpu.architecture = read_text(reader.document(), *node, "architecture", reader.errors()).value_or(std::string{});
  const auto ids = references.architecture_ids;
  if (!std::binary_search(ids.begin(), ids.end(), std::string_view(gpu.architecture))) {
    std::string hint = did_you_mean(gpu.architecture, ids);
    if (hint.empty()) hint = "leave the key out for a chip that the table does not know (docs/specs.md says what is lost)";
    reader.error(Code::unknown_name, *node, fmt::format("unknown architecture \"{}\"", printable(gpu.architecture)),
                 std::move(hint));
    return;
  }
  auto chip = references.architecture(gpu.architecture);
  if (chip) {
    gpu.chip = std::move(*chip);
  } else {
    reader.errors().insert(reader.errors().end(), chip.error().begin(), chip.error().end());
  }
}

/// One group of figures under a key of its own; `read` is called with the open map.
template <class Read>
void read_group(SpecReader& reader, YamlMap& file, std::string_view key, Read read) {
  const YamlNode* node = file.find(key);
  if (!node) return;
  YamlMap group(reader.document(), *node, key, reader.errors());
  if (!group.ok()) return;
  read(group);
  group.close();
}

void read_memory(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  file.need("dram");
  read_group(reader, file, "dram", [&](YamlMap& dram) {
    dram.need("bandwidth");
    gpu.memory_type = reader.text(dram, "type", "dram type");
    gpu.memory_capacity = reader.measure<Bytes>(dram, "capacity", "dram capacity", Dimension::bytes);
    gpu.memory_bus_bits = reader.figure<Count>(dram, "bus", "dram bus", [&](const YamlNode& node) -> std::optional<Count> {
      const auto bits = reader.quantity(node, "dram bus", Dimension::bits);
      if (!bits) return std::nullopt;
      return Count(static_cast<long>(*bits));
    });
    gpu.memory_data_rate = reader.measure<Hertz>(dram, "data_rate", "dram data rate", Dimension::bit_rate);
    gpu.dram_bandwidth = reader.measure<ByteRate>(dram, "bandwidth", "dram bandwidth", Dimension::byte_rate);
    gpu.dram_bandwidth_disputed =
        reader.measure<ByteRate>(dram, "disputed", "disputed dram bandwidth", Dimension::byte_rate);
    gpu.dram_bandwidth_measured =
        reader.measure<ByteRate>(dram, "measured", "measured dram bandwidth", Dimension::byte_rate);
  });
  read_group(reader, file, "l2", [&](YamlMap& l2) {
    gpu.l2_capacity = reader.measure<Bytes>(l2, "capacity", "l2 capacity", Dimension::bytes);
    gpu.l2_bandwidth = reader.measure<ByteRate>(l2, "bandwidth", "l2 bandwidth", Dimension::byte_rate);
  });
  read_group(reader, file, "last_level_cache", [&](YamlMap& llc) {
    gpu.llc_capacity = reader.measure<Bytes>(llc, "capacity", "last-level cache capacity", Dimension::bytes);
    gpu.llc_bandwidth = reader.measure<ByteRate>(llc, "bandwidth", "last-level cache bandwidth", Dimension::byte_rate);
  });
  read_group(reader, file, "scratchpad", [&](YamlMap& scratchpad) {
    gpu.scratchpad_capacity = reader.measure<Bytes>(scratchpad, "capacity", "scratchpad capacity", Dimension::bytes);
  });
  read_group(reader, file, "shared_memory", [&](YamlMap& shared) {
    gpu.shared_memory_per_sm = reader.measure<Bytes>(shared, "per_sm", "shared memory per SM", Dimension::bytes);
    gpu.shared_bytes_per_clock_per_sm =
        reader.number(shared, "bytes_per_clock_per_sm", "shared memory bytes per clock and SM");
  });
}

void read_units(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  gpu.sm_count = reader.figure<Count>(file, "sm_count", "sm_count",
                                      [&](const YamlNode& node) { return reader.count(node, "sm_count"); });
  read_group(reader, file, "clocks", [&](YamlMap& clocks) {
    gpu.boost_clock = reader.measure<Hertz>(clocks, "boost", "boost clock", Dimension::frequency);
    gpu.tensor_clock = reader.measure<Hertz>(clocks, "tensor", "tensor clock", Dimension::frequency);
  });
  gpu.sfu_per_clock_per_sm = reader.number(file, "sfu_per_clock_per_sm", "sfu_per_clock_per_sm");
  gpu.tdp_watts = reader.figure<double>(file, "tdp", "tdp",
                                        [&](const YamlNode& node) { return reader.quantity(node, "tdp", Dimension::power); });
  read_group(reader, file, "links", [&](YamlMap& links) {
    const auto link = [&](std::string_view key) {
      return reader.measure<ByteRate>(links, key, std::string(key), Dimension::byte_rate);
    };
    gpu.nvlink = link("nvlink");
    gpu.c2c = link("c2c");
    gpu.gcd_link = link("gcd");
    gpu.pcie = link("pcie");
    gpu.link_both_directions = link("both_directions");
    gpu.ici_both_directions = link("ici_both_directions");
  });
}

std::optional<ClockKind> read_clock(SpecReader& reader, const YamlNode& node) {
  if (node.text == "boost") return ClockKind::boost;
  if (node.text == "tensor") return ClockKind::tensor;
  reader.error(Code::unknown_name, node, "clock must be boost or tensor: the clock at which the peak is stated");
  return std::nullopt;
}

std::optional<DType> read_accumulator(SpecReader& reader, const YamlNode& node) {
  if (const auto type = find_dtype(node.text)) return type;
  reader.error(Code::unknown_dtype, node, fmt::format("unknown dtype \"{}\"", printable(node.text)),
               did_you_mean(node.text, dtype_names()));
  return std::nullopt;
}

bool is_integer(RateType type) { return type == RateType::int8 || type == RateType::int4; }

std::optional<Peak> read_peak(SpecReader& reader, const YamlNode& node, const std::string& what, RateType type) {
  YamlMap map(reader.document(), node, what, reader.errors());
  if (!map.ok()) return std::nullopt;
  const Dimension dimension = is_integer(type) ? Dimension::op_rate : Dimension::flop_rate;
  Peak peak;
  if (const YamlNode* dense = map.need("dense")) {
    if (const auto value = reader.quantity(*dense, what + " dense", dimension)) peak.dense = FlopRate(*value);
  }
  if (const YamlNode* sparse = map.find("sparse")) {
    if (const auto value = reader.quantity(*sparse, what + " sparse", dimension)) peak.sparse = FlopRate(*value);
  }
  if (const YamlNode* rate = map.find("fma_per_clock_per_sm")) {
    peak.fma_per_clock_per_sm = reader.plain(*rate, what + " rate");
  }
  if (const YamlNode* clock = map.find("clock")) peak.clock = read_clock(reader, *clock).value_or(ClockKind::boost);
  if (const YamlNode* sum = map.find("accumulate")) peak.accumulate = read_accumulator(reader, *sum);
  peak.origin = reader.origin(map);
  if (const YamlNode* rate = map.find("rate_source")) peak.rate_sources = reader.sources(*rate, "rate_source");
  map.close();
  return peak;
}

void read_peaks(SpecReader& reader, YamlMap& group, std::string_view kind, Peaks& peaks) {
  const YamlNode* table = group.find(kind);
  if (!table) return;
  if (!table->is_map()) {
    reader.error(Code::wrong_type, *table, fmt::format("{} must be a map of rate types to peaks", kind),
                 "write fp32: {dense: 66.9 TFLOP/s, source: <key>}");
    return;
  }
  for (std::size_t i = 0; i < table->items.size(); ++i) {
    const auto type = reader.rate_type(table->keys[i]);
    if (!type) continue;
    const std::string what = fmt::format("{} {}", kind, rate_name(*type));
    peaks[static_cast<std::size_t>(*type)] = read_peak(reader, table->items[i], what, *type);
  }
}

void read_all_peaks(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  const YamlNode* node = file.need("peaks");
  if (!node) return;
  const std::size_t before = reader.errors().size();
  read_group(reader, file, "peaks", [&](YamlMap& group) {
    read_peaks(reader, group, "vector", gpu.vector);
    read_peaks(reader, group, "tensor", gpu.tensor);
  });
  const auto given = [](const Peaks& peaks) {
    return std::any_of(peaks.begin(), peaks.end(), [](const auto& peak) { return peak.has_value(); });
  };
  if (given(gpu.vector) || given(gpu.tensor) || reader.errors().size() != before) return;
  reader.error(Code::missing_key, *node, "peaks needs at least one peak", "write vector: {fp32: {dense: 66.9 TFLOP/s, source: <key>}}");
}

std::optional<double> read_share(SpecReader& reader, const YamlNode& node, std::string_view what) {
  const auto share = reader.plain(node, what);
  if (!share || *share <= 1) return share;
  reader.error(Code::out_of_range, node, fmt::format("{} is a share of a ceiling: above 0, at most 1", what));
  return std::nullopt;
}

/// `attainable: {gemm: {bandwidth_share: 0.9, compute_share: 0.7, launch_floor: 3 us, source: ...}}`
void read_attainable(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  const YamlNode* table = file.find("attainable");
  if (!table) return;
  if (!table->is_map()) {
    reader.error(Code::wrong_type, *table, "attainable must be a map of op classes to shares");
    return;
  }
  for (std::size_t i = 0; i < table->items.size(); ++i) {
    YamlMap map(reader.document(), table->items[i], "an attainable share", reader.errors());
    if (!map.ok()) continue;
    AttainableShare share;
    share.op_class = table->keys[i].text;
    const YamlNode *bandwidth = map.need("bandwidth_share"), *compute = map.need("compute_share");
    const YamlNode* launch = map.need("launch_floor");
    if (bandwidth) share.bandwidth_share = read_share(reader, *bandwidth, "bandwidth_share").value_or(1);
    if (compute) share.compute_share = read_share(reader, *compute, "compute_share").value_or(1);
    if (launch) share.launch_floor = Seconds(reader.quantity(*launch, "launch_floor", Dimension::time).value_or(0));
    share.origin = reader.origin(map);
    map.close();
    gpu.attainable.push_back(std::move(share));
  }
}

/// The reasons must name figures that the entry has: a reason for nothing hides a typo.
void read_deviations(SpecReader& reader, YamlMap& file, Gpu& gpu) {
  const YamlNode* table = file.find("expected_deviations");
  if (!table) return;
  if (!table->is_map()) {
    reader.error(Code::wrong_type, *table, "expected_deviations must be a map of figures to reasons",
                 "write expected_deviations: {tensor/int8: \"why\"}");
    return;
  }
  for (std::size_t i = 0; i < table->items.size(); ++i) {
    const auto reason = read_text(reader.document(), table->items[i], "a reason", reader.errors());
    const std::string& figure = table->keys[i].text;
    if (!has_checked_figure(gpu, figure)) {
      reader.error(Code::unknown_name, table->keys[i], fmt::format("this entry has no figure \"{}\"", printable(figure)),
                   "write dram, vector/<type> or tensor/<type>");
    }
    if (reason) gpu.expected_deviations.push_back({figure, *reason});
  }
}

}  // namespace

bool is_spec_id(std::string_view id) {
  bool word = false;  // inside a word: a hyphen may follow
  for (const char c : id) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && !(c == '-' && word)) return false;
    word = letter;
  }
  return word;
}

std::optional<LaunchFloor> read_launch_floor(SpecReader& reader, YamlMap& parent) {
  std::optional<LaunchFloor> floor;
  read_group(reader, parent, "launch_floor", [&](YamlMap& map) {
    const auto time = [&](std::string_view key) {
      map.need(key);
      return reader.measure<Seconds>(map, key, fmt::format("launch floor of a {}", key), Dimension::time);
    };
    const auto stream = time("stream"), graph = time("graph");
    if (stream && graph) floor = LaunchFloor{*stream, *graph};
  });
  return floor;
}

Checked<Gpu> read_gpu(const YamlDocument& document, const SpecReferences& references) {
  Errors errors;
  SpecReader reader(document, references.source_keys, errors);
  YamlMap file(document, document.root(), "a GPU", errors);
  if (!file.ok()) return tl::unexpected(errors);
  Gpu gpu;
  reader.schema(file, "roofline.gpu/1");
  if (const YamlNode* node = file.find("sources")) reader.add_own_sources(*node);
  gpu.own_sources = reader.own_sources();
  read_identity(reader, file, gpu);
  read_architecture_name(reader, file, references, gpu);
  read_units(reader, file, gpu);
  read_memory(reader, file, gpu);
  read_all_peaks(reader, file, gpu);
  gpu.launch_floor = read_launch_floor(reader, file);
  read_attainable(reader, file, gpu);
  read_deviations(reader, file, gpu);
  file.close();
  if (!errors.empty()) return tl::unexpected(errors);
  if (gpu.chip) {
    gpu.tensor_unsupported = gpu.chip->tensor_unsupported;
    gpu.vector_unsupported = gpu.chip->vector_unsupported;
  }
  derive_mma_sync(gpu);
  return gpu;
}

}  // namespace roofline
