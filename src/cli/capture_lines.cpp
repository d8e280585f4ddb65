#include "cli/capture_lines.hpp"

#include <array>
#include <cmath>
#include <unordered_map>

#include "report/json_writer.hpp"
#include "roofline/kernel/operation.hpp"

namespace roofline::cli {
namespace {

constexpr std::array<std::string_view, 8> kCopyKinds = {
    "unknown", "host_to_device", "device_to_host", "device_to_device",
    "peer",    "host_to_host",   "array",          "set"};
constexpr std::array<std::string_view, 8> kRoles = {
    "other", "kernel_launch", "graph_launch", "copy", "set", "allocation", "wait", "module_load"};

template <std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, std::uint64_t index) {
  return index < N ? words[index] : words[0];
}

class Lines final : public CaptureVisitor {
 public:
  explicit Lines(const TextSink& sink) : json_(sink) {}

  void header(const CaptureHeader& header) {
    begin("capture");
    json_.text("schema", capture::kSchema);
    json_.text("command", header.command);
    if (!header.host.empty()) json_.text("host", header.host);
    json_.text("mode", header.mode);
    if (!header.imported_from.empty()) json_.text("imported_from", header.imported_from);
    if (!header.cut.empty()) json_.text("cut", header.cut);
    if (header.rank) json_.count("rank", Count(*header.rank));
    if (header.world_size) json_.count("world_size", Count(*header.world_size));
    json_.count("pid", Count(header.pid));
    json_.count("run", Count(header.run));
    end();
  }

  void record(const capture::Text& text) override { texts_[text.id] = text.value; }
  void record(const capture::Shape& shape) override { shapes_[shape.id] = shape; }
  void record(const capture::Operation& operation) override {
    Operation content;
    if (unpack(
            operation.content, [&](std::uint64_t id) -> const std::string& { return text(id); },
            content))
      operations_[operation.id] = operation_text(content);
  }
  void record(const capture::Device& device) override {
    begin("device");
    json_.count("ordinal", Count(device.ordinal));
    json_.text("name", text(device.name));
    number("sm_count", device.sm_count);
    number("memory_bytes", device.memory_bytes);
    number("l2_bytes", device.l2_bytes);
    number("bus_width_bits", device.bus_width_bits);
    if (device.major != 0)
      json_.text("compute_capability",
                 std::to_string(device.major) + "." + std::to_string(device.minor));
    end();
  }
  void record(const capture::Launch& launch) override {
    begin("launch");
    kernel(launch.shape);
    times(launch.start, launch.end);
    json_.count("stream", Count(launch.stream));
    number("correlation", launch.correlation);
    number("graph", launch.graph);
    if (launch.operation != 0) json_.text("operation", operations_[launch.operation]);
    end();
  }
  void record(const capture::Graph& graph) override {
    begin("graph");
    json_.count("graph", Count(graph.graph));
    times(graph.start, graph.end);
    number("correlation", graph.correlation);
    end();
  }
  void record(const capture::Copy& copy) override {
    begin("copy");
    json_.text("kind", word(kCopyKinds, copy.kind));
    json_.count("bytes", Count(copy.bytes));
    times(copy.start, copy.end);
    json_.count("stream", Count(copy.stream));
    end();
  }
  void record(const capture::Api& api) override {
    begin("api");
    json_.text("role", word(kRoles, api.role));
    times(api.start, api.end);
    json_.count("thread", Count(api.thread));
    number("correlation", api.correlation);
    end();
  }
  void record(const capture::Overhead& overhead) override {
    begin("overhead");
    times(overhead.start, overhead.end);
    end();
  }
  void record(const capture::Wait& wait) override {
    begin("wait");
    times(wait.start, wait.end);
    end();
  }
  void record(const capture::Range& range) override {
    begin("range");
    json_.text("name", text(range.name));
    times(range.start, range.end);
    json_.count("thread", Count(range.thread));
    end();
  }
  void record(const capture::Counters& counters) override {
    begin("counters");
    kernel(counters.shape);
    json_.count("occurrence", Count(counters.occurrence));
    values(counters.metrics, counters.values);
    end();
  }
  void record(const capture::Sample& sample) override {
    begin("sample");
    json_.count("device", Count(sample.device));
    times(sample.start, sample.end);
    values(sample.metrics, sample.values);
    end();
  }
  void record(const capture::Summary& summary) override {
    begin("summary");
    kernel(summary.shape);
    json_.count("launches", Count(summary.launches));
    constexpr std::array<JsonKey, 5> kKeys = {"total_s", "mean_s", "median_s", "least_s", "most_s"};
    for (std::size_t i = 0; i < kKeys.size() && i < summary.seconds.size(); ++i)
      json_.number(kKeys[i], summary.seconds[i]);
    if (summary.operation != 0) json_.text("operation", operations_[summary.operation]);
    end();
  }
  void record(const capture::Loss& loss) override {
    begin("lost");
    json_.text("reason", text(loss.reason));
    json_.count("count", Count(loss.count));
    end();
  }
  void record(const capture::Status& status) override {
    begin("status");
    json_.text("what", text(status.what));
    if (status.detail != 0) json_.text("detail", text(status.detail));
    end();
  }
  void record(const capture::Code& code) override {
    begin("code");
    json_.text("name", text(code.name));
    json_.count("sm", Count(code.sm));
    json_.count("registers", Count(code.registers));
    json_.count("spill_bytes", Count(code.spill_bytes));
    end();
  }
  void record(const capture::End& end_record) override {
    begin("end");
    json_.text("reason", text(end_record.reason));
    end();
  }
  void flush() { json_.flush(); }

 private:
  const std::string& text(std::uint64_t id) { return texts_[id]; }
  void begin(std::string_view what) {
    json_.begin_object();
    json_.text("record", what);
  }
  void end() {
    json_.end_object();
    json_.end_line();
  }
  void times(std::uint64_t start, std::uint64_t end) {
    json_.count("start_ns", Count(start));
    json_.count("end_ns", Count(end));
  }
  void number(JsonKey key, std::uint64_t value) {
    if (value != 0) json_.count(key, Count(value));
  }
  void kernel(std::uint64_t id) {
    const auto& shape = shapes_[id];
    json_.text("kernel", text(shape.name));
    for (const auto& [key, sizes] :
         {std::pair(JsonKey("grid"), shape.grid), std::pair(JsonKey("block"), shape.block)}) {
      json_.begin_array(key);
      for (const auto size : sizes) json_.count(Count(size));
      json_.end_array();
    }
    json_.count("device", Count(shape.device));
  }
  void values(const std::vector<std::uint64_t>& metrics, const std::vector<double>& list) {
    json_.begin_map("values");
    for (std::size_t i = 0; i < metrics.size() && i < list.size(); ++i)
      json_.number(JsonKey::named(text(metrics[i])), list[i]);
    json_.end_object();
  }

  JsonWriter json_;
  std::unordered_map<std::uint64_t, std::string> texts_, operations_;
  std::unordered_map<std::uint64_t, capture::Shape> shapes_;
};

}  // namespace

Checked<void> write_capture_lines(const CaptureSource& source, const TextSink& sink) {
  auto file = CaptureFile::open(source);
  if (!file) return tl::unexpected(std::move(file.error()));
  Lines lines(sink);
  lines.header(file->header());
  if (const auto tally = file->read(lines); !tally) return tl::unexpected(Errors{tally.error()});
  lines.flush();
  return {};
}

}  // namespace roofline::cli
