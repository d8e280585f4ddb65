#include "ingest/formats/chrome_trace_event.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

struct Category {
  std::string_view name;
  TraceKind kind;
};
// The most frequent first. `cuda` and its kin are of nsys-to-Chrome converters.
constexpr Category kCategories[] = {
    {"cpu_op", TraceKind::cpu_op},
    {"python_function", TraceKind::other},  // half of a trace, where stacks were recorded
    {"Operator", TraceKind::cpu_op},
    {"cuda_runtime", TraceKind::call},
    {"kernel", TraceKind::kernel},
    {"Runtime", TraceKind::call},
    {"Kernel", TraceKind::kernel},
    {"cuda_driver", TraceKind::call},
    {"hip_runtime", TraceKind::call},
    {"hip_driver", TraceKind::call},
    {"cuda", TraceKind::kernel},
    {"cuda_api", TraceKind::call},
    {"concurrent_kernel", TraceKind::kernel},
    {"gpu_memcpy", TraceKind::copy},
    {"Memcpy", TraceKind::copy},
    {"gpu_memset", TraceKind::set},
    {"Memset", TraceKind::set},
    {"user_annotation", TraceKind::annotation},
    {"nvtx", TraceKind::annotation},
    {"overhead", TraceKind::overhead},
    {"Overhead", TraceKind::overhead},
    {"cuda_profiler_range", TraceKind::profiler_range},
    {"Op", TraceKind::untold},  // of TensorFlow's timelines, whose processes tell the device
    {"mtia_ccp_events", TraceKind::other_accelerator},
    {"mtia_runtime", TraceKind::other_accelerator},
    {"hpu_op", TraceKind::other_accelerator},
    {"glow_runtime", TraceKind::other_accelerator},
    {"privateuse1_runtime", TraceKind::other_accelerator},
};

constexpr char kMetadata = 'M';

constexpr std::string_view kKeys[] = {"ph", "ts", "id", "cat", "dur", "pid", "tid", "name", "args"};
enum Key : int { kPhase, kTime, kId, kCategory, kDuration, kProcess, kThread, kName, kArguments };

/// Phases that have a duration. Flows, instants and counters have none.
bool has_duration(char phase) {
  return phase == 'X' || phase == 'B' || phase == 'E' || phase == 'b' || phase == 'e';
}

}  // namespace

TraceKind trace_kind(std::string_view category) {
  for (const auto& row : kCategories)
    if (row.name == category) return row.kind;
  // "KERNEL": converters have capitals of their own.
  constexpr std::string_view kKernel = "kernel";
  return category.size() == kKernel.size() && lower_case(category) == kKernel ? TraceKind::kernel
                                                                              : TraceKind::other;
}

JsonLayout event_layout() { return JsonLayout(kKeys); }

bool read_trace_event(const ChromeTraceReader::Item& item, JsonLayout& layout, TraceEvent& event) {
  event.clear();
  auto fields = item.fields(layout);
  bool has_phase = false, has_category = false;
  // Arguments come last as a rule: what is behind them is not looked at once all else is known.
  const auto all_known = [&] {
    return event.phase == 'X' && has_category && !event.start.empty() && !event.duration.empty() &&
           !event.name.empty() && !event.process.empty() && !event.thread.empty();
  };
  while (fields.next_key()) {
    if (fields.key_number() == kArguments && fields.opens() && all_known()) {
      event.arguments = fields.value_at();
      event.arguments_end = item.end;
      event.odd = fields.odd();
      return true;
    }
    if (!fields.take_value()) break;
    switch (fields.key_number()) {
      case kPhase:
        event.phase = fields.plain().empty() ? '\0' : fields.plain().front();
        if (!has_duration(event.phase) && event.phase != kMetadata) return true;
        has_phase = true;
        break;
      case kTime: event.start = fields.plain(); break;
      case kId: event.id = fields.plain(); break;
      case kCategory:
        event.category = fields.plain();
        event.kind = trace_kind(event.category);
        has_category = true;
        // The end of a pair need not repeat its category.
        if (event.kind == TraceKind::other && has_phase && event.phase == 'X') return true;
        break;
      case kDuration: event.duration = fields.plain(); break;
      case kProcess: event.process = fields.plain(); break;
      case kThread: event.thread = fields.plain(); break;
      case kName: event.name = fields.plain(); break;
      case kArguments:
        if (fields.is_nested()) {
          event.arguments = fields.value_at();
          event.arguments_end = fields.value_end();
        }
        break;
      default: break;
    }
  }
  if (event.phase == kMetadata)
    event.kind = event.name == "process_name"  ? TraceKind::process_name
                 : event.name == "thread_name" ? TraceKind::thread_name
                                               : TraceKind::other;
  else if (!has_category)
    event.kind = event.phase == 'X' || event.phase == 'B' || event.phase == 'b' ? TraceKind::untold
                                                                                : TraceKind::other;
  event.odd = fields.odd();
  return !fields.damaged();
}

