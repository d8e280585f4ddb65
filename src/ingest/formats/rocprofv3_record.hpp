#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "ingest/json_cursor.hpp"

namespace roofline::formats {

/// A record of any kind: what it does not have stays 0.
struct RocprofRecord {
  std::uint64_t kind = 0, operation = 0, thread = 0, correlation = 0, start = 0, end = 0, bytes = 0;
  std::uint64_t agent = 0, from_agent = 0, to_agent = 0, queue = 0, kernel = 0, shared = 0,
                scratch = 0;
  std::array<std::uint64_t, 3> group{}, grid{};
  std::map<std::uint64_t, double> counters;  // by id
};
RocprofRecord read_rocprof_record(JsonCursor& json);

/// The number in {"handle": 1}, as agents, queues and counters are referred to.
std::uint64_t rocprof_handle(JsonCursor& json);

}  // namespace roofline::formats
