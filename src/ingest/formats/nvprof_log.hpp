#pragma once

#include <string_view>

#include "roofline/ingest/import_sink.hpp"

namespace roofline::formats {

/// The program and its process, from a line that nvprof prints beside its tables: "==9630== NVPROF
/// is profiling process 9630, command: ./a".
void take_nvprof_line(std::string_view line, ImportSink& sink);

}  // namespace roofline::formats