namespace {

/// As nanoseconds(), of digits and a point that are few enough for 64 bits; -1: not of that form.
std::int64_t plain_nanoseconds(std::string_view text) {
  constexpr std::ptrdiff_t kMostDigits = 16;  // before the point: microseconds since 1970 have them
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  const char *at = text.data(), *end = at + text.size();
  const auto is_digit = [&] { return static_cast<unsigned char>(*at - '0') < 10; };
  std::int64_t value = 0;
  const char* most = at + std::min(end - at, kMostDigits);
  for (; at != most && is_digit(); ++at) value = 10 * value + (*at - '0');
  if (at == text.data() || value > kMost) return -1;
  if (at == end) return 1000 * value;
  if (*at++ != '.') return -1;
  int places = 0;
  for (; at != end && is_digit() && places < 3; ++at, ++places) value = 10 * value + (*at - '0');
  if (at != end) {
    if (!is_digit()) return -1;
    if (*at >= '5') ++value;
    while (at != end && is_digit()) ++at;
    if (at != end) return -1;
  }
  for (; places < 3; ++places) value *= 10;
  return value;
}

}  // namespace

std::optional<std::int64_t> nanoseconds(std::string_view text) {
  if (const auto plain = plain_nanoseconds(text); plain >= 0) return plain;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  constexpr auto kMost = (std::numeric_limits<std::int64_t>::max() - 9) / 10;
  std::int64_t value = 0;
  int digits = 0, scale = 3;  // value * 10^scale ns
  bool point = false, up = false;
  std::size_t at = 0;
  // Digits that do not fit are beyond any clock; they only move the point.
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    ++digits;
    if (value <= kMost) {
      value = 10 * value + (c - '0');
      if (point) --scale;
    } else if (!point) {
      ++scale;
    }
  }
  if (digits == 0) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    int exponent = 0;
    const char* first = text.data() + at + 1;
    const char* end = text.data() + text.size();
    if (first < end && *first == '+') ++first;
    const auto [stop, error] = std::from_chars(first, end, exponent);
    if (error != std::errc{} || stop != end || exponent > 100 || exponent < -100)
      return std::nullopt;
    scale += exponent;
  }
  for (; scale < 0 && value != 0; ++scale) {
    up = value % 10 >= 5;
    value /= 10;
  }
  if (scale == 0 && up) ++value;
  for (; scale > 0 && value != 0; --scale)
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
  return negative ? -value : value;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || text.empty()) return std::nullopt;
  const std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  const bool whole = rest.empty() || (rest.front() == '.' &&
                                      rest.find_first_not_of('0', 1) == std::string_view::npos);
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> last_number(std::string_view text) {
  const auto before = text.find_last_not_of("0123456789");
  return whole_number(before == std::string_view::npos ? text : text.substr(before + 1));
}

}  // namespace roofline
