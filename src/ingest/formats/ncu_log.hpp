#pragma once

#include <string>
#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/ingest/importer.hpp"

namespace roofline::formats {

/// Whether a line of ncu itself ("==PROF==", "==ERROR==", "==WARNING==") stands in the text.
bool has_ncu_lines(std::string_view text);

/// Why a run of ncu left no kernel: its own message where it gave one, with what to do.
Error ncu_without_kernels(std::string_view text, const std::string& file);

/// The kernels of ncu's text pages. False: the text has none.
Result<bool> read_ncu_pages(std::string_view text, const std::string& file,
                            const ImportOptions& options, ImportSink& sink);

}  // namespace roofline::formats
