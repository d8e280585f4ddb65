#pragma once

#include <cstdint>
#include <string_view>

#include "roofline/kernel/capture.hpp"

/// What XLA's profiler writes into an event of a GPU as text, in its .xplane.pb as in the trace for
/// a browser.
namespace roofline {

/// "regs:24 static_shared:0 dynamic_shared:0 grid:4096,1,1 block:256,1,1 occ_pct:100" into a
/// launch's shape; what is not told stays 0.
void read_xla_details(std::string_view kernel_details, capture::Shape& shape);

/// Bytes of "kind_src:device kind_dst:device size:4096 dest:0 async:1" or "... num_bytes:4096"; 0:
/// not told.
std::uint64_t xla_copy_bytes(std::string_view details);
/// By the name of the event: "MemcpyH2D".
capture::CopyKind xla_copy_kind(std::string_view name);

}  // namespace roofline
