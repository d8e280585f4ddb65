#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/base/byte_stream.hpp"
#include "roofline/base/result.hpp"
#include "roofline/kernel/capture.hpp"

namespace roofline {

/// The first line of a capture: who was profiled, by what, when.
struct CaptureHeader {
  std::string file;  ///< as the user named it
  std::string tool_version, host, command, mode;
  long long pid = 0, parent = 0, run = 0;
  std::optional<long long> rank, world_size;
  std::uint64_t started_unix_ns = 0;
  std::optional<std::uint64_t> warmups;  ///< see ProfiledProcess
  std::string format, imported_from,
      cut;  ///< of an imported file: its format, the tool, and where it ends too early
  bool simulated = false;  ///< by the stand-in driver of the tests
};

/// Receives the records of a capture in the order of the file. References hold for the call.
class CaptureVisitor {
 public:
  virtual ~CaptureVisitor() = default;
  virtual void record(const capture::Text&) {}
  virtual void record(const capture::Device&) {}
  virtual void record(const capture::Shape&) {}
  virtual void record(const capture::Launch&) {}
  virtual void record(const capture::Copy&) {}
  virtual void record(const capture::Api&) {}
  virtual void record(const capture::Overhead&) {}
  virtual void record(const capture::Wait&) {}
  virtual void record(const capture::Range&) {}
  virtual void record(const capture::Counters&) {}
  virtual void record(const capture::Loss&) {}
  virtual void record(const capture::Clock&) {}
  virtual void record(const capture::Status&) {}
  virtual void record(const capture::Code&) {}
  virtual void record(const capture::End&) {}
  virtual void record(const capture::Graph&) {}
  virtual void record(const capture::Sample&) {}
  virtual void record(const capture::Operation&) {}
  virtual void record(const capture::Summary&) {}
};

/// What reading a capture came to.
struct CaptureTally {
  std::uint64_t records = 0;
  std::uint64_t damaged = 0;                      ///< payloads that are not what their tag says
  std::map<std::uint8_t, std::uint64_t> unknown;  ///< records by a tag of a newer version
  std::uint64_t cut_bytes = 0;                    ///< of a last record that is not whole
  bool ended = false;                             ///< the writer closed the file
};

/// A capture: a file, or the bytes of one that was made in memory.
struct CaptureSource {
  std::string name;                            ///< a path, "-" for standard input
  std::shared_ptr<const std::string> content;  ///< nullptr: to be read from `name`
};

/// roofline.capture/1, read piece by piece: memory does not grow with the file, and a file whose
/// writer died is read up to its last whole record.
class CaptureFile {
 public:
  /// Reads the header. Errors: cannot_read; wrong_type for what is no capture, with the newer
  /// schema named where it is one of a later version; bad_number and the like for a header that
  /// says nonsense.
  static Checked<CaptureFile> open(const std::string& path);
  static Checked<CaptureFile> open(const CaptureSource& source);
  static Checked<CaptureFile> open(ByteStream stream);

  const CaptureHeader& header() const { return header_; }
  /// Hands every record to `visitor`; once. Errors: cannot_read.
  Result<CaptureTally> read(CaptureVisitor& visitor);

 private:
  explicit CaptureFile(ByteStream stream) : stream_(std::move(stream)) {}
  Result<bool> refill();  ///< false: nothing more to come

  ByteStream stream_;
  CaptureHeader header_;
  std::string buffer_;
  std::size_t taken_ = 0, filled_ = 0;  // of buffer_: what was used, what was read
};

/// The captures in a folder, sorted by name; a file is itself. Errors: cannot_read; empty_input for
/// a folder without one.
Result<std::vector<std::string>> capture_files(const std::string& path);

}  // namespace roofline
