#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "roofline/analysis/gate.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::string_view kChangeNames[] = {"loosened", "tightened", "added", "removed",
                                             "changed"};

// Words of the policy, in the order of the enumerators.
constexpr std::string_view kMissing[] = {"fail", "skip"}, kExtra[] = {"list", "ignore", "fail"},
                           kSkip[] = {"error", "skip"}, kUndecided[] = {"warn", "fail"};

using Kind = LimitChange::Kind;

std::string key_of(const Assertion& assertion) {
  const std::string name(describe(assertion.kind).name);
  return assertion.resource.empty() ? name : name + '.' + assertion.resource;
}

class Comparison {
 public:
  Comparison(const GateFile& before, const GateFile& after) : before_(before), after_(after) {}

  std::vector<LimitChange> run() {
    if (before_.gpu != after_.gpu)
      add(Kind::loosened, {}, "gpu", before_.gpu, after_.gpu, after_.gpu_place);
    compare_policy();
    std::map<std::string_view, const GateEntry*> old;
    for (const auto& entry : before_.entries) old.emplace(entry.id, &entry);
    for (const auto& entry : after_.entries) {
      const auto at = old.find(entry.id);
      if (at == old.end()) {
        add(Kind::added, entry.id, {}, {}, {}, entry.place);
      } else {
        compare_entries(*at->second, entry);
        old.erase(at);
      }
    }
    for (const auto& entry : before_.entries)
      if (old.count(entry.id) != 0) add(Kind::removed, entry.id, {}, {}, {}, entry.place);
    return std::move(changes_);
  }

 private:
  void add(Kind kind, std::string id, std::string what, std::string before, std::string after,
           const GatePlace& place) {
    changes_.push_back(
        {kind, std::move(id), std::move(what), std::move(before), std::move(after), place});
  }

  /// `wider`: what the new value lets through that the old one did not.
  void compare_value(std::string_view what, double before, double after, bool higher_is_wider,
                     std::string_view unit = {}) {
    if (before == after) return;
    const auto text = [&](double value) {
      return unit.empty() ? format_number(value) : format_quantity(value, unit);
    };
    add((after > before) == higher_is_wider ? Kind::loosened : Kind::tightened, {},
        "policy." + std::string(what), text(before), text(after), {});
  }
  /// `names` by enumerator; `strict`: the one that lets least pass.
  template <class Choice, std::size_t N>
  void compare_choice(std::string_view what, Choice before, Choice after, Choice strict,
                      const std::string_view (&names)[N]) {
    if (before == after) return;
    const auto name = [&](Choice choice) {
      return std::string(names[static_cast<std::size_t>(choice)]);
    };
    add(before == strict  ? Kind::loosened
        : after == strict ? Kind::tightened
                          : Kind::changed,
        {}, "policy." + std::string(what), name(before), name(after), {});
  }

  void compare_policy() {
    const auto &a = before_.policy, &b = after_.policy;
    compare_choice("missing", a.missing, b.missing, MissingPolicy::fail, kMissing);
    compare_choice("extra", a.extra, b.extra, ExtraPolicy::fail, kExtra);
    compare_choice("other_gpu", a.other_gpu, b.other_gpu, SkipPolicy::error, kSkip);
    compare_choice("no_counters", a.no_counters, b.no_counters, SkipPolicy::error, kSkip);
    compare_choice("inconclusive", a.inconclusive, b.inconclusive, UndecidedPolicy::fail,
                   kUndecided);
    compare_value("runs.min", a.min_runs, b.min_runs, true);
    compare_value("runs.max", a.max_runs, b.max_runs, false);
    compare_value("max_noise", a.max_noise, b.max_noise, false);
    compare_value("min_delta", a.min_delta.value(), b.min_delta.value(), true, "s");
    compare_value("min_sessions", a.min_sessions, b.min_sessions, true);
  }

  static std::string spec_text(const GateEntry& entry) {
    if (entry.spec)
      return entry.spec->file + (entry.spec->name.empty() ? "" : '#' + entry.spec->name);
    if (entry.model)
      return fmt::format("{} {} batch {} context {} tokens {} tp {} ep {} pp {}", entry.model->file,
                         entry.model->phase, entry.model->batch, entry.model->context,
                         entry.model->tokens, entry.model->tensor_parallel,
                         entry.model->expert_parallel, entry.model->pipeline_parallel);
    return entry.code_file;
  }

