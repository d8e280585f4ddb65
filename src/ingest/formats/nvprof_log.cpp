#include "ingest/formats/nvprof_log.hpp"

#include <charconv>

#include "roofline/base/text.hpp"

namespace roofline::formats {

void NvprofLog::take(std::string_view line) {
  constexpr std::string_view kCommand = ", command: ", kProcess = "profiling process ";
  if (const auto at = line.find(kCommand); at != std::string_view::npos)
    sink_.command(trimmed(line.substr(at + kCommand.size())));
  if (const auto at = line.find(kProcess); at != std::string_view::npos) {
    long long pid = 0;
    std::from_chars(line.data() + at + kProcess.size(), line.data() + line.size(), pid);
    sink_.process(pid);
  }
  if (line.find("Profiling result:") != std::string_view::npos) in_ranges_ = false;
  if (line.find("NVTX result:") != std::string_view::npos) in_ranges_ = true;
}

}  // namespace roofline::formats
