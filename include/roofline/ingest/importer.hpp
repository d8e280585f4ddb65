#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roofline/base/byte_stream.hpp"
#include "roofline/base/result.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// The beginning of a file, decompressed: what formats are told apart by.
struct FileHead {
  static constexpr std::size_t kBytes = std::size_t{1} << 16;
  std::string name;    ///< as the user gave it; "<stdin>" for standard input
  std::string bytes;   ///< at most kBytes
  bool whole = false;  ///< there is nothing more in the file
};

/// What the user said about a file that it does not say itself.
struct ImportOptions {
  std::optional<char> decimal;  ///< '.' or ',' in numbers of a table whose own do not settle it
  std::string dtype;            ///< of tables that name none (triton.testing)
  std::function<void(std::uint64_t bytes_read, std::uint64_t launches)> progress;  ///< may be empty
};

/// A format of another profiler or harness: one file in src/ingest/formats, one row in
/// src/ingest/importers.cpp.
struct Importer {
  std::string_view name;  ///< what --from takes: "chrome-trace"
  std::string_view doc;  ///< one line for people: "PyTorch (Kineto) and other Chrome traces, .json"
  /// Whether these bytes are of this format. Formats are asked in the order of the table.
  bool (*sniff)(const FileHead& head);
  /// Reads `path` ("-" is standard input) to its end into `sink`. Streams and whole texts come from
  /// ByteStream::open and read_input, which undo gzip, zstd and zip. Errors, with file:line:column
  /// where the format has them: what cannot be trusted (spoiled times, an ambiguous decimal sign),
  /// what is not this format. A file that is cut is no error: sink.truncated(). A file with no
  /// kernel is none either, but a reason is told with sink.lose() where the file tells one.
  Result<void> (*read)(const std::string& path, const ImportOptions& options, ImportSink& sink);
};

/// THE TABLE of importers, the most specific sniff first.
std::span<const Importer> importers();
const Importer* find_importer(std::string_view name);

/// The first 64 KiB of a file. Errors: cannot_read.
Result<FileHead> read_head(const std::string& path);
/// The format of a head, nullptr: none that is read here.
const Importer* importer_of(const FileHead& head);

/// Whether a file is one of another tool's that holds no kernels (nccl-tests, STREAM): import_file()
/// refuses it by its name.
bool is_known_otherwise(const FileHead& head);

/// A foreign file as a capture.
struct Imported {
  const Importer* importer = nullptr;
  std::string capture;  ///< roofline.capture/1
};
/// Reads a file with `importer`, or with the one its head tells. Errors: unknown_format, with the
/// formats that are read; those of the importer.
Result<Imported> import_file(const std::string& path, const Importer* importer,
                             const ImportOptions& options);

}  // namespace roofline
