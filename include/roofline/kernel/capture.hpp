#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// roofline.capture/1: one JSON header line ending in '\n', then records. The plug-in writes it
/// from inside of other people's programs, so this header needs the standard library alone and
/// nothing of ours.
///
/// A record is one byte of tag, the length of its payload (LEB128), the payload. Fields are LEB128
/// numbers in the order of `fields`; times and correlation ids are signed differences to the last
/// one written. Records are only ever appended: a file that ends inside a record is read up to the
/// last whole one. A reader skips tags that it does not know and counts them; fields that are
/// missing at the end of a payload are 0, fields that it does not know are passed over: both may be
/// added within capture/1.
namespace roofline::capture {

inline constexpr std::string_view kSchema = "roofline.capture/1";

enum class Tag : std::uint8_t {
  text = 1,  ///< a string; all other records name it by its id
  device = 2,
  shape = 3,      ///< a kernel with its grid and block
  launch = 4,     ///< one kernel execution
  copy = 5,       ///< a copy or a set
  api = 6,        ///< one call of the driver or runtime
  overhead = 7,   ///< time that the profiler or the driver took for itself
  wait = 8,       ///< a synchronisation
  range = 9,      ///< an NVTX range, closed
  counters = 10,  ///< values of one profiled launch
  loss = 11,      ///< records or launches that are missing, by reason
  clock = 12,     ///< the profiler's clock against the Unix clock
  status = 13,    ///< what became of the start: collecting, or why not
  code = 14,      ///< a function's machine code, as far as the verdict needs it
  end = 15,       ///< written last: a file without it was cut
  graph = 16,     ///< one graph execution, where its kernels were not asked for
  sample = 17,    ///< counters of a whole device over a short time
  operation = 18,  ///< what launches were for, by the words of the framework that made them
  summary = 19,    ///< sums over launches, where single ones are not known
};

/// Ids are chosen by the writer, from 1; 0 is "none". An id means one thing in a file, but the same
/// text or shape may come again under another id: the writer forgets what it has written when there
/// is too much of it, so that its memory stays flat. Group by content, not by id.
struct Text {
  static constexpr Tag kTag = Tag::text;
  std::uint64_t id = 0;
  std::string value;
  template <class V>
  void fields(V& v) {
    v.number(id);
    v.text(value);
  }
};

/// Figures as CUPTI and the driver have them; 0 where neither tells. The last record of an ordinal
/// is the whole of what was known.
struct Device {
  static constexpr Tag kTag = Tag::device;
  std::uint64_t ordinal = 0, name = 0, uuid = 0, major = 0, minor = 0, sm_count = 0,
                memory_bytes = 0, l2_bytes = 0, bus_width_bits = 0, sm_clock_khz = 0,
                memory_clock_khz = 0, ecc = 0, mig = 0;
  std::uint64_t simulated = 0;  ///< 1: no such GPU exists; reports say so
  template <class V>
  void fields(V& v) {
    v.number(ordinal);
    v.number(name);
    v.number(uuid);
    v.number(major);
    v.number(minor);
    v.number(sm_count);
    v.number(memory_bytes);
    v.number(l2_bytes);
    v.number(bus_width_bits);
    v.number(sm_clock_khz);
    v.number(memory_clock_khz);
    v.number(ecc);
    v.number(mig);
    v.number(simulated);
  }
};

struct Shape {
  static constexpr Tag kTag = Tag::shape;
  std::uint64_t id = 0, name = 0;  ///< name: a text, mangled as the driver gives it
  std::array<std::uint64_t, 3> grid{}, block{}, cluster{};
  std::uint64_t static_shared_bytes = 0, dynamic_shared_bytes = 0, registers = 0,
                local_bytes_per_thread = 0;
  std::uint64_t device = 0, context = 0;
  std::uint64_t executed_shared_bytes = 0;  ///< the carve-out that the launch ran with
  template <class V>
  void fields(V& v) {
    v.number(id);
    v.number(name);
    for (auto* three : {&grid, &block, &cluster})
      for (auto& x : *three) v.number(x);
    v.number(static_shared_bytes);
    v.number(dynamic_shared_bytes);
    v.number(registers);
    v.number(local_bytes_per_thread);
    v.number(device);
    v.number(context);
    v.number(executed_shared_bytes);
  }
};

/// Times are nanoseconds of the profiler's clock. A start of 0, or an end before the start, is what
/// the profiler gave: the reader counts it as invalid and never averages it.
struct Launch {
  static constexpr Tag kTag = Tag::launch;
  std::uint64_t shape = 0, stream = 0, start = 0, end = 0, correlation = 0, graph = 0,
                graph_node = 0;
  std::uint64_t operation = 0;  ///< of imported launches: what it was for
  std::uint64_t part = 0;       ///< its place among the kernels of one execution of that operation
  template <class V>
  void fields(V& v) {
    v.number(shape);
    v.number(stream);
    v.time(start);
    v.time(end);
    v.correlation(correlation);
    v.number(graph);
    v.number(graph_node);
    if (operation != 0 || !V::kWrites) {  // the profiler's own launches have none, and stay short
      v.number(operation);
      v.number(part);
    }
  }
};

enum class CopyKind : std::uint8_t {
  unknown,
  host_to_device,
  device_to_host,
  device_to_device,
  peer,
  host_to_host,
  array,
  set,
};

struct Copy {
  static constexpr Tag kTag = Tag::copy;
  std::uint64_t kind = 0, bytes = 0, device = 0, stream = 0, start = 0, end = 0, correlation = 0,
                graph = 0;
  std::uint64_t pageable = 0;  ///< 1: host memory was not pinned
  template <class V>
  void fields(V& v) {
    v.number(kind);
    v.number(bytes);
    v.number(device);
    v.number(stream);
    v.time(start);
    v.time(end);
    v.correlation(correlation);
    v.number(graph);
    v.number(pageable);
  }
};

enum class ApiDomain : std::uint8_t { driver, runtime };
/// What a call did, where the verdict needs it.
enum class ApiRole : std::uint8_t {
  other,
  kernel_launch,
  graph_launch,
  copy,
  set,
  allocation,
  wait,
  module_load
};

/// The runtime's call encloses the driver's: two records then have the same correlation id, and the
/// cost of the launch is the runtime's.
struct Api {
  static constexpr Tag kTag = Tag::api;
  std::uint64_t domain = 0, cbid = 0, role = 0, thread = 0, start = 0, end = 0, correlation = 0;
  template <class V>
  void fields(V& v) {
    v.number(domain);
    v.number(cbid);
    v.number(role);
    v.number(thread);
    v.time(start);
    v.time(end);
    v.correlation(correlation);
  }
};

enum class OverheadKind : std::uint8_t {
  other,
  driver_compiler,
  buffer_flush,
  instrumentation,
  resource,
  module_loading,
  lazy_function_loading,
  command_buffer_full,
  buffer_request,
};

struct Graph {
  static constexpr Tag kTag = Tag::graph;
  std::uint64_t graph = 0, device = 0, stream = 0, start = 0, end = 0, correlation = 0;
  template <class V>
  void fields(V& v) {
    v.number(graph);
    v.number(device);
    v.number(stream);
    v.time(start);
    v.time(end);
    v.correlation(correlation);
  }
};

struct Overhead {
  static constexpr Tag kTag = Tag::overhead;
  std::uint64_t kind = 0, thread = 0, start = 0, end = 0;
  template <class V>
  void fields(V& v) {
    v.number(kind);
    v.number(thread);
    v.time(start);
    v.time(end);
  }
};

struct Wait {
  static constexpr Tag kTag = Tag::wait;
  std::uint64_t kind = 0, stream = 0, start = 0, end = 0, correlation = 0;
  template <class V>
  void fields(V& v) {
    v.number(kind);
    v.number(stream);
    v.time(start);
    v.time(end);
    v.correlation(correlation);
  }
};

struct Range {
  static constexpr Tag kTag = Tag::range;
  std::uint64_t name = 0, thread = 0, start = 0, end = 0;
  template <class V>
  void fields(V& v) {
    v.number(name);
    v.number(thread);
    v.time(start);
    v.time(end);
  }
};

/// One profiled launch: metric names are texts, values are as the profiler's host library evaluates
/// them.
struct Counters {
  static constexpr Tag kTag = Tag::counters;
  std::uint64_t shape = 0, occurrence = 0,
                replay_passes = 0;  ///< occurrence: 0 is the shape's first launch
  std::vector<std::uint64_t> metrics;
  std::vector<double> values;
  template <class V>
  void fields(V& v) {
    v.number(shape);
    v.number(occurrence);
    v.number(replay_passes);
    v.numbers(metrics);
    v.reals(values);
  }
};

/// Counts of one reason add up.
struct Loss {
  static constexpr Tag kTag = Tag::loss;
  std::uint64_t reason = 0,
                count = 0;  ///< reason: a text, "records_dropped", "zero_timestamps", ...
  template <class V>
  void fields(V& v) {
    v.number(reason);
    v.number(count);
  }
};

/// One at the start, one at the end.
struct Clock {
  static constexpr Tag kTag = Tag::clock;
  std::uint64_t profiler_ns = 0, unix_ns = 0;
  template <class V>
  void fields(V& v) {
    v.number(profiler_ns);
    v.number(unix_ns);
  }
};

/// The handshake. `what` is a short code ("collecting", "no_cupti", "subscribe_refused", ...),
/// `result` CUPTI's own code.
struct Status {
  static constexpr Tag kTag = Tag::status;
  std::uint64_t what = 0, detail = 0, result = 0;
  std::uint64_t cupti_version = 0, cupti_path = 0, driver_version = 0;
  template <class V>
  void fields(V& v) {
    v.number(what);
    v.number(detail);
    v.number(result);
    v.number(cupti_version);
    v.number(cupti_path);
    v.number(driver_version);
  }
};

struct Code {
  static constexpr Tag kTag = Tag::code;
  std::uint64_t name = 0;  ///< the function's mangled name
  std::uint64_t sm = 0;    ///< 90 for sm_90
  std::uint64_t tensor_types =
      0;  ///< bits of roofline::machine_code's tensor types that its instructions execute
  std::uint64_t hash = 0;  ///< of its instructions
  std::uint64_t registers = 0, local_bytes = 0, spill_bytes = 0, static_shared_bytes = 0;
  template <class V>
  void fields(V& v) {
    v.number(name);
    v.number(sm);
    v.number(tensor_types);
    v.number(hash);
    v.number(registers);
    v.number(local_bytes);
    v.number(spill_bytes);
    v.number(static_shared_bytes);
  }
};

/// Counters of a whole device between two moments; metric names are texts. Times are the device's
/// own clock.
struct Sample {
  static constexpr Tag kTag = Tag::sample;
  std::uint64_t device = 0, start = 0, end = 0;
  std::vector<std::uint64_t> metrics;
  std::vector<double> values;
  template <class V>
  void fields(V& v) {
    v.number(device);
    v.time(start);
    v.time(end);
    v.numbers(metrics);
    v.reals(values);
  }
};

/// An operator with its operands, packed (kernel/operation.hpp).
struct Operation {
  static constexpr Tag kTag = Tag::operation;
  std::uint64_t id = 0;
  std::vector<std::uint64_t> content;
  template <class V>
  void fields(V& v) {
    v.number(id);
    v.numbers(content);
  }
};

/// What a file tells of many launches at once. `seconds`: their sum, then mean, median, least and
/// most; NaN where the file does not tell. One record is one run of the program.
struct Summary {
  static constexpr Tag kTag = Tag::summary;
  std::uint64_t shape = 0, launches = 0, operation = 0;
  std::vector<double> seconds;
  template <class V>
  void fields(V& v) {
    v.number(shape);
    v.number(launches);
    v.number(operation);
    v.reals(seconds);
  }
};

struct End {
  static constexpr Tag kTag = Tag::end;
  std::uint64_t reason = 0;  ///< a text: "exit", "signal 15", ...
  template <class V>
  void fields(V& v) {
    v.number(reason);
  }
};

/// What differences refer to; one for each direction and file.
struct Last {
  std::uint64_t time = 0, correlation = 0;
};

namespace detail {

class Writer {
 public:
  static constexpr bool kWrites = true;
  Writer(std::string& out, Last& last) : out_(out), last_(last) {}
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void time(std::uint64_t value) { difference(value, last_.time); }
  void correlation(std::uint64_t value) { difference(value, last_.correlation); }
  void text(const std::string& value) { out_ += value; }  // the payload's length ends it
  void numbers(const std::vector<std::uint64_t>& values) {
    number(values.size());
    for (auto value : values) number(value);
  }
  void reals(const std::vector<double>& values) {
    for (auto value : values) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (int byte = 0; byte < 8; ++byte) out_.push_back(static_cast<char>(bits >> (8 * byte)));
    }
  }

