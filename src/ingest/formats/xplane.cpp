#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingest/api_role.hpp"
#include "ingest/formats/amd_counters.hpp"
#include "ingest/formats/execution_parts.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/xplane_programs.hpp"
#include "ingest/protobuf.hpp"
#include "ingest/read_text.hpp"
#include "ingest/xla_details.hpp"
#include "roofline/base/text.hpp"

/// XLA's profile (JAX, TensorFlow): XSpace of tsl/profiler/protobuf/xplane.proto. Field numbers are
/// those of that file. Times of events are picoseconds from their line's start.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::string_view kGpuPlane = "/device:GPU:";
constexpr std::string_view kStep = "step_num";

/// A statistic of an event or a plane.
struct Stat {
  std::string_view name, text;
  std::uint64_t number = 0;
  /// The number, which some versions write as a text.
  std::optional<std::uint64_t> whole() const {
    if (text.empty()) return number;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
  }
};

/// XPlane: what its events refer to.
struct Plane {
  std::string_view name;
  std::vector<std::string_view> lines, stats, event_metadata;
  std::unordered_map<std::uint64_t, std::string_view> events, stat_names;

  explicit Plane(std::string_view message) {
    for (ProtobufFields fields(message); fields.next();) {
      switch (fields.field()) {
        case 2: name = fields.bytes(); break;
        case 3: lines.push_back(fields.bytes()); break;
        case 4:
          event_metadata.push_back(fields.bytes());
          entry(fields.bytes(), events);
          break;
        case 5: entry(fields.bytes(), stat_names); break;
        case 6: stats.push_back(fields.bytes()); break;
        default: break;
      }
    }
  }
  Stat stat(std::string_view message) const {
    Stat stat;
    for (ProtobufFields fields(message); fields.next();) {
      switch (fields.field()) {
        case 1: stat.name = named(fields.number()); break;
        case 7:  // a text that stands among the names
          stat.text = named(fields.number());
          break;
        case 5:
        case 6: stat.text = fields.bytes(); break;
        default: stat.number = fields.number();
      }
    }
    return stat;
  }
  std::string_view named(std::uint64_t id) const {
    const auto at = stat_names.find(id);
    return at == stat_names.end() ? std::string_view() : at->second;
  }

 private:
  /// An entry of a map: id -> metadata, of which the name is kept.
  static void entry(std::string_view message,
                    std::unordered_map<std::uint64_t, std::string_view>& map) {
    std::uint64_t id = 0;
    std::string_view text;
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.field() == 1) id = fields.number();
      if (fields.field() != 2) continue;
      for (ProtobufFields metadata(fields.bytes()); metadata.next();)
        if (metadata.field() == 2) text = metadata.bytes();
    }
    map[id] = text;
  }
};

struct Event {
  std::uint64_t metadata = 0, offset_ps = 0, duration_ps = 0;
  std::vector<Stat> stats;
  Event(const Plane& plane, std::string_view message) {
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.field() == 1) metadata = fields.number();
      if (fields.field() == 2) offset_ps = fields.number();
      if (fields.field() == 3) duration_ps = fields.number();
      if (fields.field() == 4) stats.push_back(plane.stat(fields.bytes()));
    }
  }
  const Stat* find(std::string_view name) const {
    for (const auto& stat : stats)
      if (stat.name == name) return &stat;
    return nullptr;
  }
  std::string_view text(std::string_view name) const {
    const auto* stat = find(name);
    return stat ? stat->text : std::string_view();
  }
};

class Reader {
 public:
  Reader(const ImportOptions& options, ImportSink& sink) : options_(options), sink_(sink) {}

