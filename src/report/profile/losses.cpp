#include <algorithm>

#include "report/profile/profile_report.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"buffers_out_of_memory", "buffers that there was no memory for"},
    {"buffers_unreadable", "buffers whose end could not be read"},
    {"capture_not_closed", "captures that end early, their program being killed or still running"},
    {"counters_of_unknown_kernels", "counter values without a kernel"},
    {"damaged_records", "records that are damaged"},
    {"invalid_times", "records without a valid time, which are in no figure"},
    {"kernels_past_limit", "kernels past a million distinct ones"},
    {"kinds_refused", "kinds of records that CUPTI would not collect"},
    {"launches_of_unknown_kernels", "launches of kernels that the capture does not name"},
    {"names_past_limit", "names past a million distinct ones"},
    {"no_buffers", "times that another profiler in the program took our records"},
    {"ranges_forgotten", "NVTX ranges past the number that is kept open"},
    {"ranges_of_standard_input", "NVTX ranges of standard input, which cannot be read twice"},
    {"ranges_open", "NVTX ranges that were never closed"},
    {"ranges_past_limit", "NVTX ranges past a million, or without a valid time"},
    {"records_dropped", "records that CUPTI dropped for want of buffers"},
    {"records_of_a_newer_version", "records of a newer roofline, not read"},
    {"records_unknown", "records of kinds that are not read"},
    {"records_unwritten",
     "records that could not be written, the disk being full or the folder gone"},
};

}  // namespace

std::string loss_text(std::string_view reason) {
  const auto* row = std::find_if(std::begin(kReasons), std::end(kReasons),
                                 [&](const auto& r) { return r.first == reason; });
  return row == std::end(kReasons) ? printable(reason) : std::string(row->second);
}

}  // namespace roofline
