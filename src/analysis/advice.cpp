#include <fmt/format.h>

#include <algorithm>

#include "roofline/analysis/verdict.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

struct Context {
  const Kernel& kernel;
  const Verdict& verdict;
  const Ceilings& ceilings;

  Seconds now() const { return kernel.time ? *kernel.time : verdict.floor.time; }
  bool contraction() const { return kernel.work.headline() == Work::Headline::matmul; }
  /// What is left of the floor when the DRAM term vanishes: the datapaths, and a launch.
  Seconds without_dram() const { return std::max(verdict.floor.compute(), verdict.launch_floor); }
};

Seconds gain(Seconds from, Seconds to) { return std::max(Seconds(0), from - to); }

/// The next type down that this GPU has a faster tensor unit for; {none} where there is none.
RateType lower_type(const Gpu& gpu, Pipe pipe) {
  constexpr RateType kLadder[] = {RateType::fp64, RateType::fp32, RateType::tf32, RateType::bf16,
                                  RateType::fp8,  RateType::fp4};
  const auto current = pipe.type == RateType::fp16   ? RateType::bf16
                       : pipe.type == RateType::int8 ? RateType::fp8
                       : pipe.type == RateType::fp6  ? RateType::fp8
                                                     : pipe.type;
  const auto* at = std::find(std::begin(kLadder), std::end(kLadder), current);
  if (at == std::end(kLadder)) return RateType::none;
  for (++at; at != std::end(kLadder); ++at) {
    if (gpu.tensor[static_cast<std::size_t>(*at)]) return *at;
    if (*at == RateType::fp8 && gpu.tensor[static_cast<std::size_t>(RateType::int8)]) return RateType::int8;
  }
  return RateType::none;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

void memory_levers(const Context& c, std::vector<Lever>& list) {
  const Seconds floor = c.verdict.floor.time;
  const Seconds most = gain(floor, c.without_dram());
  const auto* pipe = c.verdict.floor.slowest_pipe();
  const std::string until = c.verdict.launch_floor >= c.verdict.floor.compute() || !pipe
                                ? std::string("until launches limit it")
                                : "until the " + pipe_title(pipe->ceiling.resource.pipe) + " pipe limits it";
  list.push_back({"fewer_bytes",
                  fmt::format("fewer bytes: fuse it with a neighbour or narrow the type; at most {} of the floor, {}",
                              format_seconds(most), until), most});
  if (c.contraction() && c.verdict.ridge && c.verdict.intensity && c.verdict.intensity->value() > 0)
    list.push_back({"more_reuse",
                    fmt::format("more reuse: more rows (batch) against the same bytes; {} times the intensity reaches the ridge",
                                format_number(*c.verdict.ridge / *c.verdict.intensity)), most});
  list.push_back({"higher_bandwidth",
                  "higher bandwidth: the floor falls in proportion, on a GPU with faster memory", most});
}

void compute_levers(const Context& c, std::vector<Lever>& list) {
  const auto* pipe = c.verdict.floor.slowest_pipe();
  if (!pipe) return;
  const Seconds floor = c.verdict.floor.time;
  const auto& gpu = c.ceilings.gpu();
  const Pipe on = pipe->ceiling.resource.pipe;
  if (pipe->ceiling.mma_sync)
    if (auto full = c.ceilings.of(on, true); full && full->per_second > pipe->ceiling.per_second) {
      const Seconds better = floor * (pipe->ceiling.per_second / full->per_second);
      list.push_back({"better_instructions",
                      fmt::format("better instructions: the full tensor rate (wgmma, tcgen05) instead of mma.sync, {} instead of {}",
                                  format_quantity(full->per_second, full->unit()),
                                  format_quantity(pipe->ceiling.per_second, pipe->ceiling.unit())),
                      gain(floor, std::max(better, c.verdict.floor.dram()))});
    }
  if (const auto lower = lower_type(gpu, on); c.contraction() && lower != RateType::none) {
    const auto& peak = gpu.tensor[static_cast<std::size_t>(lower)];
    const double speedup = peak->dense.value() / pipe->ceiling.per_second;
    if (speedup > 1)
      list.push_back({"lower_precision",
                      fmt::format("lower precision: {} runs {} times as fast here", upper(rate_name(lower)), format_number(speedup)),
                      gain(floor, floor / speedup)});
  }
  if (on.kind == PipeKind::sfu)
    list.push_back({"fewer_special_functions",
                    "fewer special functions: part of the exponentials as polynomials on the vector pipe",
                    gain(floor, std::max(c.verdict.floor.dram(), c.verdict.launch_floor))});
  list.push_back({"fewer_flops",
                  c.contraction() ? "fewer FLOPs, by another algorithm; fusing a neighbour saves that neighbour's bytes, not this kernel's time"
                                  : "fewer operations, by another algorithm",
                  gain(floor, std::max(c.verdict.floor.dram(), c.verdict.launch_floor))});
}

void overhead_levers(const Context& c, std::vector<Lever>& list) {
  const auto& launch = c.ceilings.gpu().launch_floor;
  std::optional<Seconds> graph;
  if (launch && c.kernel.timing != Timing::graph) graph = gain(launch->stream.value, launch->graph.value);
  list.push_back({"fewer_launches",
                  "fewer launches: fuse it with its neighbours, or make it part of a persistent kernel",
                  c.kernel.time ? gain(c.now(), c.verdict.floor.time) : c.verdict.launch_floor});
  if (graph)
    list.push_back({"cuda_graph",
                    fmt::format("a CUDA graph: from {} to {} between kernels at best, and one launch for all of them",
                                format_seconds(launch->stream.value), format_seconds(launch->graph.value)), *graph});
}

void gap_levers(const Context& c, std::vector<Lever>& list) {
  const Seconds left = gain(c.now(), c.verdict.floor.time);
  const bool memory = c.verdict.bound == Bound::memory, link = c.verdict.bound == Bound::link;
  list.push_back({"close_gap",
                  fmt::format("close the gap: {} above the floor. Candidates, none of them measured: {}", format_seconds(left),
                              link     ? "ranks that come late, a slower path than the sheet's (PCIe, between nodes), messages too small to fill it; of host copies, pageable memory"
                              : memory ? "coalescing, too little in flight (occupancy), extra traffic, spills"
                                       : "bank conflicts, an empty pipeline, occupancy, tile and wave quantisation, spills"),
                  left});
}

void note_l2(const Context& c, std::vector<Remark>& list) {
  const auto& l2 = c.ceilings.gpu().l2_capacity;
  if (!l2 || c.verdict.bytes() == Count(0) || c.verdict.bound == Bound::link) return;
  if (c.verdict.bytes().to_double() <= l2->value.value())
    list.push_back({"fits_l2", fmt::format("{} fit the {} L2: warm runs may beat the DRAM floor",
                                           format_bytes(c.verdict.bytes().to_double()), format_capacity(l2->value.value()))});
}

void note_unrated(const Context& c, std::vector<Remark>& list) {
  const auto& floor = c.verdict.floor;
  for (std::size_t i = 0; i < floor.unrated_count; ++i)
    list.push_back({"no_rate", fmt::format("no published {} rate for {}: that side is not in the floor",
                                           pipe_title(floor.unrated[i]), c.ceilings.gpu().id)});
  if (floor.link_unrated)
    list.push_back({"no_link_rate", fmt::format("no published link rate for {}: the link is not in the floor", c.ceilings.gpu().id)});
}

void note_mma_sync(const Context& c, std::vector<Remark>& list) {
  const auto* pipe = c.verdict.floor.slowest_pipe();
  if (!c.contraction() || !pipe || pipe->ceiling.resource.pipe.kind != PipeKind::tensor) return;
  const auto other = c.ceilings.of(pipe->ceiling.resource.pipe, true, true);
  if (pipe->ceiling.mma_sync || !other || !other->mma_sync) return;
  list.push_back({"mma_sync", fmt::format("a kernel that issues mma.sync (WMMA, older CUTLASS and Triton) tops out at {}: {} there; path: mma_sync selects it",
                                          format_quantity(other->per_second, other->unit()),
                                          format_seconds(Seconds(pipe->amount.to_double() / other->per_second)))});
}

void note_trust(const Context& c, std::vector<Remark>& list) {
  for (const auto& item : c.verdict.floor.resources()) {
    const auto* origin = item.ceiling.origin;
    if (!origin || (!origin->doubtful && !origin->unconfirmed)) continue;
    list.push_back({origin->doubtful ? "doubtful_figure" : "unconfirmed_figure",
                    fmt::format("the {} ceiling of {} is {}{}", resource_title(item.ceiling.resource), c.ceilings.gpu().id,
                                origin->doubtful ? "doubtful" : "unconfirmed", origin->note.empty() ? "" : ": " + origin->note)});
  }
  if (c.ceilings.gpu().preliminary)
    list.push_back({"preliminary_gpu", fmt::format("the figures of {} are preliminary", c.ceilings.gpu().id)});
}

void note_facts(const Context& c, std::vector<Remark>& list) {
  for (const auto& fact : c.kernel.work.facts()) {
    if (fact.name != "practical_bytes_read" && fact.name != "practical_bytes") continue;
    list.push_back({"practical_traffic",
                    fmt::format("in practice {} {}: the data does not stay on chip between its passes",
                                format_bytes(std::stod(fact.value)), fact.name == "practical_bytes" ? "move" : "are read")});
  }
}

void note_measured(const Context& c, std::vector<Remark>& list) {
  const auto& measured = c.verdict.measured;
  if (!measured) return;
  if (timing_decides(c.verdict, c.ceilings.gpu()))
    list.push_back({"timing_unknown", "so short a time cannot be judged without knowing how it was taken: add timing: kernel, event, graph or e2e"});
  if (c.verdict.bound == Bound::unknown && c.verdict.floor.slowest_pipe())
    list.push_back({"undecided", "the datapath sets the floor, but the time is far above it, and DRAM traffic beyond the compulsory one may be what costs it: counters would tell"});
  if (c.contraction() && c.verdict.bound == Bound::memory && measured->fraction_of_ceiling > kSuspiciousGemm)
    list.push_back({"suspicious_fraction", "more than 90 % of the DRAM ceiling in a matrix product is usually the L2: check with cold data"});
}

}  // namespace

