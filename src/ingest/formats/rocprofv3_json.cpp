#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingest/api_role.hpp"
#include "ingest/formats/amd_counters.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/rocprofv3_record.hpp"
#include "ingest/json_cursor.hpp"
#include "ingest/read_text.hpp"
#include "roofline/kernel/function_name.hpp"

/// rocprofv3 --output-format json: for each process its agents, the symbols of its kernels, and
/// records of dispatches, copies, calls and counters. What records refer to may stand behind them:
/// the text is walked twice.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::string_view kTool = "rocprofiler-sdk-tool";

struct Agent {
  bool gpu = false;
  std::uint64_t ordinal = 0;  ///< among the GPUs
  capture::Device facts;
  std::string name;
};

class Process {
 public:
  Process(const ImportOptions& options, ImportSink& sink) : options_(options), sink_(sink) {}

  void read(std::string_view text) {
    JsonCursor names(text);
    names.object([&](std::string_view key) {
      if (key == "metadata")
        read_metadata(names);
      else if (key == "agents")
        names.array([&] { read_agent(names); });
      else if (key == "kernel_symbols")
        names.array([&] { read_symbol(names); });
      else if (key == "counters")
        names.array([&] { read_counter(names); });
      else if (key == "strings")
        read_strings(names);
      else
        names.skip();
    });
    JsonCursor records(text);
    records.object([&](std::string_view key) {
      if (key == "buffer_records" || key == "callback_records")
        records.object([&](std::string_view kind) { read_records(records, kind); });
      else
        records.skip();
    });
    write_devices();
  }
  /// Kernels without a symbol.
  std::uint64_t unknown() const { return unknown_; }

 private:
  void read_metadata(JsonCursor& json) {
    json.object([&](std::string_view key) {
      if (key == "pid") {
        sink_.process(static_cast<long long>(json.whole() & 0x7fffffff));
      } else if (key == "command") {
        std::string line, word;
        json.array([&] {
          if (json.text(word)) line += (line.empty() ? "" : " ") + word;
        });
        sink_.command(line);
      } else if (key == "node") {
        json.object([&](std::string_view part) {
          std::string name;
          if (part == "hostname" && json.text(name))
            sink_.host(name);
          else if (part != "hostname")
            json.skip();
        });
      } else {
        json.skip();
      }
    });
  }

  void read_agent(JsonCursor& json) {
    Agent agent;
    std::uint64_t id = 0;
    std::string product, arch;
    json.object([&](std::string_view key) {
      if (key == "id")
        id = rocprof_handle(json);
      else if (key == "type")
        agent.gpu = json.whole() == 2;
      else if (key == "product_name")
        json.text(product);
      else if (key == "name")
        json.text(arch);
      else if (key == "cu_count")
        agent.facts.sm_count = json.whole();
      else if (key == "max_engine_clk_fcompute")
        agent.facts.sm_clock_khz = json.whole() * 1000;
      else
        json.skip();
    });
    agent.name = product.empty() ? arch : product;
    if (agent.gpu) agent.ordinal = gpus_++;
    agents_[id] = std::move(agent);
  }

  void read_symbol(JsonCursor& json) {
    std::uint64_t id = 0;
    std::string mangled, formatted;
    std::uint64_t registers = 0;
    json.object([&](std::string_view key) {
      if (key == "kernel_id")
        id = json.whole();
      else if (key == "kernel_name")
        json.text(mangled);
      else if (key == "formatted_kernel_name")
        json.text(formatted);
      else if (key == "arch_vgpr_count")
        registers = json.whole();
      else
        json.skip();
    });
    const std::string plain(amd_kernel_name(mangled));
    const bool opaque = plain.empty() || (plain.starts_with("_Z") && demangle(plain) == plain);
    symbols_[id] = {opaque && !formatted.empty() ? std::string(amd_kernel_name(formatted)) : plain,
                    registers};
  }

  void read_counter(JsonCursor& json) {
    std::uint64_t id = 0;
    std::string name;
    json.object([&](std::string_view key) {
      if (key == "id")
        id = rocprof_handle(json);
      else if (key == "name")
        json.text(name);
      else
        json.skip();
    });
    counters_[id] = name;
  }

  /// Names of operations, by the kind of a record and its operation.
  void read_strings(JsonCursor& json) {
    json.object([&](std::string_view key) {
      if (key != "buffer_records") {
        json.skip();
        return;
      }
      json.array([&] {
        auto& names = operations_.emplace_back();
        json.object([&](std::string_view part) {
          if (part != "operations") {
            json.skip();
            return;
          }
          json.array([&] { json.text(names.emplace_back()); });
        });
      });
    });
  }

  void read_records(JsonCursor& json, std::string_view kind) {
    json.array([&] {
      const bool wanted = kind == "kernel_dispatch" || kind == "memory_copy" ||
                          kind == "counter_collection" || kind == "hip_api" ||
                          kind == "hip_runtime_api";
      if (!wanted) {
        json.skip();
        return;
      }
      const auto record = read_rocprof_record(json);
      if (json.failed()) return;  // the file ends inside of it
      if (kind == "kernel_dispatch")
        add_dispatch(record);
      else if (kind == "memory_copy")
        add_copy(record);
      else if (kind == "counter_collection")
        add_counters(record);
      else
        add_call(record);
    });
  }

  std::uint64_t device_of(std::uint64_t agent) {
    const auto known = agents_.find(agent);
    if (known == agents_.end() || !known->second.gpu) return 0;
    if (std::find(used_.begin(), used_.end(), agent) == used_.end()) used_.push_back(agent);
    return known->second.ordinal;
  }