  Result<void> read(std::string_view space, const std::string& file) {
    std::vector<Plane> gpus, hosts;
    ProtobufFields fields(space);
    std::uint64_t planes = 0;
    while (fields.next()) {
      if (fields.field() == 4) sink_.host(fields.bytes());
      if (fields.field() != 1) continue;
      ++planes;
      Plane plane(fields.bytes());
      if (plane.name == "Task Environment") read_environment(plane);
      if (plane.name == "/host:metadata") read_programs(plane);
      if (plane.name == "/host:CPU")
        hosts.push_back(std::move(plane));
      else if (plane.name.starts_with(kGpuPlane))
        gpus.push_back(std::move(plane));
    }
    if (planes == 0)
      return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0}, "this is no profile of XLA",
                  "jax.profiler.trace(FOLDER) writes FOLDER/plugins/profile/.../*.xplane.pb");
    sink_.tool("XLA");
    for (const auto& plane : gpus) read_plane(plane);
    for (const auto& plane : hosts) read_host(plane);
    if (programs_.unreadable() > 0) sink_.lose("programs_unreadable", programs_.unreadable());
    if (gpus.empty()) sink_.lose("no_gpu_plane");
    if (!gpus.empty()) sink_.lose("gpu_not_named");
    if (fields.damaged()) sink_.truncated(fmt::format("after kernel {}", sink_.launches()));
    return {};
  }

 private:
  void read_environment(const Plane& plane) {
    for (const auto message : plane.stats) {
      const auto stat = plane.stat(message);
      if (stat.name == "profile_start_time") start_ = stat.number;
    }
    if (start_ != 0) sink_.started(start_);
  }

  /// Each program that ran is an entry of its own, with its HloProto as a statistic ("Hlo Proto",
  /// "hlo_proto").
  void read_programs(const Plane& plane) {
    for (const auto message : plane.event_metadata) {
      std::string_view name, proto;
      for (ProtobufFields entry(message); entry.next();) {
        if (entry.field() != 2) continue;
        for (ProtobufFields metadata(entry.bytes()); metadata.next();) {
          if (metadata.field() == 2) name = metadata.bytes();
          if (metadata.field() != 5) continue;
          const auto stat = plane.stat(metadata.bytes());
          const auto what = lower_case(stat.name);
          if (what == "hlo proto" || what == "hlo_proto") proto = stat.text;
        }
      }
      if (!proto.empty()) programs_.add(name, proto);
    }
  }

  void read_plane(const Plane& plane) {
    capture::Device device;
    std::from_chars(plane.name.data() + kGpuPlane.size(), plane.name.data() + plane.name.size(),
                    device.ordinal);
    bool amd = false;
    for (const auto message : plane.stats) {
      const auto stat = plane.stat(message);
      if (stat.name == "device_vendor") amd = stat.text == "AMD";
      if (stat.name == "core_count") device.sm_count = stat.number;
      if (stat.name == "clock_rate") device.sm_clock_khz = stat.number;
      if (stat.name == "memory_size") device.memory_bytes = stat.number;
      if (stat.name == "compute_cap_major") device.major = stat.number;
      if (stat.name == "compute_cap_minor") device.minor = stat.number;
      // memory_bandwidth is half of an MI300X's: it is not taken.
    }
    if (amd) device.major = device.minor = 0;  // a gfx number is no compute capability
    if (device.sm_count == 0 && plane.lines.empty()) return;  // of another process
    sink_.add(device);
    for (const auto line : plane.lines) read_line(plane, line, device.ordinal);
  }

  std::uint64_t since_epoch(std::uint64_t line_ns) const {
    constexpr std::uint64_t kEpoch = 1'000'000'000'000'000'000;
    if (line_ns < kEpoch) line_ns += start_ != 0 ? start_ : kEpoch;
    return line_ns;
  }

  /// Calls that enqueue work and steps (jax.profiler.StepTraceAnnotation), among whatever else the
  /// host's threads did.
  void read_host(const Plane& plane) {
    std::unordered_map<std::uint64_t, capture::ApiRole> roles;
    for (const auto& [id, name] : plane.events)
      if (const auto role = api_role(name); enqueues(role)) roles.emplace(id, role);
    const bool steps = std::any_of(plane.stat_names.begin(), plane.stat_names.end(),
                                   [](const auto& stat) { return stat.second == kStep; });
    if (roles.empty() && !steps) return;
    for (const auto line : plane.lines) {
      std::uint64_t thread = 0, start_ns = 0;
      for (ProtobufFields fields(line); fields.next();) {
        if (fields.field() == 1) thread = fields.number();
        if (fields.field() == 3) start_ns = fields.number();
      }
      start_ns = since_epoch(start_ns);
      for (ProtobufFields fields(line); fields.next();) {
        if (fields.field() != 4) continue;
        ProtobufFields first(fields.bytes());  // the name comes first, and most are of no interest
        const auto role =
            first.next() && first.field() == 1 ? roles.find(first.number()) : roles.end();
        if (role == roles.end() && !steps) continue;
        const Event event(plane, fields.bytes());
        const auto start = start_ns + event.offset_ps / 1000;
        const auto end = start + (event.duration_ps + 500) / 1000;
        const auto known = plane.events.find(event.metadata);
        if (known == plane.events.end()) continue;
        if (role == roles.end())
          add_step(event, known->second, start, end);
        else
          add_call(event, known->second, role->second, thread, start, end);
      }
    }
  }

  void add_call(const Event& event, std::string_view name, capture::ApiRole role,
                std::uint64_t thread, std::uint64_t start, std::uint64_t end) {
    capture::Api call;
    call.domain = static_cast<std::uint64_t>(api_domain(name));
    call.role = static_cast<std::uint64_t>(role);
    call.thread = thread;
    call.start = start;
    call.end = end;
    if (const auto* correlation = event.find("correlation_id"))
      call.correlation = correlation->number;
    sink_.add(call);
  }

  /// A step has what all threads launch in its time: programs are started by threads of their own.
  void add_step(const Event& event, std::string_view name, std::uint64_t start, std::uint64_t end) {
    if (const auto* step = event.find(kStep))
      sink_.add(
          capture::Range{sink_.text(fmt::format("{}#{}", name, step->number)), 0, start, end});
  }

  void read_line(const Plane& plane, std::string_view message, std::uint64_t device) {
    std::uint64_t id = 0, start_ns = 0;
    std::string_view name;
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.field() == 1) id = fields.number();
      if (fields.field() == 2) name = fields.bytes();
      if (fields.field() == 3) start_ns = fields.number();
    }
    if (!name.starts_with("Stream")) return;  // derived lines repeat the kernels by operation
    start_ns = since_epoch(start_ns);
    stream_.clear();
    for (ProtobufFields fields(message); fields.next();)
      if (fields.field() == 4) read_event(plane, fields.bytes(), device, id, start_ns);
    number_parts(stream_, sink_);
  }

  void read_event(const Plane& plane, std::string_view message, std::uint64_t device,
                  std::uint64_t stream, std::uint64_t line_ns) {
    const Event event(plane, message);
    const auto known = plane.events.find(event.metadata);
    const auto name = known == plane.events.end() ? std::string_view() : known->second;
    const auto start = line_ns + event.offset_ps / 1000;
    const auto end = start + (event.duration_ps + 500) / 1000;
    const auto* correlation = event.find("correlation_id");
    if (event.find("memcpy_details") || event.find("memset_details") || name.starts_with("Mem")) {
      capture::Copy copy;
      copy.kind = static_cast<std::uint64_t>(xla_copy_kind(name));
      auto details = event.text("memcpy_details");
      if (details.empty()) details = event.text("memset_details");
      copy.bytes = xla_copy_bytes(details);
      copy.device = device;
      copy.stream = stream;
      copy.start = start;
      copy.end = end;
      copy.correlation = correlation ? correlation->number : 0;
      return sink_.add(copy);
    }
    capture::Shape shape;
    shape.name = sink_.text(amd_kernel_name(name));
    read_xla_details(event.text("kernel_details"), shape);
    shape.device = device;
    capture::Launch launch;
    launch.shape = sink_.shape(shape);
    launch.stream = stream;
    launch.start = start;
    launch.end = end;
    launch.correlation = correlation ? correlation->number : 0;
    const auto* program = event.find("program_id");
    launch.operation =
        programs_.operation(sink_, {.module = event.text("hlo_module"),
                                    .instruction = event.text("hlo_op"),
                                    .program = program ? program->whole() : std::nullopt,
                                    .tf_op = event.text("tf_op"),
                                    .name = event.text("name")});
    stream_.push_back({start, static_cast<std::uint32_t>(sink_.launches()),
                       static_cast<std::uint32_t>(launch.operation),
                       static_cast<std::uint32_t>(launch.shape)});
    sink_.add(launch);
    if ((sink_.launches() & 0xffff) == 0 && options_.progress)
      options_.progress(0, sink_.launches());
  }

  const ImportOptions& options_;
  ImportSink& sink_;
  std::uint64_t start_ = 0;
  XplanePrograms programs_;
  std::vector<StreamLaunch> stream_;  // of the line that is read
};

}  // namespace

/// The first field is a plane (1, a message); its name, a path, stands within its first bytes.
bool is_xplane(const FileHead& head) {
  const auto begin = std::string_view(head.bytes).substr(0, 64);
  return begin.starts_with('\x0a') && (begin.find("/host:") != std::string_view::npos ||
                                       begin.find("/device:") != std::string_view::npos);
}

Result<void> read_xplane(const std::string& path, const ImportOptions& options, ImportSink& sink) {
  auto bytes = read_text(path, kMostBytes, sink);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  return Reader(options, sink).read(*bytes, path == "-" ? "<stdin>" : path);
}

}  // namespace roofline::formats
