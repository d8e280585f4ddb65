#pragma once

#include <cstddef>
#include <string>

#include "roofline/base/result.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// The whole of a file as text, unpacked; "-" is standard input. A packed file that ends early is
/// no error: what was unpacked is given, and the sink is told. Errors: cannot_read; limit_exceeded
/// past `limit` bytes.
Result<std::string> read_text(const std::string& path, std::size_t limit, ImportSink& sink);

}  // namespace roofline