std::vector<Lever> levers(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings) {
  const Context context{kernel, verdict, ceilings};
  std::vector<Lever> list;
  if (verdict.measured && verdict.measured->status == Status::impossible) return list;
  const bool gap = verdict.measured && verdict.measured->status != Status::at_ceiling && verdict.bound != Bound::overhead;
  if (gap) gap_levers(context, list);
  switch (verdict.bound) {
    case Bound::memory: memory_levers(context, list); break;
    case Bound::compute: compute_levers(context, list); break;
    case Bound::overhead: overhead_levers(context, list); break;
    case Bound::link:
      list.push_back({"overlap_link", "overlap it with compute that does not wait for it", context.now()});
      list.push_back({"fewer_link_bytes", "fewer bytes over the link: narrower types, or a faster link",
                      gain(verdict.floor.time, std::max(context.without_dram(), verdict.floor.dram()))});
      break;
    case Bound::unknown: break;
  }
  return list;
}

std::vector<Remark> notes(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings) {
  const Context context{kernel, verdict, ceilings};
  std::vector<Remark> list;
  if (verdict.balanced)
    list.push_back({"balanced", fmt::format("balanced: {} needs nearly as long as {}", resource_title(*verdict.balanced_with),
                                            resource_title(verdict.floor.limiting()->ceiling.resource))});
  if (verdict.latency_likely)
    list.push_back({"latency_likely", "a memory floor under 10 us: in practice latency, not bandwidth, mostly sets such a time"});
  note_l2(context, list);
  note_unrated(context, list);
  note_mma_sync(context, list);
  note_facts(context, list);
  note_measured(context, list);
  note_trust(context, list);
  return list;
}

}  // namespace roofline
