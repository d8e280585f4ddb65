#include <fmt/format.h>

#include <algorithm>

#include "analysis/gate/matching.hpp"
#include "analysis/gate/subject.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostSearched =
    20;  // entries that miss their kernel and get near names: each costs a search
constexpr std::size_t kMostListed = 1000;  // kernels that no entry names and are listed one by one
constexpr Outcome kExcused[] = {Outcome::inconclusive, Outcome::fail, Outcome::error};

class Evaluation {
 public:
  explicit Evaluation(const GateInputs& inputs) : inputs_(inputs), gate_(*inputs.gate) {}

  GateResult run() {
    describe();
    const bool usable = inputs_.result == nullptr || result_is_usable();
    if (inputs_.result && usable) match();
    for (std::size_t e = 0; e < gate_.entries.size(); ++e) {
      const auto& entry = gate_.entries[e];
      const std::size_t first = result_.results.size();
      if (entry.section == GateSection::kernel || entry.section == GateSection::range) {
        if (inputs_.result && usable) hold_measured(e);
      } else {
        hold_described(e);
      }
      apply_quarantine(entry, first);
    }
    if (inputs_.result && usable) list_ungated();
    conclude();
    return std::move(result_);
  }

 private:
  void describe() {
    result_.file = gate_.file;
    result_.sha256 = gate_.sha256;
    result_.baseline = inputs_.baseline_summary;
    if (inputs_.ceilings) {
      result_.gpu_id = inputs_.ceilings->gpu().id;
      result_.gpu_name = inputs_.ceilings->gpu().name;
    }
    if (!inputs_.result) return;
    if (result_.gpu_id.empty())
      result_.gpu_id = inputs_.result->gpu.id, result_.gpu_name = inputs_.result->gpu.name;
    result_.environment = inputs_.result->environment;
    result_.simulated = inputs_.result->simulated;
    if (result_.simulated)
      result_.notes.emplace_back("the results were simulated: nothing ran on a GPU");
    for (const auto& kernel : inputs_.result->kernels)
      if (kernel.measured)
        result_.runs = std::max({result_.runs, static_cast<int>(kernel.measured->runs.size()),
                                 kernel.measured->time ? 1 : 0});
  }

  void refuse_whole(std::string_view what, Code reason, std::string text, std::string hint = {}) {
    AssertionResult row;
    row.assertion = what;
    refuse(row, Outcome::error, reason, std::move(text));
    row.hint = std::move(hint);
    result_.results.push_back(std::move(row));
  }

  /// What makes results worthless as a whole; nothing measured is held then.
  bool result_is_usable() {
    const auto& record = *inputs_.result;
    const auto before = result_.results.size();
    if (record.program) {
      if (record.program->signal.value_or(0) != 0)
        refuse_whole("program", Code::measured_program_failed,
                     fmt::format("the program was killed by signal {}", *record.program->signal));
      else if (record.program->exit_code.value_or(0) != 0)
        refuse_whole("program", Code::measured_program_failed,
                     fmt::format("the program ended with status {}", *record.program->exit_code));
    }
    if (!record.complete) {
      std::vector<std::string> reasons;
      for (const auto& loss : record.lost)
        reasons.push_back(fmt::format("{} {}", loss.count, shortened(printable(loss.reason), 60)));
      refuse_whole("results", Code::trace_incomplete,
                   "the trace is not whole" +
                       (reasons.empty() ? std::string() : ": lost " + joined(reasons)));
    }
    if (record.kernels.empty() && result_.results.size() == before)
      refuse_whole("results", Code::empty_result,
                   "the results hold no kernel: nothing was measured",
                   "did the program reach the GPU? roofline doctor says what works here");
    return result_.results.size() == before;
  }

  void match() {
    matching_ = match_kernels(gate_, *inputs_.result);
    shares_ = time_shares(*inputs_.result);
    if (inputs_.against) old_matching_ = match_kernels(gate_, *inputs_.against);
    report_overlaps(gate_, *inputs_.result, matching_, result_.results);
  }

  const GateSource* source(std::size_t e) const {
    return e < inputs_.sources.size() ? &inputs_.sources[e] : nullptr;
  }

  void hold_all(Subject& subject) {
    work_out(subject, inputs_);
    const auto before = result_.results.size();
    for (const auto& assertion : subject.entry->assertions) {
      result_.results.push_back(hold(inputs_, subject, assertion));
      // The same causes are told once.
      auto& row = result_.results.back();
      if (row.reason == Code::below_floor && result_.results.size() - before > 1 &&
          told_below_floor(before))
        row.more.clear();
    }
    report_impossible(subject, before);
  }