  std::uint64_t shape_of(const RocprofRecord& record) {
    capture::Shape shape;
    if (const auto symbol = symbols_.find(record.kernel); symbol != symbols_.end()) {
      shape.name = sink_.text(symbol->second.first);
      shape.registers = symbol->second.second;
    } else {
      ++unknown_;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const auto group = std::max<std::uint64_t>(record.group[i], 1);
      shape.block[i] = record.group[i];
      shape.grid[i] = record.grid[i] / group + (record.grid[i] % group != 0 ? 1 : 0);  // of groups
    }
    shape.static_shared_bytes = record.shared;
    shape.local_bytes_per_thread = record.scratch;
    shape.device = device_of(record.agent);
    return sink_.shape(shape);
  }

  void add_dispatch(const RocprofRecord& record) {
    capture::Launch launch;
    launch.shape = shape_of(record);
    launch.stream = record.queue;
    launch.start = record.start;
    launch.end = record.end;
    launch.correlation = record.correlation;
    sink_.add(launch);
    if ((sink_.launches() & 0xffff) == 0 && options_.progress)
      options_.progress(0, sink_.launches());
  }

  void add_counters(const RocprofRecord& record) {
    std::map<std::string, double, std::less<>> values;
    for (const auto& [id, value] : record.counters) {
      const auto named = counters_.find(id);
      if (named != counters_.end()) values[named->second] += value;
    }
    capture::Counters counters;
    counters.shape = shape_of(record);
    counters.occurrence = occurrences_[counters.shape]++;
    auto metrics = translated_amd_counters(values);
    metrics.insert(metrics.end(), values.begin(), values.end());
    for (const auto& [metric, value] : metrics) {
      counters.metrics.push_back(sink_.text(metric));
      counters.values.push_back(value);
    }
    sink_.add(counters);
  }

  void add_copy(const RocprofRecord& record) {
    const auto is_gpu = [&](std::uint64_t id) {
      const auto agent = agents_.find(id);
      return agent != agents_.end() && agent->second.gpu;
    };
    const bool from = is_gpu(record.from_agent), to = is_gpu(record.to_agent);
    auto kind = capture::CopyKind::host_to_host;
    if (from && to)
      kind = record.from_agent == record.to_agent ? capture::CopyKind::device_to_device
                                                  : capture::CopyKind::peer;
    else if (from)
      kind = capture::CopyKind::device_to_host;
    else if (to)
      kind = capture::CopyKind::host_to_device;
    capture::Copy copy;
    copy.kind = static_cast<std::uint64_t>(kind);
    copy.bytes = record.bytes;
    copy.device = device_of(to ? record.to_agent : record.from_agent);
    copy.start = record.start;
    copy.end = record.end;
    copy.correlation = record.correlation;
    sink_.add(copy);
  }

  void add_call(const RocprofRecord& record) {
    if (record.kind >= operations_.size()) return;
    const auto& names = operations_[static_cast<std::size_t>(record.kind)];
    if (record.operation >= names.size()) return;
    const auto& name = names[static_cast<std::size_t>(record.operation)];
    capture::Api api;
    api.domain = static_cast<std::uint64_t>(api_domain(name));
    api.role = static_cast<std::uint64_t>(api_role(name));
    api.thread = record.thread;
    api.start = record.start;
    api.end = record.end;
    api.correlation = record.correlation;
    if (api.start != 0) sink_.add(api);
  }

  void write_devices() {
    for (const auto& [id, agent] : agents_)
      if (agent.gpu && std::find(used_.begin(), used_.end(), id) == used_.end())
        used_.push_back(id);  // listed, not used: behind the others
    for (const auto id : used_) {
      auto& agent = agents_[id];
      agent.facts.ordinal = agent.ordinal;
      agent.facts.name = sink_.text(agent.name);
      sink_.add(agent.facts);
    }
  }

  const ImportOptions& options_;
  ImportSink& sink_;
  std::map<std::uint64_t, Agent> agents_;
  std::unordered_map<std::uint64_t, std::pair<std::string, std::uint64_t>> symbols_;
  std::unordered_map<std::uint64_t, std::string> counters_;
  std::vector<std::vector<std::string>> operations_;
  std::map<std::uint64_t, std::uint64_t> occurrences_;
  std::vector<std::uint64_t> used_;
  std::uint64_t gpus_ = 0, unknown_ = 0;
};

}  // namespace

bool is_rocprofv3_json(const FileHead& head) {
  return head.bytes.substr(0, 4096).find("\"rocprofiler-sdk-tool\"") != std::string::npos;
}

Result<void> read_rocprofv3_json(const std::string& path, const ImportOptions& options,
                                 ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  sink.tool("rocprofv3");
  JsonCursor json(*text);
  std::uint64_t processes = 0, unknown = 0;
  json.object([&](std::string_view key) {
    if (key != kTool) {
      json.skip();
      return;
    }
    json.array([&] {
      ++processes;
      Process process(options, sink);
      process.read(json.value());
      unknown += process.unknown();
    });
  });
  const std::string file = path == "-" ? "<stdin>" : path;
  if (json.failed() && !json.at_end())
    return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0},
                fmt::format("this is no JSON behind byte {}", json.offset()),
                "copy the file again");
  if (processes == 0 && !json.failed())
    return fail(Code::empty_input, {file, 0, 0, 1, {}, 0},
                "this file of rocprofv3 holds no process",
                "rocprofv3 --kernel-trace --output-format json -- PROGRAM makes one");
  if (json.failed()) sink.truncated(fmt::format("after kernel {}", sink.launches()));
  if (unknown > 0) sink.lose("kernels_without_name", unknown);
  return {};
}

}  // namespace roofline::formats
