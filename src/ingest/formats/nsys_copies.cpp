#include "ingest/formats/nsys_copies.hpp"

namespace roofline {
namespace {

struct Tables {
  const SqliteFile& file;
  const NsysClock& clock;
  NsysProcesses& processes;
  formats::NsysDevices& devices;
  ImportSink& sink;
};

/// ENUM_CUDA_MEMCPY_OPER.
capture::CopyKind copy_kind(std::uint64_t kind) {
  using capture::CopyKind;
  constexpr CopyKind kKinds[] = {
      CopyKind::unknown,
      CopyKind::host_to_device,
      CopyKind::device_to_host,
      CopyKind::array,
      CopyKind::array,
      CopyKind::array,
      CopyKind::array,
      CopyKind::array,
      CopyKind::device_to_device,
      CopyKind::host_to_host,
      CopyKind::peer,
      CopyKind::host_to_device,
      CopyKind::device_to_host,
      CopyKind::device_to_device,
  };
  return kind < std::size(kKinds) ? kKinds[kind] : CopyKind::unknown;
}

capture::Copy copy_of(const Tables& tables, const SqliteRows& rows, capture::CopyKind kind) {
  capture::Copy copy;
  copy.kind = static_cast<std::uint64_t>(kind);
  copy.start = tables.clock.of(rows, 0);
  copy.end = tables.clock.of(rows, 1);
  copy.device = tables.devices.ordinal(rows.number(2), nsys_process_of(rows.number(5)));
  copy.stream = rows.number(3);
  copy.correlation = tables.processes.correlation(rows.number(4), rows.number(5));
  copy.bytes = rows.number(6);
  return copy;
}

bool read_copies(const Tables& tables) {
  constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId",   "streamId",
                                           "correlationId", "globalPid", "bytes",      "copyKind",
                                           "srcKind",       "dstKind",   "graphNodeId"};
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
  if (!tables.file.has_table(kTable)) return true;
  SqliteRows rows(tables.file, kTable, kColumns);
  const auto is_pageable = [&](int column) {  // ENUM_CUDA_MEM_KIND: 0 is pageable
    return rows.is_integer(column) && rows.integer(column) == 0;
  };
  while (rows.next()) {
    const auto kind = copy_kind(rows.number(7));
    auto copy = copy_of(tables, rows, kind);
    const bool pageable = (kind == capture::CopyKind::host_to_device && is_pageable(8)) ||
                          (kind == capture::CopyKind::device_to_host && is_pageable(9));
    copy.pageable = pageable ? 1 : 0;
    copy.graph = rows.is_null(10) ? 0 : 1;
    tables.sink.add(copy);
  }
  return !rows.damaged();
}

bool read_sets(const Tables& tables) {
  constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId", "streamId",
                                           "correlationId", "globalPid", "bytes",    "graphNodeId"};
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_MEMSET";
  if (!tables.file.has_table(kTable)) return true;
  SqliteRows rows(tables.file, kTable, kColumns);
  while (rows.next()) {
    auto copy = copy_of(tables, rows, capture::CopyKind::set);
    copy.graph = rows.is_null(7) ? 0 : 1;
    tables.sink.add(copy);
  }
  return !rows.damaged();
}

}  // namespace

bool read_nsys_copies(const SqliteFile& file, const NsysClock& clock, NsysProcesses& processes,
                      formats::NsysDevices& devices, ImportSink& sink) {
  const Tables tables{file, clock, processes, devices, sink};
  const bool copies = read_copies(tables), sets = read_sets(tables);
  return copies && sets;
}

}  // namespace roofline