  bool told_below_floor(std::size_t first) const {
    return std::any_of(result_.results.begin() + static_cast<std::ptrdiff_t>(first),
                       result_.results.end() - 1,
                       [](const AssertionResult& r) { return r.reason == Code::below_floor; });
  }

  /// A time that cannot be is an error although no limit asks for a time.
  void report_impossible(const Subject& subject, std::size_t first) {
    const auto state = subject.time_state;
    if (state != TimeState::below_floor && state != TimeState::impossible) return;
    const bool told = std::any_of(result_.results.begin() + static_cast<std::ptrdiff_t>(first),
                                  result_.results.end(), [](const AssertionResult& r) {
                                    return r.reason == Code::below_floor ||
                                           r.reason == Code::impossible_value ||
                                           r.reason == Code::measured_elsewhere;
                                  });
    if (told) return;
    Assertion any{.kind = AssertionKind::max_time, .limit = 0, .place = subject.entry->place};
    auto row = hold(inputs_, subject, any);
    row.assertion = state == TimeState::below_floor ? "floor" : "time";
    row.limit.reset();
    result_.results.push_back(std::move(row));
  }

  void hold_described(std::size_t e) {
    const auto& entry = gate_.entries[e];
    const auto* from = source(e);
    if (entry.section != GateSection::code) {
      Subject subject{
          .entry = &entry, .id = entry.id, .spec = from && from->spec ? &*from->spec : nullptr};
      return hold_all(subject);
    }
    const auto& functions = from ? from->functions : kNoFunctions;
    if (functions.empty()) {
      auto row = row_of({.entry = &entry, .id = entry.id}, "match");
      row.line = entry.match_place.line, row.column = entry.match_place.column;
      const bool skip = gate_.policy.missing == MissingPolicy::skip;
      refuse(row, skip ? Outcome::skip : Outcome::fail, Code::missing_kernel,
             fmt::format("no kernel of {} matches{}", printable(entry.code_file),
                         entry.match.text.empty() ? std::string() : ' ' + entry.match.text));
      return result_.results.push_back(std::move(row));
    }
    for (std::size_t k = 0; k < functions.size(); ++k) {
      Subject subject{
          .entry = &entry, .id = subject_id(entry, k, functions.size()), .function = &functions[k]};
      hold_all(subject);
    }
  }

  void report_missing(const GateEntry& entry) {
    result_.results.push_back(missing_row(inputs_, entry, matching_, missing_++ < kMostSearched));
  }

  void hold_measured(std::size_t e) {
    const auto& entry = gate_.entries[e];
    if (entry.section == GateSection::range) return hold_range(entry);
    const auto& found = matching_.kernels[e];
    if (found.empty()) return report_missing(entry);
    const auto count = launch_count_row(entry, *inputs_.result, found);
    if (count) result_.results.push_back(*count);
    const auto* from = source(e);
    for (std::size_t k = 0; k < found.size(); ++k) {
      Subject subject{.entry = &entry,
                      .id = subject_id(entry, k, found.size()),
                      .spec = from && from->spec ? &*from->spec : nullptr,
                      .kernel = &inputs_.result->kernels[found[k]]};
      if (!shares_.empty()) subject.time_share = shares_[found[k]];
      subject.old_kernel = old_kernel(e, *subject.kernel, found.size());
      hold_all(subject);
    }
  }

  /// The old program's kernel of the same name and size; where each side has one kernel for the
  /// entry, that one.
  const ResultKernel* old_kernel(std::size_t e, const ResultKernel& kernel, std::size_t of) const {
    if (!inputs_.against) return nullptr;
    const auto& old = old_matching_.kernels[e];
    const auto& kernels = inputs_.against->kernels;
    if (old.size() == 1 && of == 1) return &kernels[old.front()];
    for (const auto i : old)
      if (kernels[i].name == kernel.name && kernels[i].grid == kernel.grid &&
          kernels[i].block == kernel.block)
        return &kernels[i];
    return nullptr;
  }

  void hold_range(const GateEntry& entry) {
    const auto* range = inputs_.result->find_range(entry.match.nvtx);
    if (!range || range->runs.empty()) return report_missing(entry);
    Subject subject{.entry = &entry, .id = entry.id, .range = range};
    if (inputs_.against) subject.old_range = inputs_.against->find_range(entry.match.nvtx);
    hold_all(subject);
  }

