#include <algorithm>

#include "report/profile/profile_report.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"benchmarks_failed", "benchmarks that ended in an error"},
    {"benchmarks_skipped", "benchmarks that their program skipped"},
    {"buffers_out_of_memory", "buffers that there was no memory for"},
    {"buffers_unreadable", "buffers whose end could not be read"},
    {"capture_not_closed", "captures that end early, their program being killed or still running"},
    {"codes_forgotten", "kernels whose machine code is not known, there being too many"},
    {"copies_summed", "copies and sets of which the file has sums alone"},
    {"counters_of_unknown_kernels", "counter values without a kernel"},
    {"damaged_records", "records that are damaged"},
    {"data_behind_document",
     "files in which something stands behind the end of the document, such as another one"},
    {"duration_not_measured",
     "kernels without a duration: the report has counters of them and no time "
     "(gpu__time_duration)"},
    {"events_before_their_track",
     "inputs that name a GPU's tracks behind their events, and cannot be read twice"},
    {"events_damaged",
     "events of a trace that are no valid JSON: repaired where that could be done, or left out"},
    {"events_of_other_accelerators", "events of another accelerator than a GPU"},
    {"events_unpaired", "events of a trace with a beginning and no end, or the reverse"},
    {"gpu_guessed",
     "GPUs named by a guess: the file does not say which of several kinds ran the kernels"},
    {"gpu_not_named", "files that do not name the GPU"},
    {"file_cut", "files that end too early"},
    {"graph_launches_not_counted",
     "graph launches whose kernels were not counted (--sample sees them)"},
    {"host_calls_passed_over", "rows of host calls, which are no kernels"},
    {"invalid_times", "records without a valid time, which are in no figure"},
    {"kernels_launched_too_seldom",
     "kernels with no launch counted: all of theirs are passed over (--skip)"},
    {"kernels_past_limit", "kernels past a million distinct ones"},
    {"kernels_without_name", "launches whose kernel the file does not name"},
    {"kinds_refused", "kinds of records that CUPTI would not collect"},
    {"launches_excluded", "launches not counted for their name: such kernels must not be replayed"},
    {"launches_forgotten", "launches not counted, there being too many distinct ones"},
    {"launches_not_counted", "launches not counted, a call of CUPTI having failed"},
    {"launches_of_proton_itself",
     "kernels that Proton's own hooks ran, which are none of the program"},
    {"launches_of_unknown_kernels", "launches of kernels that the capture does not name"},
    {"launches_unknown", "launches not counted, being made by calls that cannot be"},
    {"metrics_unknown", "counters that this CUPTI does not have"},
    {"names_cut",
     "names of kernels that the file has cut: kernels that differ behind the cut are one"},
    {"names_past_limit", "names past a million distinct ones"},
    {"no_buffers", "times that another profiler in the program took our records"},
    {"no_gpu_plane", "profiles without a plane of a GPU: nothing ran on one, or it was not traced"},
    {"no_kernel_events",
     "traces without a kernel on a GPU: none ran, or GPU activity was not recorded"},
    {"no_kernel_table",
     "files without any record of kernels: nothing ran on a GPU, or it was not traced"},
    {"operations_past_limit", "operations past a million distinct ones"},
    {"operations_unknown", "launches for operations that the capture does not name"},
    {"operators_unreadable",
     "lists of operators that could not be read back from a temporary file"},
    {"profiler_ranges", "ranges of CUPTI's range profiler, which hold counters instead of kernels"},
    {"programs_unreadable",
     "programs of XLA that could not be read: of their kernels the names alone are known"},
    {"ranges_forgotten", "NVTX ranges past the number that is kept open"},
    {"ranges_of_standard_input", "NVTX ranges of standard input, which cannot be read twice"},
    {"ranges_open", "NVTX ranges that were never closed"},
    {"ranges_past_limit", "NVTX ranges past a million, or without a valid time"},
    {"ranges_unexpected", "counted launches that others got into, thrown away"},
    {"rates_without_work", "rates of a table that does not say of what work"},
    {"records_dropped", "records that CUPTI dropped for want of buffers"},
    {"records_of_a_newer_version", "records of a newer roofline, not read"},
    {"records_unknown", "records of kinds that are not read"},
    {"passes_differ",
     "counter sets whose replay passes are not those of the table: this CUPTI is another"},
    {"profiler_stopped", "processes in which CUPTI stopped on its own: what came after is missing"},
    {"records_unwritten",
     "records that could not be written, the disk being full or the folder gone"},
    {"results_incorrect", "results that cutlass_profiler found wrong, which are in no figure"},
    {"results_not_verified",
     "results that cutlass_profiler did not verify, which are in no figure"},
    {"results_without_time", "results without a time"},
    {"rows_repeated", "rows of kernels that another table of the file has already"},
    {"rows_unreadable", "rows of a table that could not be read"},
    {"samples_overflowed", "times that the sampling buffer ran over"},
    {"starts_too_coarse",
     "traces whose starts have too few digits: what lay between kernels is not known"},
    {"times_of_the_host", "times by the host's clock, which need not be a GPU's"},
    {"traffic_not_measured",
     "kernels without DRAM traffic: the report does not have dram__bytes_read and "
     "dram__bytes_write"},
};

constexpr std::pair<std::string_view, std::string_view> kUnmatched[] = {
    {"in_a_graph", "in a CUDA graph, whose operators the file does not tell"},
    {"no_operation", "the file does not tell what they were launched for"},
    {"no_rate_of_this_gpu", "this GPU has no figure for their datapath"},
    {"operation_contradictory", "their operator's sizes contradict one another"},
    {"operation_cut", "the first kernel of their operator is not in the file"},
    {"operation_lengths_unknown",
     "the lengths of their sequences, or how much of their operands they use, is not recorded"},
    {"operation_not_modelled", "no work is known of their operator; --spec can describe it"},
    {"operation_without_arguments", "an argument that decides their work is not recorded"},
    {"operation_without_dtype", "the types of their operands are not recorded"},
    {"operation_without_shapes",
     "the shapes of their operands are not recorded (by PyTorch with record_shapes=True)"},
};

template <std::size_t N>
std::string text_in(const std::pair<std::string_view, std::string_view> (&table)[N],
                    std::string_view reason) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const auto& r) { return r.first == reason; });
  return row == std::end(table) ? printable(reason) : std::string(row->second);
}

}  // namespace

std::string loss_text(std::string_view reason) { return text_in(kReasons, reason); }
std::string unmatched_text(std::string_view reason) { return text_in(kUnmatched, reason); }

}  // namespace roofline
