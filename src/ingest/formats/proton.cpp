#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ingest/formats/formats.hpp"
#include "ingest/json_cursor.hpp"
#include "ingest/read_text.hpp"

/// Triton's Proton, .hatchet: a tree of scopes whose leaves are kernels, each with how often it ran
/// and how long in all, and the FLOPs and bytes that the program's author declared. Then the
/// devices. https://github.com/triton-lang/triton, third_party/proton.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;
constexpr std::size_t kMostNodes = 5'000'000;
constexpr int kDeepest = 512;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kHook = "__proton_launch_metadata";

struct Node {
  std::string name, device_type, device_id;
  std::map<std::string, double> metrics;
  std::vector<Node*> children;
  bool whole = false;  ///< the file does not end inside of it
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Reader {
 public:
  Reader(std::string_view text, ImportSink& sink) : cursor_(text), sink_(sink) {}

  Result<void> read(const std::string& file) {
    sink_.tool("Triton Proton");
    std::vector<Node*> roots;
    cursor_.array([&] {
      // A tree has frames, what is behind it has devices.
      const auto element = cursor_.value();
      JsonCursor inside(element);
      if (element.find("\"frame\"") != std::string_view::npos)
        roots.push_back(read_node(inside, 0));
      else
        read_devices(inside);
      failed_ = failed_ || inside.failed();
    });
    if (too_deep_)
      return fail(
          Code::limit_exceeded, {file, 0, 0, 1, {}, 0},
          fmt::format("scopes lie deeper than {}, or are more than {}", kDeepest, kMostNodes),
          "is this a tree of Proton?");
    if (roots.empty() && (failed_ || cursor_.failed()))
      return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0},
                  fmt::format("this file is cut, or no JSON, behind byte {}", cursor_.offset()),
                  "proton.finalize() writes it: did the program come that far?");
    for (const auto* root : roots) walk(*root, {}, false);
    sink_.lose("gpu_not_named");
    if (hooked_ > 0) sink_.lose("launches_of_proton_itself", hooked_);
    if (failed_ || cursor_.failed()) sink_.truncated(fmt::format("after kernel {}", kernels_));
    return {};
  }

 private:
  Node* read_node(JsonCursor& json, int depth) {
    if (depth > kDeepest || nodes_.size() >= kMostNodes) {
      too_deep_ = true;
      json.skip();
      return nullptr;
    }
    auto& node = nodes_.emplace_back();
    json.object([&](std::string_view key) {
      if (key == "children")
        json.array([&] {
          if (auto* child = read_node(json, depth + 1)) node.children.push_back(child);
        });
      else if (key == "frame")
        json.object(
            [&](std::string_view part) { part == "name" ? json.text(node.name) : json.skip(); });
      else if (key == "metrics")
        json.object([&](std::string_view metric) { read_metric(json, metric, node); });
      else
        json.skip();
    });
    node.whole = !json.failed();
    return &node;
  }

  static void read_metric(JsonCursor& json, std::string_view metric, Node& node) {
    if (metric == "device_type")
      json.text(node.device_type);
    else if (metric == "device_id")
      json.text(node.device_id);
    else if (const auto value = json.real())
      node.metrics[std::string(metric)] = *value;
  }

  /// {"CUDA": {"0": {"arch": "89", "num_sms": 128, ...}}}
  void read_devices(JsonCursor& json) {
    json.object([&](std::string_view type) {
      json.object([&](std::string_view id) {
        capture::Device device;
        device.ordinal = number(id);
        std::string arch;
        json.object([&](std::string_view fact) {
          if (fact == "arch")
            json.text(arch);
          else if (fact == "num_sms")
            device.sm_count = json.whole();
          else if (fact == "bus_width")
            device.bus_width_bits = json.whole();
          else if (fact == "clock_rate")
            device.sm_clock_khz = json.whole();
          else if (fact == "memory_clock_rate")
            device.memory_clock_khz = json.whole();
          else
            json.skip();
        });
        if (type == "CUDA") {
          device.major = number(arch) / 10;
          device.minor = number(arch) % 10;
        }
        sink_.add(device);
      });
    });
  }

  /// `declared`: work that a scope above names for all that runs in it, where that is one kernel.
  void walk(const Node& node, std::map<std::string, double> declared, bool hooked) {
    hooked = hooked || node.name == kHook;
    const auto time = node.metrics.find("time (ns)");
    for (const auto& [metric, value] : node.metrics)
      if (metric == "bytes" || metric.starts_with("flops")) declared[metric] = value;
    // A scope that has a time has that of the kernels in it, and no device.
    const bool kernel = !node.device_type.empty() || node.children.empty();
    if (node.whole && kernel && time != node.metrics.end() && time->second > 0)
      add(node, time->second, declared, hooked);
    if (node.children.size() != 1) declared.clear();
    for (const auto* child : node.children) walk(*child, declared, hooked);
  }

  void add(const Node& node, double total_ns, const std::map<std::string, double>& declared,
           bool hooked) {
    const auto count = node.metrics.find("count");
    const double launches =
        count != node.metrics.end() && count->second >= 1 ? std::floor(count->second) : 1;
    capture::Summary summary;
    summary.shape = sink_.shape(node.name, {}, {}, number(node.device_id));
    summary.launches = static_cast<std::uint64_t>(std::min(launches, 9e18));
    summary.operation = work_of(declared, launches);
    summary.seconds = {total_ns / 1e9, kNone, kNone, kNone, kNone};
    sink_.add(summary);
    ++kernels_;
    if (hooked) ++hooked_;
  }

  /// Of one launch: the file has the sums over all of them.
  std::uint64_t work_of(const std::map<std::string, double>& declared, double launches) {
    Operation operation;
    operation.name = "declared";
    for (const auto& [metric, value] : declared) {
      if (value <= 0) continue;
      operation.attributes.emplace_back(metric, fmt::format("{}", value / launches));
    }
    return operation.attributes.empty() ? 0 : sink_.operation(operation);
  }

  JsonCursor cursor_;
  ImportSink& sink_;
  std::deque<Node> nodes_;
  bool too_deep_ = false, failed_ = false;
  std::uint64_t kernels_ = 0, hooked_ = 0;
};

}  // namespace

/// A list whose first member is a tree of frames.
bool is_proton(const FileHead& head) {
  const auto begin = head.bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || head.bytes[begin] != '[') return false;
  const auto has = [&](std::string_view word) {
    return head.bytes.find(word) != std::string::npos;
  };
  return has("\"frame\"") && has("\"metrics\"") && has("\"children\"");
}

Result<void> read_proton(const std::string& path, const ImportOptions&, ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  return Reader(*text, sink).read(path == "-" ? "<stdin>" : path);
}

}  // namespace roofline::formats
