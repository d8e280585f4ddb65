#include "report/report_words.hpp"

namespace roofline {
namespace {

// A code may have two kinds: lower_precision is a lever of a slow kernel and a cause of an
// impossible time.
constexpr ReportWord kWords[] = {
    {"memory", "bound",
     "DRAM sets the time floor: compulsory bytes / bandwidth is longer than what any datapath "
     "needs."},
    {"compute", "bound",
     "A datapath sets the time floor: its FLOPs / its peak is longer than what DRAM needs."},
    {"overhead", "bound",
     "The floor (or the measured time) is below twice the launch floor, or the CPU needs longer to "
     "launch a "
     "sequence than the GPU to run it: what the kernel does hardly matters."},
    {"link", "bound", "A link to another device or to the host sets the time floor."},
    {"unknown", "bound",
     "No rate is published for what the kernel needs most, or its measured time fits neither "
     "side."},
    {"balanced", "note",
     "A second resource needs nearly as long as the one that sets the floor: helping one alone "
     "gains little."},

    {"impossible", "status",
     "The measured time is below 0.98 of the floor. No verdict is given; the causes come in the "
     "order in which "
     "they were tried, and such a result cannot become a baseline."},
    {"at_ceiling", "status",
     "At 85 % of the ceiling or more: nothing to win without changing the algorithm, the fusion or "
     "the dtype."},
    {"near", "status", "Between 60 and 85 % of the ceiling."},
    {"under_roof", "status", "Below 60 % of the ceiling: a gap of the implementation."},
    {"high", "confidence",
     "A memory bound at 80 % of DRAM with more data than the L2 can serve, or a compute bound at "
     "60 %."},
    {"likely", "confidence", "A memory bound at 70 to 80 % of DRAM."},
    {"floor", "confidence",
     "Only the floor speaks: nothing was measured, or the time is too far from the ceiling to "
     "confirm it."},

    {"fewer_bytes", "lever",
     "Fusion with a neighbour, narrower types, better layouts: fewer bytes across DRAM."},
    {"more_reuse", "lever",
     "More rows (batch) or larger tiles against the same bytes raise the intensity."},
    {"higher_bandwidth", "lever", "A GPU with faster memory: a memory floor falls in proportion."},
    {"lower_precision", "lever", "A narrower type on a faster tensor unit."},
    {"better_instructions", "lever", "wgmma or tcgen05 instead of mma.sync: the full tensor rate."},
    {"fewer_flops", "lever", "Another algorithm with less arithmetic."},
    {"fewer_special_functions", "lever",
     "Part of the exponentials as polynomials on the vector pipe."},
    {"fewer_launches", "lever",
     "Fusion, a persistent kernel, or a graph: fewer launches for the same work."},
    {"cuda_graph", "lever", "One launch for all kernels, and less time from one to the next."},
    {"close_gap", "lever",
     "The implementation: what is named without a counter that shows it is a candidate, not a "
     "finding."},
    {"overlap_link", "lever", "Run it beside compute that does not wait for it."},
    {"fewer_link_bytes", "lever", "Narrower types, or a faster link."},

    {"latency_likely", "note",
     "A memory floor between two launches and 10 us: in practice latency, not bandwidth, mostly "
     "sets such a time."},
    {"fits_l2", "note", "All bytes fit the L2: runs with warm data may beat the DRAM floor."},
    {"no_rate", "note",
     "A datapath that the kernel uses has no published rate on this GPU: that side is not in the "
     "floor."},
    {"no_link_rate", "note", "The link has no published rate: it is not in the floor."},
    {"mma_sync", "note",
     "On this GPU kernels that issue mma.sync meet a lower tensor ceiling; `path: mma_sync` "
     "selects it."},
    {"practical_traffic", "note",
     "The usual implementation moves more than the compulsory bytes, because the data does not "
     "stay on chip "
     "between its passes."},
    {"timing_unknown", "note",
     "So short a time means different things by how it was taken: `timing:` says how."},
    {"undecided", "note",
     "The time is far from the floor of one side and the other side may explain it: neither is "
     "named."},
    {"suspicious_fraction", "note",
     "A matrix product above 90 % of DRAM is usually served by the L2."},
    {"doubtful_figure", "note", "Sources disagree on a ceiling, or it fails its own arithmetic."},
    {"unconfirmed_figure", "note", "No source of good standing was read for a ceiling."},
    {"preliminary_gpu", "note", "The vendor calls the figures of this GPU preliminary."},

    {"empty_problem", "cause", "Nothing was asked for: the time is that of a launch."},
    {"l2_resident", "cause",
     "The working set is at most 1.5 times the L2: it need not have come from DRAM."},
    {"l2_warm", "cause", "Data of the launch before was still in the L2."},
    {"other_peak", "cause", "One side counts structured sparsity, or another variant's peak."},
    {"lower_precision", "cause",
     "The time fits the next lower precision: the dtype may be labelled wrongly."},
    {"clock_above_sheet", "cause", "The chip ran above the clock of its data sheet."},
    {"fewer_flops_algorithm", "cause",
     "An algorithm with fewer FLOPs than were counted: Winograd, FFT, Strassen."},
    {"masked_work", "cause", "Masked or windowed work was counted as full."},
    {"bytes_not_needed", "cause",
     "Bytes were counted that nobody needs: strides, rows that repeat, experts that no token "
     "chose."},
    {"unit_slip", "cause", "The ratio is that of GiB to GB, of MAC to FLOP, or of ms to s."},
    {"other_gpu", "cause", "Another GPU, another variant of it, or a MIG slice."},
    {"wrong_measurement", "cause",
     "The time is of something else: one of several kernels, a failed run, a launch without its "
     "end."},
};

}  // namespace

std::span<const ReportWord> report_words() { return kWords; }

}  // namespace roofline
