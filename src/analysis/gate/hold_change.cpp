#include <algorithm>

#include "analysis/gate/hold.hpp"

namespace roofline {
namespace {

/// By the entry's id, else by one that it had before. Of several kernels of one entry each has its
/// own line.
const GateReference* reference_of(const Subject& subject, const ReferenceLookup& lookup) {
  if (!lookup) return nullptr;
  if (const auto* found = lookup(subject.id)) return found;
  const std::string suffix = subject.id.substr(subject.entry->id.size());
  for (const auto& former : subject.entry->former_ids)
    if (const auto* found = lookup(former + suffix)) return found;
  return nullptr;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 0.02 * std::max(std::abs(a), std::abs(b));
}

/// Another setting of the machine than the baseline's: times do not compare. Empty: none that is
/// known.
std::string other_setting(const GateReference& reference, const ResultEnvironment& now) {
  const auto watts = [](double w) { return fmt::format("{} W", format_number(w)); };
  if (reference.power_limit_w && now.power_limit_w &&
      !near(*reference.power_limit_w, *now.power_limit_w))
    return fmt::format("the baseline was measured at {}, this run at {}",
                       watts(*reference.power_limit_w), watts(*now.power_limit_w));
  if (reference.ecc && now.ecc && *reference.ecc != *now.ecc)
    return fmt::format("the baseline was measured with ECC {}, this run with ECC {}",
                       *reference.ecc ? "on" : "off", *now.ecc ? "on" : "off");
  if (reference.mig != now.mig)
    return fmt::format("the baseline was measured on {}, this run on {}",
                       reference.mig.empty() ? "the whole GPU" : "MIG " + printable(reference.mig),
                       now.mig.empty() ? "the whole GPU" : "MIG " + printable(now.mig));
  return {};
}

bool comparable(Case& c, const GateReference& reference) {
  if (!c.inputs.result->environment) return true;
  const auto& now = *c.inputs.result->environment;
  if (auto why = other_setting(reference, now); !why.empty()) {
    const bool skip = c.inputs.gate->policy.other_gpu == SkipPolicy::skip;
    refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::measured_elsewhere, std::move(why));
    return false;
  }
  if (reference.method.empty() || now.method.empty() || reference.method == now.method) return true;
  refuse(c.row, Outcome::error, Code::baseline_unusable,
         fmt::format("the baseline was measured by {}, this run by {}", printable(reference.method),
                     printable(now.method)));
  c.row.hint = "record a new baseline: roofline baseline record";
  return false;
}

/// What is known of the program between baseline and now.
struct Change {
  bool known = false;      ///< both hashes are there
  bool same_code = false;  ///< and launch geometry
  bool more_traffic = false, same_traffic = true;
};
Change change_of(const Case& c, const std::string& hash, const std::optional<Extent>& grid,
                 const std::optional<Extent>& block, const std::optional<Bytes>& dram_bytes) {
  Change change;
  const auto* kernel = c.subject.kernel;
  if (!kernel) return change;
  change.known = !kernel->code_hash.empty() && !hash.empty();
  const auto same = [](const auto& a, const auto& b) { return !a || !b || *a == *b; };
  change.same_code = change.known && kernel->code_hash == hash && same(kernel->grid, grid) &&
                     same(kernel->block, block);
  const auto now = kernel->measured ? kernel->measured->dram_bytes : std::nullopt;
  if (!now || !dram_bytes) return change;
  change.same_traffic = near(now->value(), dram_bytes->value());
  change.more_traffic = !change.same_traffic && *now > *dram_bytes;
  return change;
}

void say_change(Case& c, const Change& change, double old_time) {
  auto& row = c.row;
  if (row.outcome != Outcome::fail) return;
  if (change.same_code && change.same_traffic)
    return refuse(row, Outcome::inconclusive, Code::environment_changed,
                  "same machine code: the environment changed");
  row.lost = Seconds(c.subject.time->value() - old_time);
  std::vector<std::string> parts;
  if (change.known) parts.emplace_back(change.same_code ? "code is the same" : "code changed");
  if (change.more_traffic) parts.emplace_back("DRAM traffic grew");
  if (row.confirmed) parts.push_back(fmt::format("confirmed on {} runs", row.runs));
  row.text = joined(parts, "; ");
}

void hold_against_old(Case& c) {
  if (!has_time(c)) return;
  const auto& times = c.subject.medians;
  Subject old{
      .entry = c.subject.entry, .kernel = c.subject.old_kernel, .range = c.subject.old_range};
  if (old.kernel || old.range) work_out(old, {.gate = c.inputs.gate, .result = c.inputs.against});
  if (old.medians.empty())
    return refuse(c.row, Outcome::fresh, Code::no_baseline, "the old program does not have it");
  const auto rounds = std::min(times.size(), old.medians.size());
  const std::span<const double> before(old.medians.data(), rounds), after(times.data(), rounds);
  auto test = paired_regression(before, after, c.assertion.limit / 100, time_policy(c));
  take_test(c, test, 100, Code::slower_than_baseline);
  const auto* kernel = c.subject.old_kernel;
  say_change(c,
             kernel ? change_of(c, kernel->code_hash, kernel->grid, kernel->block,
                                kernel->measured ? kernel->measured->dram_bytes : std::nullopt)
                    : Change{},
             median_of(old.medians));
}

}  // namespace

const GateReference* need_reference(Case& c) {
  const bool pinned = c.entry.needs == GateNeeds::pinned;
  const auto& lookup = pinned ? c.inputs.pinned : c.inputs.baseline;
  if (const auto* reference = reference_of(c.subject, lookup)) return reference;
  refuse(c.row, c.inputs.require_baseline ? Outcome::error : Outcome::fresh, Code::no_baseline,
         pinned ? "no pinned baseline yet" : "no baseline yet");
  if (c.inputs.require_baseline) c.row.hint = "roofline baseline record --gate GATE run.json";
  return nullptr;
}

void hold_regression(Case& c) {
  if (c.inputs.against && c.entry.needs == GateNeeds::baseline) return hold_against_old(c);
  const auto* reference = need_reference(c);
  if (!reference || !comparable(c, *reference)) return;
  if (!has_time(c)) return;
  const auto& times = c.subject.medians;
  if (reference->sessions.empty()) return c.absent("the baseline holds no session of it");
  const auto test =
      recorded_regression(reference->sessions, times, c.assertion.limit / 100, time_policy(c));
  take_test(c, test, 100, Code::slower_than_baseline);
  double sum = 0;
  for (const auto& session : reference->sessions) sum += session.log_time;
  const auto change =
      change_of(c, reference->code_hash, reference->grid, reference->block, reference->dram_bytes);
  say_change(c, change, std::exp(sum / static_cast<double>(reference->sessions.size())));
  // Better by more than the noise: it would pass unnoticed back to where it was.
  if (c.row.outcome == Outcome::pass && c.row.hi && *c.row.hi < 0)
    c.row.text = "faster: record it as the new baseline";
}

}  // namespace roofline
