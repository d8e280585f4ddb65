#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "roofline/ingest/importer.hpp"

/// libFuzzer's entry for the importers: any bytes are read or refused, and nothing else happens.
/// ROOFLINE_FUZZ_FORMAT names the format; without it the bytes choose theirs, as a user's file
/// does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const roofline::Importer* const kImporter = [] {
    const char* name = std::getenv("ROOFLINE_FUZZ_FORMAT");
    const auto* importer = name ? roofline::find_importer(name) : nullptr;
    if (name && !importer) std::abort();  // a name that is none would fuzz nothing
    return importer;
  }();
  const int file = memfd_create("input", 0);
  if (file < 0) std::abort();
  for (std::size_t at = 0; at < size;) {
    const auto written = write(file, data + at, size - at);
    if (written <= 0) std::abort();
    at += static_cast<std::size_t>(written);
  }
  const auto path = "/proc/self/fd/" + std::to_string(file);
  const auto imported = roofline::import_file(path, kImporter, {});
  close(file);
  return imported && imported->capture.empty() ? -1 : 0;
}
