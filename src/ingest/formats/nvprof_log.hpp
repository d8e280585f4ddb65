#pragma once

#include <string_view>

#include "roofline/ingest/import_sink.hpp"

namespace roofline::formats {

/// The lines that nvprof prints beside its tables.
class NvprofLog {
 public:
  explicit NvprofLog(ImportSink& sink) : sink_(sink) {}
  /// "==9630== NVPROF is profiling process 9630, command: ./a": the program and its process.
  void take(std::string_view line);
  /// The tables that follow repeat, range by range, what the one before them holds.
  bool in_ranges() const { return in_ranges_; }

 private:
  ImportSink& sink_;
  bool in_ranges_ = false;
};

}  // namespace roofline::formats
