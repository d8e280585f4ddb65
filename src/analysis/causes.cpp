#include "analysis/causes.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

constexpr double kClockBand = 0.8;         // a chip runs at most a quarter above the clock of its data sheet
constexpr double kRatioTolerance = 0.02;
constexpr double kCacheReads = 0.93;       // below it more is missing than what stayed in the L2 of a decode loop
constexpr double kHalf = 0.45;             // ratio: one of two tensors, or one triangle, was not there
constexpr double kVariantRatio = 0.6;      // H100 to H200 is 0.70, A100 40 GB to 80 GB 0.76
constexpr double kGibi = 1.073741824;

/// What is known of a row that beats its floor.
struct Case {
  const Kernel& kernel;
  const Verdict& verdict;
  const Ceilings& ceilings;

  /// Time over floor, below 1; 1 where there is no floor.
  double ratio() const {
    const Seconds floor = std::max(verdict.floor.time, disputed_floor(verdict, ceilings.gpu()));
    return floor > Seconds(0) ? verdict.measured->time / floor : 1;
  }
  bool compute_limited() const {
    const auto* limiting = verdict.floor.limiting();
    return limiting && limiting->ceiling.resource.is_compute() && !memory_limited();
  }
  bool memory_limited() const {
    if (disputed_floor(verdict, ceilings.gpu()) > verdict.floor.time) return true;
    const auto* limiting = verdict.floor.limiting();
    return limiting && limiting->ceiling.resource.kind == Resource::Kind::dram;
  }
  std::string_view op() const { return kernel.op ? kernel.op->name : std::string_view(); }
  bool attention() const { return kernel.op && kernel.op->family == "attention"; }
  bool decode() const { return attention() && kernel.input.count("seq_q", 1) == Count(1); }

  /// Distinct bytes of the measuring loop over the L2; nullopt where the L2 is not known.
  std::optional<double> over_l2() const {
    const auto& l2 = ceilings.gpu().l2_capacity;
    if (!l2) return std::nullopt;
    return kernel.working_set.value_or(verdict.bytes()).to_double() / l2->value.value();
  }
  /// Would the time be possible if the limiting datapath ran `factor` times faster?
  bool fits_rate(double factor) const {
    const Seconds floor = std::max(verdict.floor.dram(), verdict.floor.compute() / factor);
    return verdict.measured->time >= kImpossibleBelow * floor;
  }
  /// Two operands of the products have different types: the narrower one may decide the datapath.
  bool mixed_operands() const {
    const auto& in = kernel.input;
    const auto differ = [&](std::string_view a, std::string_view b) {
      return in.has_dtype(a) && in.has_dtype(b) && describe(in.dtype(a)).bits > describe(in.dtype(b)).bits;
    };
    return attention() ? differ("q", "k") : differ("a", "b");
  }
};

bool near_ratio(double value, double target) { return std::abs(value / target - 1) < kRatioTolerance; }

bool empty_problem(const Case& c) { return c.verdict.floor.times.empty(); }

/// In a running program what the kernel before wrote is still in the L2, and what this one writes may stay there: twice
/// the capacity need not cross DRAM.
bool within_l2_traffic(const Case& c) {
  const auto over = c.over_l2();
  return over ? c.ratio() >= 1 - 2 / *over - kRatioTolerance : c.ratio() >= kCacheReads;
}
bool l2_warm_in_program(const Case& c) {
  return c.memory_limited() && c.kernel.timing == Timing::kernel && within_l2_traffic(c);
}

bool l2_resident(const Case& c) {
  const auto over = c.over_l2();
  return c.memory_limited() && over && *over <= kWorkingSetOverL2;
}

bool other_peak(const Case& c) {
  if (!c.compute_limited() || c.attention() || c.ceilings.options().sparsity_two_four) return false;
  const auto pipe = c.verdict.floor.limiting()->ceiling.resource.pipe;
  if (pipe.kind != PipeKind::tensor) return false;
  const auto& peak = c.ceilings.gpu().tensor[static_cast<std::size_t>(pipe.type)];
  return peak && peak->sparse && c.ratio() < kClockBand && c.fits_rate(*peak->sparse / peak->dense);
}

/// A convolution whose taps overlap has known algorithms with fewer products.
bool overlapping_taps(const Case& c) {
  if (c.op() != "conv") return false;
  Count taps = 1;
  for (const Count tap : c.kernel.input.counts("kernel")) taps *= tap;
  return taps > Count(1);
}

/// An op that may touch less of an operand than the whole of it.
bool touches_parts(const Case& c) {
  constexpr std::string_view kPartial[] = {"embedding", "gather", "scatter_add", "moe", "grouped_gemm", "conv", "spmv_csr"};
  return std::find(std::begin(kPartial), std::end(kPartial), c.op()) != std::end(kPartial);
}

bool lower_precision(const Case& c) {
  if (c.compute_limited() && c.mixed_operands()) return c.fits_rate(2);
  if (c.ratio() >= kClockBand || c.attention() || overlapping_taps(c)) return false;
  if (c.compute_limited()) return c.fits_rate(2);
  return c.memory_limited() && !touches_parts(c) && c.ratio() >= kImpossibleBelow / 2;
}

