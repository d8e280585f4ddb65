#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/page/page.hpp"
#include "report/page/phrases.hpp"

/// The parts that pages are made of. Each writes one thing and knows nothing of what stands around
/// it.
namespace roofline::parts {

/// Ceilings in the order in which they were met, each resource once.
class UsedCeilings {
 public:
  void add(const Verdict& verdict);
  std::span<const Ceiling> list() const { return list_; }

 private:
  void add(const Ceiling& ceiling);
  std::vector<Ceiling> list_;
};

/// "datasheet ceilings, dense; 1 FMA = 2 FLOP": said once in every report. `tensor`: some peak is a
/// tensor unit's. With a calibration: "floors of datasheet ceilings, dense; attainable times of
/// calibrated ones; ..."
std::string ceiling_note(const Ceilings& ceilings, bool tensor);
/// "NVIDIA H100 SXM5 80GB  DRAM 3.35 TB/s, BF16 tensor 989.4 TFLOP/s (ridge 295.3 FLOP/B)", and the
/// note below; with a calibration what it measured of the same, and when and where.
void gpu_heading(Page& page, const Ceilings& ceilings, std::span<const Ceiling> used);

/// Name, sizes and every figure of one kernel; then its notes. Not its verdict.
void kernel_block(Page& page, const KernelReport& report, const Ceilings& ceilings,
                  const ReportOptions& options);
void kernel_notes(Page& page, const KernelReport& report);

/// The arithmetic of every term with the document of every peak.
void explanation(Page& page, const KernelReport& report, const Ceilings& ceilings);

/// The verdict with what would move it; of an impossible time its causes instead. `name` stands
/// before the verdict where several kernels share a page.
void kernel_verdict(Page& page, const KernelReport& report, std::string_view name = {},
                    bool with_levers = true);

/// GPU work, launching and wall time of a sequence; then its verdict and lever. `name`: of what is
/// launched.
struct SequenceContext {
  std::string name;
  std::optional<Seconds>
      launch_cost_option;     ///< the user's word on the command line, and the page says so
  bool all_measured = false;  ///< no GPU time had to be taken from a floor
};
void sequence_facts(Page& page, const Sequence& sequence, const SequenceContext& context);
void sequence_verdict(Page& page, const Sequence& sequence, const SequenceContext& context,
                      bool with_levers = true);

/// The bounds met along a sweep, as runs while they are few, and always as counts.
class Runs {
 public:
  void add(Bound bound, std::span<const Binding> point);
  Bound most() const;
  /// "memory-bound at B = 1 to 318, compute-bound at B = 319 to 512".
  std::string text(std::span<const std::string> swept) const;

 private:
  static constexpr std::size_t kMost = 6;
  struct Run {
    Bound bound;
    Count from, to;
  };
  std::vector<Run> runs_;
  std::array<long long, 5> counts_{};
  long long points_ = 0;
};

/// What a run of kernels adds up to, by bound, and which of them weighs most: for the verdict on
/// the whole.
class Balance {
 public:
  void add(const KernelReport& report);
  /// "memory-bound: memory-bound kernels hold 82 % of 400.7 us, the sum of the floors", then what
  /// weighs most.
  void verdict(Page& page, Bound bound) const;

 private:
  /// The kernel with most to win: above its floor where times were measured, else by its floor.
  struct Heaviest {
    std::string name, lever;
    double weight = -1;
    bool measured = false;
  };
  double by_bound_[5] = {};
  double total_ = 0;
  std::size_t kernels_ = 0;
  Heaviest heaviest_;
};

/// Notes of many kernels, each kind said once with the kernels that it is about.
class NoteList {
 public:
  void add(const KernelReport& report);
  void write(Page& page) const;

 private:
  struct Entry {
    std::string code, text, kernel;
    std::size_t more = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace roofline::parts
