#include "ingest/formats/ncu_log.hpp"

#include <fmt/format.h>

#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

namespace roofline::formats {
namespace {

struct Advice {
  std::string_view says, hint;
};
constexpr Advice kAdvice[] = {
    {"ERR_NVGPUCTRPERM",
     "the counters of that machine are for its administrator: run ncu as root, or load the driver "
     "with NVreg_RestrictProfilingToAdminUsers=0"},
    {"returned an error code", "the program itself failed under ncu: make it run alone first"},
    {"No kernels were profiled",
     "no launch passed ncu's filters: look at --kernel-name, --launch-skip and --launch-count"},
    {"No metrics to collect", "name them: ncu --set full, or --metrics"},
    {"Failed to find metric", "that GPU has no such metric: ncu --query-metrics lists them"},
    {"profiler is currently", "only one profiler at a time may use the counters"},
    {"Driver resource",
     "another profiler or monitor (DCGM) held the counters: stop it for the time of the run"},
};

}  // namespace

bool has_ncu_lines(std::string_view text) {
  for (const std::string_view mark : {"==PROF== ", "==ERROR== ", "==WARNING== "})
    for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1))
      if (at == 0 || text[at - 1] == '\n' || text[at - 1] == '\xbf') return true;
  return false;
}

Error ncu_without_kernels(std::string_view text, const std::string& file) {
  Error error{Code::empty_input, {file, 0, 0, 1, {}, 0}, {}, {}, {}};
  std::string warning;
  int processes = 0, warning_line = 0;
  for (Lines lines(text); lines.next();) {
    const auto line = lines.line();
    const auto said = [&](std::string_view mark) {
      return shortened(printable(trimmed(line.substr(mark.size()))), 300);
    };
    if (line.starts_with("==PROF== Connected")) ++processes;
    if (line.starts_with("==WARNING==") && warning.empty()) {
      warning = said("==WARNING==");
      warning_line = lines.number();
    }
    if (!line.starts_with("==ERROR==")) continue;
    error.where.line = lines.number();
    error.where.column = 1;
    error.what = "ncu profiled no kernel: " + said("==ERROR==");
    break;
  }
  if (error.what.empty() && !warning.empty()) {
    error.where.line = warning_line;
    error.where.column = 1;
    error.what = "ncu profiled no kernel: " + warning;
  }
  for (const auto& row : kAdvice)
    if (error.what.find(row.says) != std::string::npos) error.hint = row.hint;
  if (!error.what.empty()) return error;
  error.what = fmt::format(
      "this log of ncu holds no table: it was connected to {} process{} and profiled no kernel",
      processes, processes == 1 ? "" : "es");
  error.hint =
      "the run ended before a kernel, or none passed the filters (--kernel-name, --launch-skip)";
  return error;
}

}  // namespace roofline::formats