 private:
  void difference(std::uint64_t value, std::uint64_t& last) {
    const auto d = static_cast<std::int64_t>(value - last);
    number((static_cast<std::uint64_t>(d) << 1) ^ static_cast<std::uint64_t>(d >> 63));
    last = value;
  }
  std::string& out_;
  Last& last_;
};

class Reader {
 public:
  static constexpr bool kWrites = false;
  Reader(std::string_view payload, Last& last) : rest_(payload), last_(last) {}
  bool damaged() const { return damaged_; }
  void number(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift >= 64) {
        damaged_ = true;
        return;
      }
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return;
      if (rest_.empty()) damaged_ = true;
    }
  }
  void time(std::uint64_t& value) { difference(value, last_.time); }
  void correlation(std::uint64_t& value) { difference(value, last_.correlation); }
  void text(std::string& value) {
    value.assign(rest_);
    rest_ = {};
  }
  void numbers(std::vector<std::uint64_t>& values) {
    std::uint64_t count = 0;
    number(count);
    if (count > rest_.size()) {
      damaged_ = true;
      return;
    }
    values.resize(static_cast<std::size_t>(count));
    for (auto& value : values) number(value);
  }
  void reals(std::vector<double>& values) {
    values.clear();
    for (; rest_.size() >= 8; rest_.remove_prefix(8)) {
      std::uint64_t bits = 0;
      for (std::size_t byte = 0; byte < 8; ++byte)
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[byte])) << (8 * byte);
      values.push_back(std::bit_cast<double>(bits));
    }
  }

 private:
  void difference(std::uint64_t& value, std::uint64_t& last) {
    if (rest_.empty()) {
      value = 0;
      return;
    }  // a field of a newer writer
    std::uint64_t z = 0;
    number(z);
    value = last + ((z >> 1) ^ (~(z & 1) + 1));
    last = value;
  }
  std::string_view rest_;
  Last& last_;
  bool damaged_ = false;
};

}  // namespace detail

