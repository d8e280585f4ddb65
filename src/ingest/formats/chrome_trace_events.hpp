#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/fingerprint.hpp"
#include "ingest/formats/chrome_trace_arguments.hpp"
#include "ingest/formats/chrome_trace_devices.hpp"
#include "ingest/formats/chrome_trace_event.hpp"
#include "ingest/formats/chrome_trace_operators.hpp"
#include "ingest/formats/chrome_trace_tracks.hpp"
#include "ingest/formats/execution_parts.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// Makes launches, copies, calls, ranges and operators of the events of a Chrome trace.
class ChromeTraceEvents {
 public:
  explicit ChromeTraceEvents(ImportSink& sink) : sink_(sink) {}

  /// A member of the document beside the events: the GPUs, the rank, the name.
  void member(const ChromeTraceReader::Item& item);
  void event(const ChromeTraceReader::Item& item, const TraceEvent& event);
  void damaged() { ++damaged_; }  ///< an event that cannot be read
  /// Whether a track was named behind events of it, which then were not known as a GPU's: all
  /// events are to be given again, after again(), or they are lost.
  bool are_late() const { return late_; }
  void again();
  /// All that shows only at the end. `damaged`: events that the reader repaired or passed over;
  /// `cut`: kernels may have followed.
  void finish(std::uint64_t damaged, bool cut);

 private:
  using Item = ChromeTraceReader::Item;
  /// The first half of a pair, kept until the second.
  struct Begun {
    std::string category, name, start, arguments;
    TraceKind kind = TraceKind::other;
  };
  /// A start of 0 is none: no time that can be read.
  struct Span {
    std::uint64_t start = 0, end = 0;
  };

  void pair(const Item& item, const TraceEvent& event);
  void whole(const Item& item, const TraceEvent& event);
  void kernel(const Item& item, const TraceEvent& event, Span span);
  void copy(const Item& item, const TraceEvent& event, Span span);
  void call(const Item& item, const TraceEvent& event, Span span);
  void cpu_op(const Item& item, const TraceEvent& event, Span span);
  void annotation(const TraceEvent& event, Span span);
  void overhead(const TraceEvent& event, Span span);
  void name_track(const Item& item, const TraceEvent& event);
  void on_track(const Item& item, const TraceEvent& event);
  Span span_of(const TraceEvent& event);
  std::uint32_t thread_of(const TraceEvent& event);
  std::string_view plain_name(std::string_view name);
  void distributed(const Item& item);

  ImportSink& sink_;
  JsonLayout kernel_layout_ = GpuArguments::layout(), copy_layout_ = GpuArguments::layout(),
             call_layout_ = CallArguments::layout(), operator_layout_ = OperatorArguments::layout();
  TraceDevices devices_;
  TraceTracks tracks_;
  TraceOperators operators_;
  struct KnownShape {
    std::uint64_t id = 0;
    bool damaged = false;  ///< its name is no valid text
  };
  std::unordered_map<Fingerprint, KnownShape, Fingerprint::Hash> shapes_;
  std::unordered_map<Fingerprint, std::uint64_t, Fingerprint::Hash> instructions_;  // of XLA
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<StreamLaunch>>
      streams_;  // of XLA, by device and stream
  std::unordered_map<Fingerprint, std::uint32_t, Fingerprint::Hash> threads_;
  Fingerprint last_thread_key_{0, 0};
  std::uint32_t last_thread_ = 0;
  std::unordered_map<std::string, std::vector<Begun>> begun_;
  std::size_t begun_count_ = 0, begun_told_ = 0;  // all, those of interest
  std::string name_;
  std::optional<std::uint64_t> base_ns_;
  std::uint64_t first_ = 0;
  std::uint64_t damaged_ = 0, ranges_ = 0, ranges_past_ = 0, profiler_ranges_ = 0,
                other_accelerators_ = 0, unpaired_ = 0;
  std::uint64_t seen_ = 0, trackless_ = 0;  // events; those of no known track
  bool kineto_ = false, has_process_ = false, late_ = false, again_ = false;
};

}  // namespace roofline
