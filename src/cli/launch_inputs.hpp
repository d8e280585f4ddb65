#pragma once

#include <string>
#include <vector>

#include "roofline/ingest/importer.hpp"
#include "roofline/profile/capture_file.hpp"

/// Inputs that hold launches instead of descriptions: captures, folders of them, files of other
/// tools.
namespace roofline::cli {

/// How files of other tools are read.
struct ForeignOptions {
  std::string from;  ///< name of the format; empty: told from the file
  ImportOptions options;
};

/// What `--from`, `--decimal` and `--dtype` say. Errors: unknown names.
Checked<ForeignOptions> foreign_options(const std::string& from, const std::string& decimal,
                                        const std::string& dtype);

/// True where an input is a capture, a folder, or of a format that is imported. Looking at standard
/// input loses nothing.
Result<bool> hold_launches(const std::vector<std::string>& inputs);

/// The inputs as captures, those of other tools imported. Errors: those of the files; the first one
/// that cannot be read ends it.
Checked<std::vector<CaptureSource>> capture_sources(const std::vector<std::string>& inputs,
                                                    const ForeignOptions& foreign);

}  // namespace roofline::cli
