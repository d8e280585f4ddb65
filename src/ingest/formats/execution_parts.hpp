#pragma once

#include <cstdint>
#include <vector>

#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// A launch of a stream whose operation is known, but not which execution of it the launch is of.
struct StreamLaunch {
  std::uint64_t start = 0;
  std::uint32_t launch = 0, operation = 0, shape = 0;
};

/// Tells the launches of one execution of their operation from those of the next: in a row of
/// launches of one operation each repetition of the whole row is an execution. Launches without an
/// operation are passed over.
void number_parts(std::vector<StreamLaunch>& stream, ImportSink& sink);

}  // namespace roofline