  void apply_quarantine(const GateEntry& entry, std::size_t first) {
    if (!entry.quarantine || inputs_.today.empty()) return;
    const auto& quarantine = *entry.quarantine;
    if (inputs_.today > quarantine.until) {  // ISO dates compare as text
      auto row = row_of({.entry = &entry, .id = entry.id}, "quarantine");
      row.line = quarantine.place.line, row.column = quarantine.place.column,
      row.length = quarantine.place.length;
      refuse(row, Outcome::fail, Code::quarantine_ended,
             fmt::format("quarantine of {} ended {}", entry.id, quarantine.until));
      row.hint = "make it hold, or give it a new date with a reason";
      return result_.results.push_back(std::move(row));
    }
    for (auto i = first; i < result_.results.size(); ++i) {
      auto& row = result_.results[i];
      if (std::find(std::begin(kExcused), std::end(kExcused), row.outcome) == std::end(kExcused))
        continue;
      row.more.insert(row.more.begin(), fmt::format("in quarantine until {}: {}", quarantine.until,
                                                    shortened(printable(quarantine.why), 200)));
      row.outcome = Outcome::quarantined;
      row.more_runs = 0;
    }
  }

  void list_ungated() {
    if (gate_.policy.extra == ExtraPolicy::ignore) return;
    const auto& kernels = inputs_.result->kernels;
    double share = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (!matching_.entries[i].empty()) continue;
      ++result_.ungated_count;
      UngatedKernel kernel{.name = kernels[i].name, .launches = kernels[i].launches};
      if (!shares_.empty()) {
        kernel.time_share = shares_[i];
        share += shares_[i];
      }
      result_.ungated.push_back(std::move(kernel));
    }
    if (!shares_.empty()) result_.ungated_share = share;
    std::stable_sort(result_.ungated.begin(), result_.ungated.end(),
                     [](const UngatedKernel& a, const UngatedKernel& b) {
                       return a.time_share.value_or(0) > b.time_share.value_or(0);
                     });
    if (result_.ungated.size() > kMostListed) result_.ungated.resize(kMostListed);
    if (gate_.policy.extra == ExtraPolicy::fail && result_.ungated_count > 0) refuse_extra();
  }

  void refuse_extra() {
    AssertionResult row;
    row.assertion = "extra";
    const auto& largest = result_.ungated.front();
    refuse(
        row, Outcome::fail, Code::extra_kernels,
        fmt::format("{} kernel{} no entry names; the largest is \"{}\"", result_.ungated_count,
                    result_.ungated_count == 1 ? "" : "s", shortened(printable(largest.name), 80)));
    row.hint = "name them under kernels:, or say extra: list";
    result_.results.insert(result_.results.begin(), std::move(row));
  }

  static int exit_of(const AssertionResult& row, const GatePolicy& policy) {
    switch (row.outcome) {
      case Outcome::error: return row.reason ? ::roofline::describe(*row.reason).exit_code : 2;
      case Outcome::fail: return 1;
      case Outcome::inconclusive: return policy.inconclusive == UndecidedPolicy::fail ? 5 : 0;
      default: return 0;
    }
  }

  void conclude() {
    // Of several codes that apply, the first of these (docs/gate.md).
    constexpr int kPrecedence[] = {2, 4, 3, 1, 5, 0};
    std::array<bool, 6> seen{};
    for (const auto& row : result_.results) {
      ++result_.counts[static_cast<std::size_t>(row.outcome)];
      result_.status = std::max(result_.status, row.outcome);
      seen[static_cast<std::size_t>(exit_of(row, gate_.policy))] = true;
    }
    for (const int code : kPrecedence)
      if (seen[static_cast<std::size_t>(code)]) {
        result_.exit_code = code;
        return;
      }
  }

  static const std::vector<GateFunction> kNoFunctions;
  const GateInputs& inputs_;
  const GateFile& gate_;
  GateResult result_;
  Matching matching_, old_matching_;
  std::vector<double> shares_;
  std::size_t missing_ = 0;
};

const std::vector<GateFunction> Evaluation::kNoFunctions;

}  // namespace

GateResult evaluate_gate(const GateInputs& inputs) { return Evaluation(inputs).run(); }

}  // namespace roofline