  void compare_entries(const GateEntry& a, const GateEntry& b) {
    // Another selector or description may let anything through: nobody can tell from the file which
    // way it goes.
    if (a.match.text != b.match.text || a.section != b.section ||
        a.match.everything != b.match.everything)
      add(Kind::loosened, b.id, "match", a.match.text, b.match.text, b.match_place);
    if (spec_text(a) != spec_text(b))
      add(Kind::loosened, b.id, "spec", spec_text(a), spec_text(b), b.place);
    if (a.launches != b.launches) {
      const auto text = [](const auto& n) { return n ? std::to_string(*n) : std::string(); };
      add(a.launches ? Kind::loosened : Kind::tightened, b.id, "launches", text(a.launches),
          text(b.launches), b.place);
    }
    if (a.cold != b.cold)
      add(b.cold ? Kind::tightened : Kind::loosened, b.id, "cold", a.cold ? "true" : "false",
          b.cold ? "true" : "false", b.place);
    compare_quarantines(a, b);
    compare_assertions(a, b);
  }

  void compare_quarantines(const GateEntry& a, const GateEntry& b) {
    const std::string before = a.quarantine ? a.quarantine->until : "",
                      after = b.quarantine ? b.quarantine->until : "";
    if (before != after)
      add(after > before ? Kind::loosened : Kind::tightened, b.id, "quarantine", before, after,
          b.quarantine ? b.quarantine->place : b.place);
  }

  void compare_assertions(const GateEntry& a, const GateEntry& b) {
    const auto find = [](const GateEntry& entry, const Assertion& like) {
      const auto at = std::find_if(
          entry.assertions.begin(), entry.assertions.end(),
          [&](const Assertion& x) { return x.kind == like.kind && x.resource == like.resource; });
      return at == entry.assertions.end() ? nullptr : &*at;
    };
    for (const auto& now : b.assertions) {
      const auto* was = find(a, now);
      if (!was)
        add(Kind::added, b.id, key_of(now), {}, limit_text(now), now.place);
      else if (const auto kind = change_of(*was, now))
        add(*kind, b.id, key_of(now), limit_text(*was), limit_text(now), now.place);
    }
    for (const auto& was : a.assertions)
      if (!find(b, was)) add(Kind::removed, b.id, key_of(was), limit_text(was), {}, b.place);
  }

  static std::optional<Kind> change_of(const Assertion& was, const Assertion& now) {
    if (was.kind == AssertionKind::bound) {
      const auto has = [](const Assertion& a, Bound b) {
        return std::find(a.bounds.begin(), a.bounds.end(), b) != a.bounds.end();
      };
      const bool more =
          std::any_of(now.bounds.begin(), now.bounds.end(), [&](Bound b) { return !has(was, b); });
      const bool less =
          std::any_of(was.bounds.begin(), was.bounds.end(), [&](Bound b) { return !has(now, b); });
      return more   ? std::optional(Kind::loosened)
             : less ? std::optional(Kind::tightened)
                    : std::nullopt;
    }
    if (was.limit == now.limit) return std::nullopt;
    return (now.limit > was.limit) == describe(now.kind).at_least ? Kind::tightened
                                                                  : Kind::loosened;
  }

  const GateFile &before_, &after_;
  std::vector<LimitChange> changes_;
};

}  // namespace

std::string_view change_name(Kind kind) { return kChangeNames[static_cast<std::size_t>(kind)]; }

std::vector<LimitChange> compare_limits(const GateFile& before, const GateFile& after) {
  return Comparison(before, after).run();
}

std::string value_text(double value, GateUnit unit) {
  switch (unit) {
    case GateUnit::seconds: return format_seconds(Seconds(value));
    case GateUnit::bytes: return format_bytes(value);
    case GateUnit::flops: return format_quantity(value, "FLOP");
    case GateUnit::intensity: return format_quantity(value, "FLOP/B");
    case GateUnit::percent: return format_number(value) + " %";
    default: return format_number(value);
  }
}

std::string limit_text(const Assertion& assertion) {
  if (assertion.kind == AssertionKind::code_unchanged) return "true";
  if (assertion.kind != AssertionKind::bound)
    return value_text(assertion.limit, describe(assertion.kind).unit);
  std::vector<std::string> names;
  for (const auto bound : assertion.bounds) names.emplace_back(bound_name(bound));
  return joined(names, names.size() == 2 ? " or " : ", ");
}

}  // namespace roofline