/// Appends one record to `out`.
template <class Record>
void append(std::string& out, Last& last, const Record& record) {
  out.push_back(static_cast<char>(Record::kTag));
  const std::size_t length_at = out.size();
  out.push_back(0);
  detail::Writer writer(out, last);
  const_cast<Record&>(record).fields(writer);  // a writer reads its fields only
  std::size_t length = out.size() - length_at - 1;
  if (length < 0x80) {
    out[length_at] = static_cast<char>(length);
    return;
  }
  std::string prefix;
  for (; length >= 0x80; length >>= 7) prefix.push_back(static_cast<char>(length | 0x80));
  prefix.push_back(static_cast<char>(length));
  out.replace(length_at, 1, prefix);
}

/// A payload as the record that its tag names. False: the payload is damaged.
template <class Record>
bool decode(std::string_view payload, Last& last, Record& record) {
  detail::Reader reader(payload, last);
  record.fields(reader);
  return !reader.damaged();
}

/// The next whole record of `bytes`, which then begin after it. Empty tag (0): `bytes` end inside a
/// record, or are empty.
struct Frame {
  std::uint8_t tag = 0;
  std::string_view payload;
};
inline Frame next_frame(std::string_view& bytes) {
  std::uint64_t length = 0;
  for (std::size_t at = 1; at < bytes.size() && at < 11; ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * (at - 1));
    if (byte & 0x80) continue;
    if (length > bytes.size() - at - 1) return {};
    const Frame frame{static_cast<std::uint8_t>(bytes[0]),
                      bytes.substr(at + 1, static_cast<std::size_t>(length))};
    bytes.remove_prefix(at + 1 + static_cast<std::size_t>(length));
    return frame;
  }
  return {};
}

}  // namespace roofline::capture
