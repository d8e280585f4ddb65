#include "ingest/formats/formats.hpp"

/// Stands for nsys_sqlite.cpp in a build without SQLite.
namespace roofline::formats {

bool is_nsys_sqlite(const FileHead& head) {
  return head.bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<void> read_nsys_sqlite(const std::string& path, const ImportOptions&, ImportSink&) {
  return fail(Code::wrong_type, {path, 0, 0, 1, {}, 0},
              "this SQLite database cannot be read: this build is without SQLite",
              "nsys stats --report cuda_gpu_trace --format csv REPORT.nsys-rep makes a table that "
              "it reads");
}

}  // namespace roofline::formats
