#include "analysis/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

struct Case {
  const Kernel& kernel;
  const Verdict& verdict;
  const Ceilings& ceilings;

  double ratio() const { return verdict.measured->time / verdict.floor.time; }  // below 1
  bool compute_limited() const {
    const auto* limiting = verdict.floor.limiting();
    return limiting && limiting->ceiling.resource.is_compute();
  }
  bool memory_limited() const {
    const auto* limiting = verdict.floor.limiting();
    return limiting && limiting->ceiling.resource.kind == Resource::Kind::dram;
  }
  std::string_view op() const { return kernel.op ? kernel.op->name : std::string_view(); }
  /// Would the time be possible if the limiting datapath ran `factor` times faster?
  bool fits_rate(double factor) const {
    const Seconds floor = std::max(verdict.floor.dram(), verdict.floor.compute() / factor);
    return verdict.measured->time >= kImpossibleBelow * floor;
  }
};

bool near_ratio(double value, double target) { return std::abs(value / target - 1) < 0.02; }

bool l2_resident(const Case& c) {
  const auto& l2 = c.ceilings.gpu().l2_capacity;
  return c.memory_limited() && l2 && c.verdict.bytes().to_double() <= kWorkingSetOverL2 * l2->value.value();
}

bool other_peak(const Case& c) {
  if (!c.compute_limited() || c.ceilings.options().sparsity_two_four) return false;
  const auto pipe = c.verdict.floor.limiting()->ceiling.resource.pipe;
  if (pipe.kind != PipeKind::tensor) return false;
  const auto& peak = c.ceilings.gpu().tensor[static_cast<std::size_t>(pipe.type)];
  return peak && peak->sparse && c.ratio() < 0.8 && c.fits_rate(*peak->sparse / peak->dense);
}

bool lower_precision(const Case& c) {
  if (c.compute_limited()) return c.ratio() < 0.8 && c.fits_rate(2);
  return c.memory_limited() && c.verdict.measured->time >= kImpossibleBelow * (c.verdict.floor.time / 2) && c.ratio() < 0.8;
}

bool clock_above_sheet(const Case& c) { return c.compute_limited() && c.ratio() > 0.8; }

bool fewer_flops(const Case& c) { return c.compute_limited() && (c.op() == "conv" || c.op() == "gemm"); }

bool masked_work(const Case& c) {
  return c.op() == "attention" && c.kernel.input.choice("mask", "full") != "window";
}

bool bytes_not_needed(const Case& c) {
  constexpr std::string_view kPartial[] = {"embedding", "gather", "scatter_add", "moe", "grouped_gemm", "conv", "spmv_csr"};
  return c.memory_limited() && std::find(std::begin(kPartial), std::end(kPartial), c.op()) != std::end(kPartial);
}

bool unit_slip(const Case& c) {
  constexpr double kGibi = 1.073741824;
  return near_ratio(c.ratio(), 1 / kGibi) || near_ratio(c.ratio(), 0.5) || near_ratio(c.ratio(), 1e-3);
}

bool always(const Case&) { return true; }

struct CauseRow {
  std::string_view code, text;
  bool (*fits)(const Case&);
};

constexpr CauseRow kCauses[] = {
    {"l2_resident", "the working set is at most 1.5 times the L2: it may not have come from DRAM at all", &l2_resident},
    {"other_peak", "the time fits the sparse (2:4) peak: one side counts structured sparsity", &other_peak},
    {"lower_precision", "the time fits the next lower precision: the dtype may be labelled wrongly", &lower_precision},
    {"clock_above_sheet", "the chip may run above the clock of the data sheet (GeForce and NVL cards do)", &clock_above_sheet},
    {"fewer_flops_algorithm", "an algorithm with fewer FLOPs (Winograd, FFT, Strassen)", &fewer_flops},
    {"masked_work", "masked or windowed work may be counted as full", &masked_work},
    {"bytes_not_needed", "bytes may be counted that are not needed (stride, distinct rows, experts, empty groups)", &bytes_not_needed},
    {"unit_slip", "the ratio is that of GiB to GB, of MAC to FLOP or of ms to s: a unit may have slipped", &unit_slip},
    {"other_gpu", "another GPU, or a MIG slice of one", &always},
    {"wrong_measurement", "the time may be of something else (one of several kernels, a launch without its end)", &always},
};

}  // namespace

std::vector<Remark> causes_of_impossible(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings) {
  const Case facts{kernel, verdict, ceilings};
  std::vector<Remark> causes;
  for (const auto& row : kCauses)
    if (row.fits(facts)) causes.push_back({std::string(row.code), std::string(row.text)});
  return causes;
}

}  // namespace roofline
