#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/formats/chrome_trace_event.hpp"
#include "ingest/formats/chrome_trace_operators.hpp"
#include "roofline/kernel/operation.hpp"

namespace roofline {

/// What the "args" of an event on a GPU say. Lists and what is rarely asked for stay as they are.
struct GpuArguments {
  GpuArguments(const ChromeTraceReader::Item& item, const TraceEvent& event, JsonLayout& layout);
  static JsonLayout layout();  ///< that of one trace, before the first is read

  std::optional<std::uint64_t> device, stream;
  std::uint64_t correlation = 0, external = 0, graph = 0;
  std::string_view grid, block, registers, shared, bytes, kind;
  /// "grid_x" and its kin, of ONNX Runtime.
  std::array<std::string_view, 3> grid_sizes, block_sizes;
  bool odd = false;  ///< there are values that JSON does not know

  /// The three numbers of a list, zeros where there are none.
  static std::array<std::uint64_t, 3> three(std::string_view list);
  static std::array<std::uint64_t, 3> three(const std::array<std::string_view, 3>& sizes);

  TraceCollective collective;  ///< of a kernel of NCCL or RCCL
};

/// What the "args" of a call of the runtime or driver say.
struct CallArguments {
  CallArguments(const ChromeTraceReader::Item& item, const TraceEvent& event, JsonLayout& layout);
  static JsonLayout layout();  ///< that of one trace, before the first is read
  std::uint64_t correlation = 0;
};

/// What the "args" of an operator say.
struct OperatorArguments {
  OperatorArguments(const ChromeTraceReader::Item& item, const TraceEvent& event,
                    JsonLayout& layout);
  static JsonLayout layout();  ///< that of one trace, before the first is read
  std::uint64_t external = 0;
  TraceOperators::Arguments lists;
};

/// What the "args" of an event say whose track tells that it is of a GPU: XLA's, rocprof's.
struct TrackArguments {
  TrackArguments(const ChromeTraceReader::Item& item, const TraceEvent& event);
  std::uint64_t correlation = 0;
  std::string_view kernel_details, copy_details, module, instruction;
  std::string_view text;  ///< the instruction as XLA prints it ("long_name")

  /// XLA's instruction: its name and its program's. Its work follows from its text, where that is
  /// told and the instruction is no fusion.
  Operation operation() const;
};

/// The "name" among the arguments of a metadata event.
std::string track_name(const ChromeTraceReader::Item& item, const TraceEvent& event);

}  // namespace roofline
