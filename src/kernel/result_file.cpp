#include <algorithm>
#include <array>

#include "kernel/quoted.hpp"
#include "kernel/result_fields.hpp"
#include "roofline/base/input.hpp"
#include "roofline/kernel/result.hpp"

namespace roofline {
namespace {

// ---------------------------------------------------------------- values

template <class T>
struct FieldsOf;  // the table of a struct's keys

void take(FieldReader& reader, const YamlNode& node, std::string_view key, std::string& value) {
  if (node.is_scalar())
    value = node.text;
  else
    reader.reading().report_kind(node, key, "a text");
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<bool>& value) {
  if (node.is_scalar() && !node.quoted && (node.text == "true" || node.text == "false"))
    value = node.text == "true";
  else
    reader.reading().report_kind(node, key, "true or false");
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key, bool& value) {
  std::optional<bool> flag;
  take(reader, node, key, flag);
  value = flag.value_or(value);
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key, double& value) {
  value = reader.number(node, key).value_or(value);
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key, std::int64_t& value) {
  value = reader.integer(node, key).value_or(value);
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<double>& value) {
  value = reader.number(node, key);
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<std::int64_t>& value) {
  value = reader.integer(node, key);
}

template <int F, int B, int S>
void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<Quantity<F, B, S>>& value) {
  if (const auto number = reader.number(node, key)) value = Quantity<F, B, S>(*number);
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<Extent>& value) {
  if (!reader.is_list(node, key)) return;
  if (node.items.size() != std::tuple_size_v<Extent>)
    return reader.reading().report_kind(node, key, "three whole numbers: x, y and z");
  Extent extent{};
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const auto part = reader.integer(node.items[i], key);
    if (!part) return;
    extent[i] = *part;
  }
  value = extent;
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key, Timing& value) {
  std::string name;
  take(reader, node, key, name);
  if (const auto timing = find_timing(name))
    value = *timing;  // one that is not known decides nothing
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::vector<std::string>& names) {
  if (!reader.is_list(node, key)) return;
  for (const auto& item : node.items) take(reader, item, key, names.emplace_back());
}

void take(FieldReader& reader, const YamlNode& node, std::string_view key, NamedFigures& figures) {
  if (!reader.is_map(node, key)) return;
  figures.reserve(node.items.size());
  for (std::size_t i = 0; i < node.items.size() && !reader.gave_up(); ++i)
    if (const auto value = reader.number(node.items[i], node.keys[i].text))
      figures.emplace_back(node.keys[i].text, *value);
}

template <class Struct>
auto take(FieldReader& reader, const YamlNode& node, std::string_view key, Struct& value)
    -> decltype(FieldsOf<Struct>::table(), void()) {
  if (!reader.is_map(node, key)) return;
  read_fields<Struct>(reader, node, FieldsOf<Struct>::table(), value);
}

template <class Struct>
auto take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::optional<Struct>& value) -> decltype(FieldsOf<Struct>::table(), void()) {
  take(reader, node, key, value.emplace());
}

template <class Struct>
auto take(FieldReader& reader, const YamlNode& node, std::string_view key,
          std::vector<Struct>& list) -> decltype(FieldsOf<Struct>::table(), void()) {
  if (!reader.is_list(node, key)) return;
  list.reserve(std::min(node.items.size(), kMostResultRecords));
  for (const auto& item : node.items) {
    if (reader.gave_up() || !reader.take_record(item)) return;
    take(reader, item, key, list.emplace_back());
    if constexpr (requires(Struct & s) { s.line; }) list.back().line = item.line;
  }
}

// ---------------------------------------------------------------- tables

template <class Member>
struct OwnerOf;
template <class Struct, class Value>
struct OwnerOf<Value Struct::*> {
  using Type = Struct;
};

/// How the value of a key becomes the member of that name.
template <auto Member>
void into(FieldReader& reader, const YamlNode& node, std::string_view key,
          typename OwnerOf<decltype(Member)>::Type& owner) {
  take(reader, node, key, owner.*Member);
}

template <>
struct FieldsOf<RunTimes> {
  static std::span<const Field<RunTimes>> table() {
    using T = RunTimes;
    static constexpr Field<T> kFields[] = {
        {"launches", &into<&T::launches>}, {"median_s", &into<&T::median>},
        {"min_s", &into<&T::min>},         {"q1_s", &into<&T::q1>},
        {"q3_s", &into<&T::q3>},           {"max_s", &into<&T::max>},
    };
    return kFields;
  }
};

