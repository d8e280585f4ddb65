#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ingest/run_samples.hpp"
#include "kernel/reading.hpp"
#include "roofline/ingest/times.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

/// Where nvbench keeps the time of isolated launches on the GPU; the first that a state has.
constexpr std::string_view kTimes[] = {"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean",
                                       "nv/batch/time/gpu/mean"};

std::string_view text_of(const YamlNode& node, std::string_view key) {
  const auto* value = node.find(key);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

class Reader {
 public:
  Reader(const YamlDocument& document, Errors& errors) : reading_(document, errors) {}

  std::vector<ResultRecord> read() {
    const auto& root = reading_.document().root();
    if (const auto* devices = root.find("devices"))
      for (const auto& device : devices->items)
        names_[std::string(text_of(device, "id"))] = text_of(device, "name");
    const auto* benchmarks = root.find("benchmarks");
    if (!benchmarks || !benchmarks->is_list()) {
      reading_.report(Code::missing_key, root, "nvbench's JSON has a list \"benchmarks\"");
      return {};
    }
    for (const auto& benchmark : benchmarks->items)
      if (const auto* states = benchmark.find("states"))
        for (const auto& state : states->items)
          read_state(std::string(text_of(benchmark, "name")), state);
    std::vector<ResultRecord> records;
    for (auto& [device, record] : by_device_) records.push_back(std::move(record));
    return records;
  }

 private:
  ResultRecord& record_of(const std::string& device) {
    const auto [at, is_new] = by_device_.try_emplace(device);
    if (is_new) {
      at->second.file = reading_.document().file();
      if (const auto name = names_.find(device); name != names_.end())
        at->second.gpu.name = name->second;
    }
    return at->second;
  }

  static void lose(ResultRecord& record, std::string_view reason) {
    for (auto& loss : record.lost)
      if (loss.reason == reason) {
        ++loss.count;
        return;
      }
    record.lost.push_back({std::string(reason), 1});
  }

  /// "copy[In=I8 Out=F32]": the axes without the device, which is the record's.
  static std::string name_of(const std::string& benchmark, const YamlNode& state) {
    std::string axes;
    if (const auto* values = state.find("axis_values"))
      for (const auto& axis : values->items)
        axes += fmt::format("{}{}={}", axes.empty() ? "" : " ", text_of(axis, "name"),
                            text_of(axis, "value"));
    return axes.empty() ? benchmark : fmt::format("{}[{}]", benchmark, axes);
  }

  void read_state(const std::string& benchmark, const YamlNode& state) {
    auto& record = record_of(std::string(text_of(state, "device")));
    if (text_of(state, "is_skipped") == "true") return lose(record, "skipped by the benchmark");
    RunTimes run;
    for (const auto tag : kTimes)
      if (!run.median)
        if (const auto value = summary(state, tag)) run.median = Seconds(*value);
    if (!run.median)
      return reading_.report(Code::missing_key, state, "a state has no GPU time",
                             "nvbench --json writes it as nv/cold/time/gpu/mean");
    if (const auto samples = summary(state, "nv/cold/sample_size"))
      run.launches = static_cast<std::int64_t>(*samples);
    record.kernels.push_back(measured_kernel(name_of(benchmark, state), {run}, Timing::event));
    record.kernels.back().line = state.line;
  }

  /// A figure by its tag; nvbench writes numbers as text.
  std::optional<double> summary(const YamlNode& state, std::string_view tag) {
    const auto* summaries = state.find("summaries");
    if (!summaries) return std::nullopt;
    for (const auto& entry : summaries->items) {
      if (text_of(entry, "tag") != tag) continue;
      const auto* data = entry.find("data");
      if (!data || data->items.empty()) return std::nullopt;
      const auto* value = data->items.front().find("value");
      if (!value || !value->is_scalar()) return std::nullopt;
      auto number = parse_number(value->text);
      if (number && *number > 0) return *number;
      if (number)
        reading_.report(Code::out_of_range, *value, std::string(tag) + " is not above zero");
      else
        reading_.report_inside(*value, std::move(number.error()));
      return 1.0;  // reported; the figure is not used
    }
    return std::nullopt;
  }

  Reading reading_;
  std::map<std::string, std::string> names_;
  std::map<std::string, ResultRecord> by_device_;
};

}  // namespace

Harness harness_of(const YamlDocument& document) {
  const auto& root = document.root();
  if (!root.is_map() || root.find("schema") || !root.find("benchmarks")) return Harness::none;
  if (root.find("devices") || root.find("meta")) return Harness::nvbench;
  return root.find("context") ? Harness::google_benchmark : Harness::none;
}

Checked<std::vector<ResultRecord>> read_nvbench(const YamlDocument& document) {
  Errors errors;
  auto records = Reader(document, errors).read();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return records;
}

}  // namespace roofline
