#pragma once

#include "ingest/formats/nsys_devices.hpp"
#include "ingest/formats/nsys_tables.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// Copies and sets of an export of Nsight Systems. False: the file could not be read further.
bool read_nsys_copies(const SqliteFile& file, const NsysClock& clock, NsysProcesses& processes,
                      formats::NsysDevices& devices, ImportSink& sink);

}  // namespace roofline