template <>
struct FieldsOf<ResultRemark> {
  static std::span<const Field<ResultRemark>> table() {
    using T = ResultRemark;
    static constexpr Field<T> kFields[] = {{"code", &into<&T::code>}, {"text", &into<&T::text>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultMeasurement> {
  static std::span<const Field<ResultMeasurement>> table() {
    using T = ResultMeasurement;
    static constexpr Field<T> kFields[] = {
        {"time_s", &into<&T::time>},
        {"timing", &into<&T::timing>},
        {"samples", &into<&T::samples>},
        {"runs", &into<&T::runs>},
        {"dram_bytes", &into<&T::dram_bytes>},
        {"dram_read_bytes", &into<&T::dram_read>},
        {"dram_written_bytes", &into<&T::dram_written>},
        {"excess_traffic", &into<&T::excess_traffic>},
        {"dram_busy", &into<&T::dram_busy>},
        {"fraction_of_ceiling", &into<&T::fraction_of_ceiling>},
        {"status", &into<&T::status>},
        {"l2_bytes", &into<&T::l2_bytes>},
        {"l1_bytes", &into<&T::l1_bytes>},
        {"shared_bytes_moved", &into<&T::shared_bytes_moved>},
        {"flops_by_pipe", &into<&T::flops_by_pipe>},
        {"sfu_ops", &into<&T::sfu_ops>},
        {"int_ops", &into<&T::int_ops>},
        {"coalescing", &into<&T::coalescing>},
        {"bank_conflicts", &into<&T::bank_conflicts>},
        {"occupancy", &into<&T::occupancy>},
        {"issue_active", &into<&T::issue_active>},
        {"l2_hit", &into<&T::l2_hit>},
        {"counters", &into<&T::counters>},
        {"causes", &into<&T::causes>},
    };
    return kFields;
  }
};

struct SpecPlace {
  std::string file;
  std::int64_t line = 0;
};
template <>
struct FieldsOf<SpecPlace> {
  static std::span<const Field<SpecPlace>> table() {
    using T = SpecPlace;
    static constexpr Field<T> kFields[] = {{"file", &into<&T::file>}, {"line", &into<&T::line>}};
    return kFields;
  }
};
/// `spec` of a profile, `source` of a described kernel: the same place.
void read_place(FieldReader& reader, const YamlNode& node, std::string_view key,
                ResultKernel& kernel) {
  SpecPlace place;
  take(reader, node, key, place);
  if (place.file.empty()) return;
  kernel.spec_file = std::move(place.file);
  kernel.spec_line = place.line;
}

template <>
struct FieldsOf<ResultKernel> {
  static std::span<const Field<ResultKernel>> table() {
    using T = ResultKernel;
    static constexpr Field<T> kFields[] = {
        {"id", &into<&T::id>},
        {"name", &into<&T::name>},
        {"full_name", &into<&T::full_name>},
        {"operation", &into<&T::operation>},
        {"kind", &into<&T::kind>},
        {"grid", &into<&T::grid>},
        {"block", &into<&T::block>},
        {"shared_bytes", &into<&T::shared_bytes>},
        {"registers", &into<&T::registers>},
        {"spill_bytes", &into<&T::spill_bytes>},
        {"local_bytes", &into<&T::local_bytes>},
        {"code_hash", &into<&T::code_hash>},
        {"time_share", &into<&T::time_share>},
        {"matched", &into<&T::matched>},
        {"ranges", &into<&T::in_ranges>},
        {"spec", &read_place},
        {"source", &read_place},
        {"launches", &into<&T::launches>},
        {"time_floor_s", &into<&T::time_floor>},
        {"bytes", &into<&T::bytes>},
        {"flops", &into<&T::flops>},
        {"intensity_flop_per_byte", &into<&T::intensity>},
        {"bound", &into<&T::bound>},
        {"limiter", &into<&T::limiter>},
        {"confidence", &into<&T::confidence>},
        {"balanced", &into<&T::balanced>},
        {"balanced_with", &into<&T::balanced_with>},
        {"resource_time_s", &into<&T::resource_times>},
        {"pipe", &into<&T::pipe>},
        {"attainable_time_s", &into<&T::attainable>},
        {"point", &into<&T::point>},
        {"levers", &into<&T::levers>},
        {"notes", &into<&T::notes>},
        {"measured", &into<&T::measured>},
    };
    return kFields;
  }
};

template <>
struct FieldsOf<RangeRun> {
  static std::span<const Field<RangeRun>> table() {
    using T = RangeRun;
    static constexpr Field<T> kFields[] = {{"launches", &into<&T::launches>},
                                           {"time_s", &into<&T::time>},
                                           {"idle_s", &into<&T::idle>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultRange> {
  static std::span<const Field<ResultRange>> table() {
    using T = ResultRange;
    static constexpr Field<T> kFields[] = {{"name", &into<&T::name>}, {"runs", &into<&T::runs>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultProgram> {
  static std::span<const Field<ResultProgram>> table() {
    using T = ResultProgram;
    static constexpr Field<T> kFields[] = {{"command", &into<&T::command>},
                                           {"runs", &into<&T::runs>},
                                           {"exit_code", &into<&T::exit_code>},
                                           {"signal", &into<&T::signal>}};
    return kFields;
  }
};

struct Clocks {
  std::optional<double> min, median, max;
};
template <>
struct FieldsOf<Clocks> {
  static std::span<const Field<Clocks>> table() {
    using T = Clocks;
    static constexpr Field<T> kFields[] = {
        {"min", &into<&T::min>}, {"median", &into<&T::median>}, {"max", &into<&T::max>}};
    return kFields;
  }
};
void read_clocks(FieldReader& reader, const YamlNode& node, std::string_view key,
                 ResultEnvironment& environment) {
  Clocks clocks;
  take(reader, node, key, clocks);
  environment.clock_min_mhz = clocks.min;
  environment.clock_median_mhz = clocks.median;
  environment.clock_max_mhz = clocks.max;
}

template <>
struct FieldsOf<ResultEnvironment> {
  static std::span<const Field<ResultEnvironment>> table() {
    using T = ResultEnvironment;
    static constexpr Field<T> kFields[] = {
        {"driver", &into<&T::driver>},
        {"cuda", &into<&T::cuda>},
        {"mig", &into<&T::mig>},
        {"method", &into<&T::method>},
        {"power_limit_w", &into<&T::power_limit_w>},
        {"ecc", &into<&T::ecc>},
        {"sm_clock_mhz", &read_clocks},
        {"throttled_share", &into<&T::throttled_share>},
        {"other_processes", &into<&T::other_processes>},
        {"cold", &into<&T::cold>},
    };
    return kFields;
  }
};

template <>
struct FieldsOf<ResultCeiling> {
  static std::span<const Field<ResultCeiling>> table() {
    using T = ResultCeiling;
    static constexpr Field<T> kFields[] = {
        {"resource", &into<&T::resource>}, {"kind", &into<&T::kind>},
        {"value", &into<&T::per_second>},  {"unit", &into<&T::unit>},
        {"sparse", &into<&T::sparse>},     {"mma_sync", &into<&T::mma_sync>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultCalibration> {
  static std::span<const Field<ResultCalibration>> table() {
    using T = ResultCalibration;
    static constexpr Field<T> kFields[] = {{"source", &into<&T::source>},
                                           {"date", &into<&T::date>},
                                           {"device", &into<&T::device>},
                                           {"driver", &into<&T::driver>},
                                           {"sustained", &into<&T::sustained>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultGpu> {
  static std::span<const Field<ResultGpu>> table() {
    using T = ResultGpu;
    static constexpr Field<T> kFields[] = {{"id", &into<&T::id>},
                                           {"name", &into<&T::name>},
                                           {"ceilings", &into<&T::ceilings>},
                                           {"calibration", &into<&T::calibration>}};
    return kFields;
  }
};

template <>
struct FieldsOf<ResultLoss> {
  static std::span<const Field<ResultLoss>> table() {
    using T = ResultLoss;
    static constexpr Field<T> kFields[] = {{"reason", &into<&T::reason>},
                                           {"count", &into<&T::count>}};
    return kFields;
  }
};

struct Coverage {
  std::vector<ResultLoss> lost;
};
template <>
struct FieldsOf<Coverage> {
  static std::span<const Field<Coverage>> table() {
    static constexpr Field<Coverage> kFields[] = {{"lost", &into<&Coverage::lost>}};
    return kFields;
  }
};
void read_coverage(FieldReader& reader, const YamlNode& node, std::string_view key,
                   ResultRecord& record) {
  Coverage coverage;
  take(reader, node, key, coverage);
  record.lost = std::move(coverage.lost);
}

struct Totals {
  std::optional<Seconds> time;
};
template <>
struct FieldsOf<Totals> {
  static std::span<const Field<Totals>> table() {
    static constexpr Field<Totals> kFields[] = {{"time_s", &into<&Totals::time>}};
    return kFields;
  }
};
void read_totals(FieldReader& reader, const YamlNode& node, std::string_view key,
                 ResultRecord& record) {
  Totals totals;
  take(reader, node, key, totals);
  record.kernel_time = totals.time;
}

struct Tool {
  std::string version;
};
template <>
struct FieldsOf<Tool> {
  static std::span<const Field<Tool>> table() {
    static constexpr Field<Tool> kFields[] = {{"version", &into<&Tool::version>}};
    return kFields;
  }
};
void read_tool(FieldReader& reader, const YamlNode& node, std::string_view key,
               ResultRecord& record) {
  Tool tool;
  take(reader, node, key, tool);
  record.tool_version = std::move(tool.version);
}

template <>
struct FieldsOf<ResultRecord> {
  static std::span<const Field<ResultRecord>> table() {
    using T = ResultRecord;
    static constexpr Field<T> kFields[] = {
        {"tool", &read_tool},
        {"gpu", &into<&T::gpu>},
        {"program", &into<&T::program>},
        {"environment", &into<&T::environment>},
        {"ranges", &into<&T::ranges>},
        {"kernels", &into<&T::kernels>},
        {"coverage", &read_coverage},
        {"totals", &read_totals},
        {"complete", &into<&T::complete>},
        {"simulated", &into<&T::simulated>},
    };
    return kFields;
  }
};

// ---------------------------------------------------------------- documents

constexpr std::string_view kSchema = "roofline.result/1";

/// Whether the document says that it is a result of this version; otherwise one error.
bool has_schema(FieldReader& reader, const YamlNode& root) {
  auto& reading = reader.reading();
  if (!root.is_map()) {
    reading.report_kind(root, "a result", "a map", "roofline profile -o run.json writes one");
    return false;
  }
  const auto* schema = root.find("schema");
  if (schema == nullptr) {
    reading.report(Code::missing_key, root, "this is no roofline result: it has no \"schema\"",
                   "roofline profile -o run.json and roofline analyze --json write results");
    return false;
  }
  if (schema->is_scalar() && schema->text == kSchema) return true;
  const std::string found = schema->is_scalar() ? quoted(schema->text) : "no text";
  reading.report(Code::wrong_type, *schema,
                 "the schema is " + found + "; this program reads \"" + std::string(kSchema) + '"',
                 "write the result again with this version of roofline");
  return false;
}

void complete(ResultRecord& record, const std::string& file) {
  record.file = file;
  for (auto& kernel : record.kernels)
    if (kernel.id.empty()) kernel.id = kernel.name;
}

void read_record(FieldReader& reader, const YamlNode& node, std::vector<ResultRecord>& records) {
  if (!reader.take_record(node)) return;
  take(reader, node, "a result", records.emplace_back());
  complete(records.back(), reader.reading().document().file());
}

}  // namespace

const ResultRange* ResultRecord::find_range(std::string_view name) const {
  for (const auto& range : ranges)
    if (range.name == name) return &range;
  return nullptr;
}

YamlLimits result_limits() { return {.bytes = kMostResultBytes, .depth = kMostResultDepth}; }

Checked<std::vector<ResultRecord>> read_results(const YamlDocument& document) {
  Errors errors;
  FieldReader reader(document, errors, kMostResultRecords);
  std::vector<ResultRecord> records;
  const auto& root = document.root();
  if (has_schema(reader, root)) {
    const auto* several = root.find("results");
    if (several == nullptr)
      read_record(reader, root, records);
    else if (reader.is_list(*several, "results"))
      for (const auto& node : several->items)
        if (!reader.gave_up()) read_record(reader, node, records);
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return records;
}

Checked<std::vector<ResultRecord>> read_result_file(const std::string& path) {
  auto content = read_input(path, kMostResultBytes);
  if (!content) return tl::unexpected(Errors{std::move(content.error())});
  const auto document =
      read_yaml(std::move(*content), path == "-" ? "stdin" : path, result_limits());
  if (!document) return tl::unexpected(document.error());
  return read_results(*document);
}

}  // namespace roofline
