#include "ingest/formats/nvprof_log.hpp"

#include <charconv>

#include "roofline/base/text.hpp"

namespace roofline::formats {

void take_nvprof_line(std::string_view line, ImportSink& sink) {
  constexpr std::string_view kCommand = ", command: ", kProcess = "profiling process ";
  if (const auto at = line.find(kCommand); at != std::string_view::npos)
    sink.command(trimmed(line.substr(at + kCommand.size())));
  if (const auto at = line.find(kProcess); at != std::string_view::npos) {
    long long pid = 0;
    std::from_chars(line.data() + at + kProcess.size(), line.data() + line.size(), pid);
    sink.process(pid);
  }
}

}  // namespace roofline::formats
