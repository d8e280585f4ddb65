#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roofline/machine/catalog.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr double kTolerance = 0.02;       // between a stated figure and its arithmetic
constexpr double kRatioSlack = 0.06;      // between two published figures, each rounded
constexpr double kSparsityTolerance = 0.03;

std::size_t at(RateType type) { return static_cast<std::size_t>(type); }

template <class Visit>
void for_each_peak(const Gpu& gpu, Visit visit) {
  for (int i = 1; i < kRateTypes; ++i) {
    if (const auto& peak = gpu.vector[static_cast<std::size_t>(i)]) visit("vector", static_cast<RateType>(i), *peak);
  }
  for (int i = 1; i < kRateTypes; ++i) {
    if (const auto& peak = gpu.tensor[static_cast<std::size_t>(i)]) visit("tensor", static_cast<RateType>(i), *peak);
  }
}

class Verifier {
 public:
  explicit Verifier(const Gpu& gpu) : gpu_(gpu) {}

  Verification run() {
    derive_peaks();
    derive_bandwidth();
    judge_deviations();
    check_rates();
    check_order();
    check_ratios();
    check_sparsity();
    check_bandwidths();
    return std::move(result_);
  }

 private:
  template <class... Args>
  void failure(fmt::format_string<Args...> text, Args&&... args) {
    result_.failures.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const std::string* reason_of(std::string_view figure) const {
    for (const Deviation& row : gpu_.expected_deviations) {
      if (row.figure == figure) return &row.reason;
    }
    return nullptr;
  }

  void add(Check check) {
    if (std::abs(check.deviation()) > kTolerance) {
      if (const std::string* reason = reason_of(check.figure)) check.reason = *reason;
    }
    result_.checks.push_back(std::move(check));
  }

  void derive_peaks() {
    if (!gpu_.sm_count) return;
    const double sms = gpu_.sm_count->value.to_double();
    for_each_peak(gpu_, [&](const char* kind, RateType type, const Peak& peak) {
      // A tensor clock that is not stated is not replaced by the boost clock here: the check would hold the wrong two
      // figures against each other.
      const auto& clock = peak.clock == ClockKind::tensor ? gpu_.tensor_clock : gpu_.boost_clock;
      if (!peak.fma_per_clock_per_sm || !clock) return;
      const double rate = *peak.fma_per_clock_per_sm, hertz = clock->value.value();
      const bool integer = type == RateType::int8 || type == RateType::int4;
      add({.figure = fmt::format("{}/{}", kind, rate_name(type)),
           .stated = peak.dense.value(),
           .computed = 2 * rate * sms * hertz,
           .unit = integer ? "OP/s" : "FLOP/s",
           .arithmetic = fmt::format("{} SM x {:g} FMA x 2 x {:g} MHz", sms, rate, hertz / 1e6),
           .reason = {},
           .derived = peak.origin.derived});
    });
  }

  void derive_bandwidth() {
    if (!gpu_.memory_bus_bits || !gpu_.memory_data_rate || !gpu_.dram_bandwidth) return;
    const double bits = gpu_.memory_bus_bits->value.to_double(), pin = gpu_.memory_data_rate->value.value();
    add({.figure = "dram",
         .stated = gpu_.dram_bandwidth->value.value(),
         .computed = bits * pin / 8,
         .unit = "B/s",
         .arithmetic = fmt::format("{} bit x {:.4g} Gbit/s / 8", bits, pin / 1e9),
         .reason = {},
         .derived = gpu_.memory_data_rate->origin.derived});
  }

  void judge_deviations() {
    for (const Check& check : result_.checks) {
      if (std::abs(check.deviation()) <= kTolerance || !check.reason.empty()) continue;
      failure("{}: stated {}, computed {} ({:+.1f} %; {}), and no reason is recorded", check.figure,
              format_quantity(check.stated, check.unit), format_quantity(check.computed, check.unit),
              100 * check.deviation(), check.arithmetic);
    }
    for (const Deviation& row : gpu_.expected_deviations) {
      const bool used = std::any_of(result_.checks.begin(), result_.checks.end(), [&](const Check& check) {
        return check.figure == row.figure && !check.reason.empty();
      });
      if (!used) failure("expected_deviations gives a reason for {}, which does not deviate by more than 2 %", row.figure);
    }
  }

  /// The rate of a product is the chip's or half of it (a product cut), and none is given for a type the chip lacks.
  void check_rates() {
    if (!gpu_.chip) return;
    const auto& names = gpu_.chip->cupti_chips;
    if (gpu_.cupti_chip && std::find(names.begin(), names.end(), gpu_.cupti_chip->value) == names.end()) {
      failure("the chip {} is not one of {}", gpu_.cupti_chip->value, gpu_.architecture);
    }
    for_each_peak(gpu_, [&](std::string_view kind, RateType type, const Peak& peak) {
      const bool vector = kind == "vector";
      const auto& lacking = vector ? gpu_.chip->vector_unsupported : gpu_.chip->tensor_unsupported;
      if (std::find(lacking.begin(), lacking.end(), type) != lacking.end()) {
        failure("{} {} has a peak, but {} lacks the type", kind, rate_name(type), gpu_.architecture);
      }
      const auto& chip = (vector ? gpu_.chip->vector_fma : gpu_.chip->tensor_fma)[at(type)];
      if (!chip || !peak.fma_per_clock_per_sm) return;
      const double cut = *chip / *peak.fma_per_clock_per_sm;
      if (cut != 1 && cut != 2) {
        failure("{} {} is given at {:g} FMA per clock and SM; the chip does {:g}, and products are sold at that or half of it",
                kind, rate_name(type), *peak.fma_per_clock_per_sm, *chip);
      }
    });
  }

  const Peak* peak(const Peaks& peaks, RateType type) const { return peaks[at(type)] ? &*peaks[at(type)] : nullptr; }

  void at_least(const char* more_name, const Peak* more, const char* less_name, const Peak* less) {
    if (!more || !less || more->dense.value() >= less->dense.value() * (1 - kRatioSlack)) return;
    failure("{} ({}) is below {} ({}): they are probably interchanged", more_name,
            format_quantity(more->dense.value(), "FLOP/s"), less_name, format_quantity(less->dense.value(), "FLOP/s"));
  }

  void check_order() {
    at_least("tensor fp16_acc16", peak(gpu_.tensor, RateType::fp16_acc16), "tensor fp16", peak(gpu_.tensor, RateType::fp16));
    at_least("vector fp32", peak(gpu_.vector, RateType::fp32), "vector fp64", peak(gpu_.vector, RateType::fp64));
    at_least("vector fp16", peak(gpu_.vector, RateType::fp16), "vector fp32", peak(gpu_.vector, RateType::fp32));
    at_least("tensor fp16", peak(gpu_.tensor, RateType::fp16), "vector fp16", peak(gpu_.vector, RateType::fp16));
  }

  void tensor_ratio(RateType a, RateType b, double want) {
    const Peak *pa = peak(gpu_.tensor, a), *pb = peak(gpu_.tensor, b);
    if (!pa || !pb) return;
    const double got = pa->dense / pb->dense;
    if (std::abs(got / want - 1) <= kRatioSlack) return;
    failure("tensor {} / tensor {} is {:.3g}, expected {:g}", rate_name(a), rate_name(b), got, want);
  }

  /// Two tensor peaks of one card stand to each other as their rates do; figures marked doubtful are let off.
  void check_ratios() {
    constexpr std::pair<RateType, RateType> kPairs[] = {
        {RateType::int8, RateType::fp16}, {RateType::fp8, RateType::fp16},  {RateType::fp4, RateType::fp8},
        {RateType::fp6, RateType::fp8},   {RateType::int4, RateType::int8}, {RateType::bf16, RateType::fp16},
        {RateType::fp16, RateType::tf32}};
    for (const auto& [a, b] : kPairs) {
      const Peak *pa = peak(gpu_.tensor, a), *pb = peak(gpu_.tensor, b);
      if (!pa || !pb || pa->origin.doubtful || pb->origin.doubtful || pa->clock != pb->clock) continue;
      if (!pa->fma_per_clock_per_sm || !pb->fma_per_clock_per_sm) continue;
      tensor_ratio(a, b, *pa->fma_per_clock_per_sm / *pb->fma_per_clock_per_sm);
    }
    if (!gpu_.chip) return;
    for (const RateRatio& row : gpu_.chip->fixed_ratios) tensor_ratio(row.of, row.to, row.ratio);
  }

  /// How many times dense the sparse figure of a type is on this chip; nothing where the pattern is not 2:4.
  std::optional<double> sparse_ratio(RateType type) const {
    if (!gpu_.chip) return 2;
    if (gpu_.chip->sparsity != "2:4") return std::nullopt;
    const auto &sparse = gpu_.chip->tensor_sparse_fma[at(type)], &dense = gpu_.chip->tensor_fma[at(type)];
    return sparse && dense ? *sparse / *dense : 2;
  }

  void check_sparsity() {
    for_each_peak(gpu_, [&](const char* kind, RateType type, const Peak& peak) {
      const auto want = sparse_ratio(type);
      if (!peak.sparse || !want) return;
      const double got = *peak.sparse / peak.dense;
      if (std::abs(got / *want - 1) <= kSparsityTolerance) return;
      failure("{} {}: sparse / dense is {:.3g}, expected {:.3g}", kind, rate_name(type), got, *want);
    });
  }

  void check_bandwidths() {
    if (!gpu_.dram_bandwidth) return;
    const ByteRate dram = gpu_.dram_bandwidth->value;
    if (gpu_.dram_bandwidth_measured && gpu_.dram_bandwidth_measured->value > dram) {
      failure("the measured DRAM bandwidth ({}) is above the peak ({})",
              format_quantity(gpu_.dram_bandwidth_measured->value.value(), "B/s"), format_quantity(dram.value(), "B/s"));
    }
    if (gpu_.l2_bandwidth && gpu_.l2_bandwidth->value < dram) {
      failure("L2 ({}) is slower than DRAM ({})", format_quantity(gpu_.l2_bandwidth->value.value(), "B/s"),
              format_quantity(dram.value(), "B/s"));
    }
  }

  const Gpu& gpu_;
  Verification result_;
};

}  // namespace

Verification verify(const Gpu& gpu) { return Verifier(gpu).run(); }

}  // namespace roofline
