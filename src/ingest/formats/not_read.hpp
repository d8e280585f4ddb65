#pragma once

#include <optional>

#include "roofline/ingest/importer.hpp"

namespace roofline::formats {

/// Files that are known and hold no kernels: what they are, and what to do instead.
std::optional<Error> known_otherwise(const FileHead& head);

}  // namespace roofline::formats
