#include "ingest/formats/rocprofv3_record.hpp"

#include <string_view>

namespace roofline::formats {
namespace {

std::array<std::uint64_t, 3> extent(JsonCursor& json) {
  std::array<std::uint64_t, 3> sizes{};
  json.object([&](std::string_view key) {
    if (key.size() == 1 && key[0] >= 'x' && key[0] <= 'z')
      sizes[static_cast<std::size_t>(key[0] - 'x')] = json.whole();
    else
      json.skip();
  });
  return sizes;
}

void read_value(JsonCursor& json, RocprofRecord& record) {
  std::uint64_t id = 0;
  double value = 0;
  json.object([&](std::string_view key) {
    if (key == "counter_id")
      id = rocprof_handle(json);
    else if (key == "value")
      value = json.real().value_or(0);
    else
      json.skip();
  });
  record.counters[id] += value;  // over all instances
}

void fill(JsonCursor& json, RocprofRecord& record) {
  json.object([&](std::string_view key) {
    if (key == "kind")
      record.kind = json.whole();
    else if (key == "operation")
      record.operation = json.whole();
    else if (key == "thread_id")
      record.thread = json.whole();
    else if (key == "correlation_id")
      record.correlation = rocprof_handle(json);
    else if (key == "start_timestamp")
      record.start = json.whole();
    else if (key == "end_timestamp")
      record.end = json.whole();
    else if (key == "bytes")
      record.bytes = json.whole();
    else if (key == "src_agent_id")
      record.from_agent = rocprof_handle(json);
    else if (key == "dst_agent_id")
      record.to_agent = rocprof_handle(json);
    else if (key == "agent_id")
      record.agent = rocprof_handle(json);
    else if (key == "queue_id")
      record.queue = rocprof_handle(json);
    else if (key == "kernel_id")
      record.kernel = json.whole();
    else if (key == "group_segment_size")
      record.shared = json.whole();
    else if (key == "private_segment_size")
      record.scratch = json.whole();
    else if (key == "workgroup_size")
      record.group = extent(json);
    else if (key == "grid_size")
      record.grid = extent(json);
    else if ((key == "dispatch_info" || key == "dispatch_data") && json.peek() == '{')
      fill(json, record);
    else if (key == "records")
      json.array([&] { read_value(json, record); });
    else
      json.skip();
  });
}
}  // namespace

std::uint64_t rocprof_handle(JsonCursor& json) {
  std::uint64_t value = 0;
  json.object([&](std::string_view key) {
    if (key == "handle" || key == "internal")
      value = json.whole();
    else
      json.skip();
  });
  return value;
}

RocprofRecord read_rocprof_record(JsonCursor& json) {
  RocprofRecord record;
  fill(json, record);
  return record;
}

}  // namespace roofline::formats
