#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/formats/chrome_trace_reader.hpp"

namespace roofline {

/// What an event of a trace is about, by its category; all that is not asked for is `other`.
enum class TraceKind : std::uint8_t {
  other,
  kernel,
  copy,
  set,
  cpu_op,
  call,
  annotation,
  overhead,
  profiler_range,     ///< a range of CUPTI's range profiler: counters instead of kernels
  other_accelerator,  ///< work of a device that is no GPU
  untold,             ///< it has a duration and no category: its track tells
  process_name,       ///< of metadata: what a process or a thread is called
  thread_name,
};

/// By the category of PyTorch's profilers since 2021 and of other writers: "kernel", "Kernel",
/// "cuda".
TraceKind trace_kind(std::string_view category);

/// An event as it stands in the text: nothing is unescaped, numbers are text.
struct TraceEvent {
  TraceKind kind = TraceKind::other;
  char phase =
      '\0';  ///< X whole, B and E its two ends, b and e those of an asynchronous one, M metadata
  std::string_view category, name, start, duration, process, thread, id;
  /// Where the arguments open in the item's text, 0 for none; their end is at or before the other.
  std::size_t arguments = 0, arguments_end = 0;
  bool odd = false;  ///< it has values that JSON does not know

  /// One end of a pair. A second one need not say more than its thread.
  bool is_end() const { return phase == 'B' || phase == 'E' || phase == 'b' || phase == 'e'; }
  /// One by one: a whole object at once is filled by an instruction that takes long to begin.
  void clear() {
    kind = TraceKind::other;
    phase = '\0';
    category = name = start = duration = process = thread = id = {};
    arguments = arguments_end = 0;
    odd = false;
  }
};

/// That of the events of one trace, before the first is read.
JsonLayout event_layout();
/// Reads an event up to where it is clear that it is of no interest. False: it is not JSON.
bool read_trace_event(const ChromeTraceReader::Item& item, JsonLayout& layout, TraceEvent& event);

/// Microseconds as they are written, in whole nanoseconds, by integer arithmetic: 16 digits before
/// the point are more than a double holds. A half rounds up. "12.0", "1.5e3" and quoted numbers are
/// taken. Nothing: no number, or one past 292 years.
std::optional<std::int64_t> nanoseconds(std::string_view microseconds);

/// A whole number, in quotes or not; "12.0" is one. Nothing: it is none.
std::optional<std::uint64_t> whole_number(std::string_view text);
/// The whole number that a name ends in: "stream 7", "Device 0".
std::optional<std::uint64_t> last_number(std::string_view text);

}  // namespace roofline
