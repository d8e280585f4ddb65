#include "roofline/analysis/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr double kSame = 0.005;  // of the mean: what appending a session moves it by anyway

auto key_of(const BaselineEntry& entry) {
  return std::tuple(std::string_view(entry.id), describe(entry.machine));
}

BaselineChange change_of(const BaselineEntry* old, const BaselineEntry* fresh) {
  using enum BaselineChange::Kind;
  const auto& any = fresh ? *fresh : *old;
  BaselineChange change{.kind = same,
                        .id = any.id,
                        .reason = any.reason,
                        .machine = any.machine,
                        .old_s = {},
                        .new_s = {}};
  if (old) change.old_s = recorded_time(*old);
  if (fresh) change.new_s = recorded_time(*fresh);
  if (!old)
    change.kind = added;
  else if (!fresh)
    change.kind = gone;
  else if (*change.new_s > *change.old_s * (1 + kSame))
    change.kind = loosened;
  else if (*change.new_s < *change.old_s * (1 - kSame))
    change.kind = tightened;
  return change;
}

}  // namespace

std::string describe(const BaselineMachine& machine) {
  std::string text = printable(machine.gpu);
  if (!machine.mig.empty()) text += ", MIG " + printable(machine.mig);
  if (machine.power_limit_w) text += fmt::format(", {} W", *machine.power_limit_w);
  if (machine.ecc) text += *machine.ecc ? ", ECC on" : ", ECC off";
  return text;
}

std::vector<SessionTime> session_times(const BaselineEntry& entry) {
  std::vector<SessionTime> times;
  for (const auto& session : entry.sessions)
    times.push_back({std::log(session.time_s), session.runs, session.spread});
  return times;
}

double recorded_time(const BaselineEntry& entry) {
  if (entry.sessions.size() == 1)
    return entry.sessions.front().time_s;  // exp(log(x)) is not always x
  double sum = 0;
  for (const auto& session : entry.sessions) sum += std::log(session.time_s);
  return std::exp(sum / static_cast<double>(entry.sessions.size()));
}

BaselineMatch find_in_baseline(const Baseline& baseline, std::string_view id,
                               const BaselineMachine& machine, std::string_view method) {
  using enum BaselineMatch::Kind;
  BaselineMatch match;
  // The entries are sorted by id: a gate of ten thousand kernels looks each of them up.
  const auto [first, last] = std::equal_range(
      baseline.entries.begin(), baseline.entries.end(), id, [](const auto& a, const auto& b) {
        const auto id_of = [](const auto& value) -> std::string_view {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BaselineEntry>)
            return value.id;
          else
            return value;
        };
        return id_of(a) < id_of(b);
      });
  for (auto entry = first; entry != last; ++entry) {
    if (entry->machine == machine) return {entry->method == method ? found : other_method, &*entry};
    if (entry->machine.gpu == machine.gpu) match = {other_machine, &*entry};
  }
  return match;
}

BaselineMachine machine_of(const ResultRecord& record) {
  BaselineMachine machine{.gpu = record.gpu.id.empty() ? record.gpu.name : record.gpu.id,
                          .mig = {},
                          .power_limit_w = {},
                          .ecc = {}};
  if (!record.environment) return machine;
  machine.mig = record.environment->mig;
  machine.power_limit_w = record.environment->power_limit_w;
  machine.ecc = record.environment->ecc;
  return machine;
}

std::string_view method_of(const ResultRecord& record) {
  return record.environment ? std::string_view(record.environment->method) : std::string_view();
}

std::string_view name_of(BaselineChange::Kind kind) {
  constexpr std::string_view kNames[] = {"loosened", "tightened", "new", "gone", "same"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<BaselineChange> compare_baselines(const Baseline& old, const Baseline& fresh) {
  std::vector<BaselineChange> changes;
  auto a = old.entries.begin();
  auto b = fresh.entries.begin();
  while (a != old.entries.end() || b != fresh.entries.end()) {
    const bool take_old =
        a != old.entries.end() && (b == fresh.entries.end() || key_of(*a) <= key_of(*b));
    const bool take_new =
        b != fresh.entries.end() && (a == old.entries.end() || key_of(*b) <= key_of(*a));
    changes.push_back(change_of(take_old ? &*a : nullptr, take_new ? &*b : nullptr));
    if (take_old) ++a;
    if (take_new) ++b;
  }
  return changes;
}

}  // namespace roofline
