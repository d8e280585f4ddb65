#include <fmt/format.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ingest/formats/formats.hpp"
#include "roofline/base/input.hpp"
#include "roofline/ingest/times.hpp"
#include "roofline/quantities/units.hpp"

/// The JSON of nvbench and of Google Benchmark, by the readers that gates use. nvbench knows its
/// GPU, and the bytes that a benchmark's author declared.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string_view text_of(const YamlNode& node, std::string_view key) {
  const auto* value = node.find(key);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}
double number_of(const YamlNode& node, std::string_view key) {
  const auto value = parse_number(text_of(node, key));
  return value && *value > 0 ? *value : 0;
}
std::uint64_t whole_of(const YamlNode& node, std::string_view key) {
  const auto value = number_of(node, key);
  return value < 9e18 ? static_cast<std::uint64_t>(value) : 0;
}

/// Bytes that a state says it reads and writes: the sum of its nv/gmem summaries.
double declared_bytes(const YamlNode& state) {
  double bytes = 0;
  if (const auto* summaries = state.find("summaries"))
    for (const auto& entry : summaries->items) {
      const auto tag = text_of(entry, "tag");
      if (!tag.starts_with("nv/gmem/reads") && !tag.starts_with("nv/gmem/writes")) continue;
      const auto* data = entry.find("data");
      if (data && !data->items.empty()) bytes += number_of(data->items.front(), "value");
    }
  return bytes;
}

class Writer {
 public:
  Writer(const YamlDocument& document, ImportSink& sink) : sink_(sink) {
    const auto& root = document.root();
    if (const auto* devices = root.find("devices"))
      for (const auto& device : devices->items) add_device(device);
    if (const auto* benchmarks = root.find("benchmarks"))
      for (const auto& benchmark : benchmarks->items)
        if (const auto* states = benchmark.find("states"))
          for (const auto& state : states->items)
            if (const auto bytes = declared_bytes(state); bytes > 0) bytes_[state.line] = bytes;
  }

  void write(const std::vector<ResultRecord>& records) {
    for (const auto& record : records) {
      const auto device = ordinals_.find(record.gpu.name);
      for (const auto& kernel : record.kernels)
        add(kernel, device == ordinals_.end() ? 0 : device->second);
      for (const auto& loss : record.lost)
        sink_.lose(
            loss.reason == "skipped by the benchmark" ? "benchmarks_skipped" : "benchmarks_failed",
            static_cast<std::uint64_t>(loss.count));
    }
    if (ordinals_.empty()) sink_.lose("gpu_not_named");
  }

 private:
  void add_device(const YamlNode& node) {
    capture::Device device;
    device.ordinal = whole_of(node, "id");
    device.name = sink_.text(text_of(node, "name"));
    const auto version = whole_of(node, "sm_version");  // 700 is 7.0
    device.major = version / 100;
    device.minor = version % 100 / 10;
    device.sm_count = whole_of(node, "number_of_sms");
    device.memory_bytes = whole_of(node, "global_memory_size");
    device.l2_bytes = whole_of(node, "l2_cache_size");
    device.bus_width_bits = whole_of(node, "global_memory_bus_width");
    device.sm_clock_khz = whole_of(node, "sm_default_clock_rate") / 1000;
    device.memory_clock_khz = whole_of(node, "global_memory_bus_peak_clock_rate") / 1000;
    device.ecc = text_of(node, "ecc_state") == "true" ? 1 : 0;
    sink_.add(device);
    ordinals_.try_emplace(std::string(text_of(node, "name")), device.ordinal);
  }

  void add(const ResultKernel& kernel, std::uint64_t device) {
    if (!kernel.measured) return;
    const auto bytes = bytes_.find(kernel.line);
    std::uint64_t operation = 0;
    if (bytes != bytes_.end()) {
      Operation declared;
      declared.name = "declared";
      declared.attributes.emplace_back("bytes", fmt::format("{}", bytes->second));
      operation = sink_.operation(declared);
    }
    for (const auto& run : kernel.measured->runs) {
      if (!run.median) continue;
      const double launches =
          run.launches && *run.launches > 0 ? static_cast<double>(*run.launches) : 1;
      const auto seconds = [](const std::optional<Seconds>& time) {
        return time ? time->value() : kNone;
      };
      capture::Summary summary;
      summary.shape = sink_.shape(kernel.name, {}, {}, device);
      summary.launches = static_cast<std::uint64_t>(launches);
      summary.operation = operation;
      summary.seconds = {run.median->value() * launches, kNone, run.median->value(),
                         seconds(run.min), seconds(run.max)};
      sink_.add(summary);
    }
  }

  ImportSink& sink_;
  std::map<std::string, std::uint64_t> ordinals_;
  std::map<int, double> bytes_;  // by the line of the state
};

template <class Read>
Result<void> read_harness(const std::string& path, ImportSink& sink, Read read) {
  auto text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(std::move(text.error()));
  auto document = read_yaml(std::move(*text), path == "-" ? "<stdin>" : path);
  if (!document) return tl::unexpected(document.error().front());
  if (!document->root().is_map() || !document->root().find("benchmarks"))
    return fail(Code::missing_key, document->where(document->root()),
                "this is no list of benchmarks: it has no key \"benchmarks\"",
                "nvbench --json FILE, or --benchmark_out=FILE, writes one");
  const auto records = read(*document);
  if (!records) return tl::unexpected(records.error().front());
  Writer(*document, sink).write(*records);
  return {};
}

bool begins_with_map(const FileHead& head) {
  const auto begin = head.bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return begin != std::string::npos && head.bytes[begin] == '{';
}

}  // namespace

bool is_nvbench_json(const FileHead& head) {
  const auto has = [&](std::string_view word) {
    return head.bytes.find(word) != std::string::npos;
  };
  return begins_with_map(head) && has("\"nvbench\"") && (has("\"meta\"") || has("\"devices\""));
}

Result<void> read_nvbench_json(const std::string& path, const ImportOptions&, ImportSink& sink) {
  sink.tool("nvbench");
  return read_harness(path, sink, read_nvbench);
}

bool is_google_benchmark(const FileHead& head) {
  const auto has = [&](std::string_view word) {
    return head.bytes.find(word) != std::string::npos;
  };
  return begins_with_map(head) && has("\"context\"") && has("\"benchmarks\"");
}

/// Its clock is the host's: what it times need not be of a GPU.
Result<void> read_google_benchmark_json(const std::string& path, const ImportOptions&,
                                        ImportSink& sink) {
  sink.tool("Google Benchmark");
  auto read = read_harness(path, sink, read_google_benchmark);
  if (read) sink.lose("times_of_the_host", sink.summaries());
  return read;
}

}  // namespace roofline::formats