bool clock_above_sheet(const Case& c) {
  // Published attention stays below 0.8 of the peak: at the peak itself it is no clock.
  return c.compute_limited() && !c.attention() && !overlapping_taps(c) && c.ratio() > kClockBand;
}

bool fewer_flops(const Case& c) { return c.compute_limited() && (c.op() == "conv" || c.op() == "gemm"); }

bool masked_work(const Case& c) {
  return c.op() == "attention" && c.kernel.input.choice("mask", "full") == "full" && c.compute_limited() && c.ratio() >= kHalf;
}

/// A decode loop whose pages repeat reads fewer distinct bytes than its batch has.
bool repeated_cache(const Case& c) {
  return c.memory_limited() && c.decode() && c.ratio() < kCacheReads && c.ratio() >= kHalf;
}
bool bytes_not_needed(const Case& c) { return repeated_cache(c) || (c.memory_limited() && touches_parts(c)); }

bool l2_partly(const Case& c) { return c.memory_limited() && within_l2_traffic(c); }

bool unit_slip(const Case& c) {
  const bool macs = c.compute_limited() && !c.attention() && near_ratio(c.ratio(), 0.5);
  return macs || near_ratio(c.ratio(), 1e-3) || (c.memory_limited() && near_ratio(c.ratio(), 1 / kGibi));
}

bool disputed_figure(const Case& c) {
  return c.verdict.floor.time <= c.verdict.measured->time && disputed_floor(c.verdict, c.ceilings.gpu()) > c.verdict.measured->time;
}

bool other_variant(const Case& c) { return c.memory_limited() && c.ratio() >= kVariantRatio; }

bool always(const Case&) { return true; }
bool never(const Case&) { return false; }

struct CauseRow {
  std::string_view code, text;
  bool (*fits)(const Case&);
};

// In the order in which they are tried; the list of a row ends with those that always may be.
constexpr CauseRow kCauses[] = {
    {"empty_problem", "nothing was asked for: an empty product owes no bytes, and its time is that of a launch", &empty_problem},
    {"l2_warm", "in a running program what the kernel before wrote is still in the L2, and what this one writes may stay there", &l2_warm_in_program},
    {"l2_resident", "the working set is at most 1.5 times the L2: it may not have come from DRAM at all", &l2_resident},
    {"other_peak", "the time fits the sparse (2:4) peak: one side counts structured sparsity", &other_peak},
    {"lower_precision", "the time fits the next lower precision: the dtype may be labelled wrongly, or a narrow operand was multiplied as it is", &lower_precision},
    {"clock_above_sheet", "the chip may run above the clock of the data sheet (GeForce and NVL cards do)", &clock_above_sheet},
    {"fewer_flops_algorithm", "an algorithm with fewer FLOPs (Winograd, FFT, Strassen)", &fewer_flops},
    {"masked_work", "masked or windowed work may be counted as full", &masked_work},
    {"bytes_not_needed", "bytes may be counted that are not needed (repeated pages, stride, distinct rows, experts, empty groups)", &bytes_not_needed},
    {"l2_warm", "part of the data may have stayed in the L2 from the run before", &l2_partly},
    {"unit_slip", "the ratio is that of GiB to GB, of MAC to FLOP or of ms to s: a unit may have slipped", &unit_slip},
    {"other_peak", "documents state different ceilings for this GPU, and the time is below the floor of the lower one", &disputed_figure},
    {"other_gpu", "another variant of this GPU, or a MIG slice of one", &other_variant},
    {"wrong_measurement", "the time may be of something else (a failed run, one of several kernels, a launch without its end)", &always},
    {"masked_work", "masked or windowed work may be counted as full", &never},
    {"other_gpu", "another GPU, or a MIG slice of one", &never},
};

bool may_be(const Case& c, std::string_view code) {
  if (empty_problem(c)) return false;
  return code != "masked_work" || c.op() == "attention";
}

bool listed(const std::vector<Remark>& causes, std::string_view code) {
  return std::any_of(causes.begin(), causes.end(), [code](const Remark& r) { return r.code == code; });
}

}  // namespace

Seconds disputed_floor(const Verdict& verdict, const Gpu& gpu) {
  if (!gpu.dram_bandwidth_disputed || !gpu.dram_bandwidth) return Seconds(0);
  return verdict.floor.dram() * (gpu.dram_bandwidth->value / gpu.dram_bandwidth_disputed->value);
}

std::vector<Remark> causes_of_impossible(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings) {
  const Case facts{kernel, verdict, ceilings};
  std::vector<Remark> causes;
  const bool empty = empty_problem(facts);
  for (const auto& row : kCauses) {
    const bool fits = row.fits(facts) && (!empty || row.code == "empty_problem");
    const bool rest = row.fits == &never && may_be(facts, row.code);
    if ((fits || rest) && !listed(causes, row.code)) causes.push_back({std::string(row.code), std::string(row.text)});
  }
  return causes;
}

}  // namespace roofline
