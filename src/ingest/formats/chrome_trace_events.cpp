#include "ingest/formats/chrome_trace_events.hpp"

#include <algorithm>
#include <span>

#include "base/utf8.hpp"
#include "ingest/api_role.hpp"
#include "ingest/formats/chrome_trace_arguments.hpp"
#include "ingest/xla_details.hpp"

namespace roofline {
namespace {

/// Traces may begin at 0 and before, where a capture has no times: all of ours are an hour later.
constexpr std::int64_t kShift = 3'600'000'000'000;
constexpr std::uint64_t kMostRanges = 200'000;
constexpr std::size_t kMostBegun = 100'000;
/// Nanoseconds since 1970 that no clock of a machine reaches which counts from its start.
constexpr std::uint64_t kEpoch = 1'000'000'000'000'000'000;

struct Word {
  std::string_view text;
  std::uint64_t value;
};
constexpr auto kind(capture::CopyKind k) { return static_cast<std::uint64_t>(k); }
constexpr Word kCopyKinds[] = {
    {"HtoD", kind(capture::CopyKind::host_to_device)},
    {"DtoH", kind(capture::CopyKind::device_to_host)},
    {"DtoD", kind(capture::CopyKind::device_to_device)},
    {"PtoP", kind(capture::CopyKind::peer)},
    {"HtoH", kind(capture::CopyKind::host_to_host)},
    {"HostToDevice", kind(capture::CopyKind::host_to_device)},
    {"DeviceToHost", kind(capture::CopyKind::device_to_host)},
    {"DeviceToDevice", kind(capture::CopyKind::device_to_device)},
    {"HtoA", kind(capture::CopyKind::array)},
    {"AtoH", kind(capture::CopyKind::array)},
    {"AtoD", kind(capture::CopyKind::array)},
    {"DtoA", kind(capture::CopyKind::array)},
    {"AtoA", kind(capture::CopyKind::array)},
};
constexpr auto kind(capture::OverheadKind k) { return static_cast<std::uint64_t>(k); }
constexpr Word kOverheads[] = {
    {"Driver Compiler", kind(capture::OverheadKind::driver_compiler)},
    {"Buffer Flush", kind(capture::OverheadKind::buffer_flush)},
    {"Instrumentation", kind(capture::OverheadKind::instrumentation)},
    {"Resource", kind(capture::OverheadKind::resource)},
    {"Module Loading", kind(capture::OverheadKind::module_loading)},
    {"Lazy Function Loading", kind(capture::OverheadKind::lazy_function_loading)},
    {"Command Buffer Full", kind(capture::OverheadKind::command_buffer_full)},
    {"Activity Buffer Request", kind(capture::OverheadKind::buffer_request)},
};
/// The value of the first word that stands in `text`, 0 for none.
std::uint64_t value_of(std::span<const Word> words, std::string_view text) {
  for (const auto& word : words)
    if (text.find(word.text) != std::string_view::npos) return word.value;
  return 0;
}

/// "kernel.kd", "kernel (.kd)", "kernel [clone .kd]": the name of AMD's kernel descriptor.
std::string_view without_descriptor(std::string_view name) {
  for (const std::string_view end : {" [clone .kd]", " (.kd)", ".kd"})
    if (name.size() > end.size() && name.ends_with(end))
      return name.substr(0, name.size() - end.size());
  return name;
}

/// The GPU that a process stands for: 0, "GPU 0". -1 is of a writer that has none.
std::uint64_t device_of(std::string_view process) {
  return process.starts_with('-') ? 0 : last_number(process).value_or(0);
}

/// Whether its category says that the event is of interest.
bool is_told(TraceKind kind) { return kind != TraceKind::other && kind != TraceKind::untold; }

}  // namespace

void ChromeTraceEvents::member(const Item& item) {
  const auto text = [&](std::string_view value) {
    std::string plain;
    if (value.size() >= 2 && value.front() == '"')
      unescape_json(value.substr(1, value.size() - 2), plain);
    return plain;
  };
  const bool is_list = item.value().starts_with('[');
  kineto_ = kineto_ || item.key == "schemaVersion" || item.key == "deviceProperties" ||
            item.key == "computeProperties" || item.key == "distributedInfo";
  if ((item.key == "deviceProperties" || item.key == "computeProperties") && is_list)
    devices_.read(item.text, *item.index, item.begin, item.end);
  else if (item.key == "distributedInfo" && item.value().starts_with('{'))
    distributed(item);
  else if (item.key == "traceName" || item.key == "cmd")
    sink_.command(text(item.value()));
  else if (item.key == "host_name" || item.key == "hostname")
    sink_.host(text(item.value()));
  else if (item.key == "baseTimeNanoseconds")
    base_ns_ = whole_number(item.value());
}

void ChromeTraceEvents::distributed(const Item& item) {
  auto fields = item.fields();
  std::optional<long long> rank, size;
  while (fields.next()) {
    const auto value = whole_number(fields.plain());
    if (!value || *value > 1'000'000'000) continue;
    if (fields.key() == "rank") rank = static_cast<long long>(*value);
    if (fields.key() == "world_size") size = static_cast<long long>(*value);
  }
  if (rank) sink_.rank(*rank, size);
}

void ChromeTraceEvents::again() {
  again_ = true;
  late_ = false;
  seen_ = 0;
}

void ChromeTraceEvents::event(const Item& item, const TraceEvent& event) {
  ++seen_;
  if (again_) {
    if (event.kind == TraceKind::untold && event.phase == 'X') on_track(item, event);
    return;
  }
  if (event.odd) ++damaged_;
  if (event.kind == TraceKind::process_name || event.kind == TraceKind::thread_name)
    name_track(item, event);
  else if (event.phase == 'X')
    whole(item, event);
  else
    pair(item, event);
}

/// Ends find their beginnings by thread, those of asynchronous events by category and id. The end
/// of a nested pair need not say more than its thread, so that what is of no interest is kept too.
void ChromeTraceEvents::pair(const Item& item, const TraceEvent& event) {
  const bool nested = event.phase == 'B' || event.phase == 'E';
  std::string key(nested ? "t" : "i");
  key.append(nested ? event.process : event.category).append(1, '\0');
  key.append(nested ? event.thread : event.id);
  const bool told = is_told(event.kind);
  if (event.phase == 'B' || event.phase == 'b') {
    if (begun_count_ >= kMostBegun) {
      unpaired_ += told ? 1 : 0;
      return;
    }
    ++begun_count_;
    begun_told_ += told ? 1 : 0;
    auto& begun = begun_[key].emplace_back();
    begun.kind = event.kind;
    if (event.kind == TraceKind::other) return;
    begun.category = event.category;
    begun.name = event.name;
    begun.start = event.start;
    begun.arguments.assign(item.text + event.arguments, event.arguments_end - event.arguments);
    return;
  }
  const auto open = begun_.find(key);
  if (open == begun_.end()) {
    unpaired_ += told ? 1 : 0;
    return;
  }
  const Begun first = std::move(open->second.back());
  open->second.pop_back();
  if (open->second.empty()) begun_.erase(open);
  --begun_count_;
  begun_told_ -= is_told(first.kind) ? 1 : 0;
  if (first.kind == TraceKind::other) return;
  const auto start = nanoseconds(first.start), end = nanoseconds(event.start);
  std::string duration;
  if (start && end && *end >= *start) {
    const auto ns = static_cast<std::uint64_t>(*end) - static_cast<std::uint64_t>(*start);
    duration = std::to_string(ns) + "e-3";
  }
  const std::string text = ' ' + first.arguments;  // arguments at 0 are none
  JsonIndex index;
  index.extend(text.data(), text.size(), true);
  TraceEvent joined{first.kind,    'X',          first.category, first.name, first.start, duration,
                    event.process, event.thread, event.id,       0,          0,           false};
  if (!first.arguments.empty()) {
    joined.arguments = 1;
    joined.arguments_end = text.size();
  }
  whole({true, {}, text.data(), &index, 0, text.size(), text.size()}, joined);
}

ChromeTraceEvents::Span ChromeTraceEvents::span_of(const TraceEvent& event) {
  const auto start = nanoseconds(event.start), duration = nanoseconds(event.duration);
  std::int64_t from = 0, to = 0;
  if (!start || !duration || *duration < 0 || __builtin_add_overflow(*start, kShift, &from) ||
      from <= 0 || __builtin_add_overflow(from, *duration, &to))
    return {};
  return {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
}

void ChromeTraceEvents::whole(const Item& item, const TraceEvent& event) {
  switch (event.kind) {
    case TraceKind::kernel: kernel(item, event, span_of(event)); break;
    case TraceKind::copy:
    case TraceKind::set: copy(item, event, span_of(event)); break;
    case TraceKind::call: call(item, event, span_of(event)); break;
    case TraceKind::cpu_op: cpu_op(item, event, span_of(event)); break;
    case TraceKind::annotation: annotation(event, span_of(event)); break;
    case TraceKind::overhead: overhead(event, span_of(event)); break;
    case TraceKind::profiler_range: ++profiler_ranges_; break;
    case TraceKind::other_accelerator: ++other_accelerators_; break;
    case TraceKind::untold: on_track(item, event); break;
    case TraceKind::process_name:
    case TraceKind::thread_name:
    case TraceKind::other: break;
  }
}

std::uint32_t ChromeTraceEvents::thread_of(const TraceEvent& event) {
  Fingerprint key;
  key.add(event.process);
  key.add(event.thread);
  if (key == last_thread_key_) return last_thread_;
  // 0 stands for all threads.
  const auto next = static_cast<std::uint32_t>(threads_.size()) + 1;
  last_thread_ = threads_.try_emplace(key, next).first->second;
  last_thread_key_ = key;
  return last_thread_;
}

std::string_view ChromeTraceEvents::plain_name(std::string_view name) {
  if (name.find('\\') == std::string_view::npos) return name;
  name_.clear();
  unescape_json(name, name_);
  return name_;
}

void ChromeTraceEvents::kernel(const Item& item, const TraceEvent& event, Span span) {
  const GpuArguments arguments(item, event, kernel_layout_);
  const auto device = arguments.device.value_or(device_of(event.process));
  Fingerprint key;
  for (const auto part :
       {event.name, arguments.grid, arguments.block, arguments.registers, arguments.shared})
    key.add(part);
  for (const auto* sizes : {&arguments.grid_sizes, &arguments.block_sizes})
    for (const auto part : *sizes) key.add(part);
  key.add(device);
  const auto [known, is_new] = shapes_.try_emplace(key);
  if (is_new) {
    capture::Shape shape;
    std::string name;
    known->second.damaged =
        !unescape_json(event.name, name) || valid_utf8_prefix(name) < name.size();
    shape.name = sink_.text(without_descriptor(name));
    shape.grid = arguments.grid.empty() ? arguments.three(arguments.grid_sizes)
                                        : arguments.three(arguments.grid);
    shape.block = arguments.block.empty() ? arguments.three(arguments.block_sizes)
                                          : arguments.three(arguments.block);
    shape.registers = whole_number(arguments.registers).value_or(0);
    shape.static_shared_bytes = whole_number(arguments.shared).value_or(0);  // both kinds in one
    shape.device = device;
    known->second.id = sink_.shape(shape);
  }
  damaged_ += (known->second.damaged || arguments.odd) && !event.odd ? 1 : 0;
  devices_.use(device);
  capture::Launch launch;
  launch.shape = known->second.id;
  launch.stream = arguments.stream.value_or(last_number(event.thread).value_or(0));
  launch.start = span.start;
  launch.end = span.end;
  launch.correlation = arguments.correlation;
  launch.graph = arguments.graph;
  if (!arguments.collective.empty())
    launch.operation = sink_.operation(arguments.collective.operation());
  sink_.add(launch);
  operators_.add_launch(launch.operation != 0 ? TraceOperators::kDescribed : arguments.external);
  if (span.start != 0 && (first_ == 0 || span.start < first_)) first_ = span.start;
}

void ChromeTraceEvents::copy(const Item& item, const TraceEvent& event, Span span) {
  const GpuArguments arguments(item, event, copy_layout_);
  capture::Copy copy;
  copy.kind = event.kind == TraceKind::set ? kind(capture::CopyKind::set)
                                           : value_of(kCopyKinds, event.name);
  if (copy.kind == 0) copy.kind = value_of(kCopyKinds, arguments.kind);
  copy.bytes = whole_number(arguments.bytes).value_or(0);
  copy.device = arguments.device.value_or(device_of(event.process));
  copy.stream = arguments.stream.value_or(last_number(event.thread).value_or(0));
  copy.start = span.start;
  copy.end = span.end;
  copy.correlation = arguments.correlation;
  copy.graph = arguments.graph;
  copy.pageable = event.name.find("Pageable") != std::string_view::npos ? 1 : 0;
  sink_.add(copy);
}

void ChromeTraceEvents::call(const Item& item, const TraceEvent& event, Span span) {
  const auto role = api_role(event.name);
  if (!enqueues(role) || span.start == 0) return;
  const CallArguments arguments(item, event, call_layout_);
  capture::Api call;
  call.domain = static_cast<std::uint64_t>(api_domain(event.name));
  call.role = static_cast<std::uint64_t>(role);
  call.thread = thread_of(event);
  call.start = span.start;
  call.end = span.end;
  call.correlation = arguments.correlation;
  sink_.add(call);
  if (has_process_) return;
  has_process_ = true;
  if (const auto process = whole_number(event.process); process && *process < 1'000'000'000)
    sink_.process(static_cast<long long>(*process));
}

void ChromeTraceEvents::cpu_op(const Item& item, const TraceEvent& event, Span span) {
  if (span.start == 0) return;
  // Steps and annotations are operators in traces of 2021: "ProfilerStep#7",
  // "Optimizer.step#SGD.step".
  if (event.name.find('#') != std::string_view::npos) return annotation(event, span);
  const OperatorArguments arguments(item, event, operator_layout_);
  operators_.add(thread_of(event), span.start, span.end, arguments.external, arguments.lists);
}

/// A step of the profiler's schedule has what all threads launch in its time: the backward pass
/// runs on a thread of its own.
void ChromeTraceEvents::annotation(const TraceEvent& event, Span span) {
  if (ranges_ >= kMostRanges) {
    ++ranges_past_;
    return;
  }
  ++ranges_;
  const auto name = plain_name(event.name);
  const bool step = name.starts_with("ProfilerStep#");
  sink_.add(capture::Range{sink_.text(name), step ? 0 : thread_of(event), span.start, span.end});
}

void ChromeTraceEvents::overhead(const TraceEvent& event, Span span) {
  sink_.add(
      capture::Overhead{value_of(kOverheads, event.name), thread_of(event), span.start, span.end});
}

void ChromeTraceEvents::name_track(const Item& item, const TraceEvent& event) {
  const auto name = track_name(item, event);
  const bool gpu = event.kind == TraceKind::process_name
                       ? tracks_.name_process(event.process, name, seen_)
                       : tracks_.name_thread(event.process, event.thread, name, seen_);
  late_ = late_ || (gpu && trackless_ > 0);
}

/// An event without a category, of a track that says what it is.
void ChromeTraceEvents::on_track(const Item& item, const TraceEvent& event) {
  const auto track = tracks_.find(event.process, event.thread);
  if (!track) ++trackless_;
  // Told again, those are left out that came behind the name of their track.
  if (!track || (again_ && seen_ > track->named)) return;
  const auto span = span_of(event);
  if (track->kind == TraceTracks::Kind::rocprof_calls) return call(item, event, span);
  const TrackArguments arguments(item, event);
  const bool is_copy = track->kind == TraceTracks::Kind::rocprof_copies ||
                       !arguments.copy_details.empty() || event.name.starts_with("Mem") ||
                       event.name.starts_with("MEMCPY");
  if (is_copy) {
    capture::Copy copy;
    copy.kind = value_of(kCopyKinds, event.name);
    if (copy.kind == 0) copy.kind = kind(xla_copy_kind(event.name));
    copy.bytes = xla_copy_bytes(arguments.copy_details);
    copy.device = track->device;
    copy.stream = track->stream;
    copy.start = span.start;
    copy.end = span.end;
    copy.correlation = arguments.correlation;
    return sink_.add(copy);
  }
  capture::Shape shape;
  shape.name = sink_.text(without_descriptor(plain_name(event.name)));
  read_xla_details(arguments.kernel_details, shape);
  shape.device = track->device;
  devices_.use(track->device);
  capture::Launch launch;
  launch.shape = sink_.shape(shape);
  launch.stream = track->stream;
  launch.start = span.start;
  launch.end = span.end;
  launch.correlation = arguments.correlation;
  if (!arguments.instruction.empty()) {
    Fingerprint key;
    for (const auto part : {arguments.module, arguments.instruction, arguments.text}) key.add(part);
    const auto [at, is_new] = instructions_.try_emplace(key, 0);
    if (is_new) at->second = sink_.operation(arguments.operation());
    launch.operation = at->second;
    streams_[{track->device, track->stream}].push_back(
        {span.start, static_cast<std::uint32_t>(sink_.launches()),
         static_cast<std::uint32_t>(launch.operation), static_cast<std::uint32_t>(launch.shape)});
  }
  sink_.add(launch);
  operators_.add_launch(TraceOperators::kDescribed);
  if (span.start != 0 && (first_ == 0 || span.start < first_)) first_ = span.start;
}

void ChromeTraceEvents::finish(std::uint64_t damaged, bool cut) {
  sink_.tool(kineto_                  ? "PyTorch Kineto"
             : tracks_.tool().empty() ? "a Chrome trace"
                                      : tracks_.tool());
  devices_.tell(sink_);
  const auto first = first_ - std::min(first_, static_cast<std::uint64_t>(kShift));
  if (base_ns_ || first >= kEpoch) sink_.started(base_ns_.value_or(0) + first);
  operators_.resolve(sink_);
  for (auto& [stream, launches] : streams_) number_parts(launches, sink_);
  const std::pair<std::string_view, std::uint64_t> losses[] = {
      {"events_damaged", damaged + damaged_},
      {"events_before_their_track", late_ ? 1 : 0},
      {"events_unpaired", unpaired_ + begun_told_},
      {"ranges_past_limit", ranges_past_},
      {"profiler_ranges", profiler_ranges_},
      {"events_of_other_accelerators", other_accelerators_},
      {"no_kernel_events", sink_.launches() == 0 && !cut ? 1 : 0},
      {"gpu_not_named", sink_.launches() > 0 && !devices_.listed() ? 1 : 0},
  };
  for (const auto& [reason, count] : losses)
    if (count > 0) sink_.lose(reason, count);
}

}  // namespace roofline
