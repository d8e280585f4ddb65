#pragma once

#include "roofline/ingest/importer.hpp"

/// What the table of importers is made of: two functions for each format, defined in the file of
/// its name.
namespace roofline::formats {

}  // namespace roofline::formats
