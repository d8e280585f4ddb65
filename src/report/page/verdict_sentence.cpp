#include <fmt/format.h>

#include <algorithm>

#include "report/page/phrases.hpp"

namespace roofline::phrases {
namespace {

std::string floor_clause(const Verdict& verdict) {
  const bool below = verdict.floor.time < verdict.launch_floor;
  return fmt::format("a launch takes {} ({})", below ? "longer" : "about as long",
                     seconds(verdict.launch_floor));
}

VerdictSentence static_sentence(const Verdict& v) {
  const auto* limiting = v.floor.limiting();
  VerdictSentence s{.text = {}, .strong = 0, .tone = tone_of(v.bound)};
  const auto begin = [&](std::string word) {
    s.text = std::move(word);
    s.strong = s.text.size();
  };
  switch (v.bound) {
    case Bound::memory:
      begin("memory-bound");
      s.text += " (memory floor: DRAM sets it; nothing was measured)";
      break;
    case Bound::compute:
      begin("compute-bound");
      s.text += fmt::format(" (the {} pipe sets the floor; nothing was measured)",
                            resource_title(limiting->ceiling.resource));
      break;
    case Bound::link:
      begin("link-bound");
      s.text += fmt::format(" ({} sets the floor; nothing was measured)",
                            resource_title(limiting->ceiling.resource));
      break;
    case Bound::overhead:
      begin("overhead-bound");
      s.text += limiting
                    ? fmt::format(": {}{}floor {}, and {}", v.side ? side(*v.side) : std::string(),
                                  v.side ? ", " : "", seconds(v.floor.time), floor_clause(v))
                    : std::string(": nothing to move and nothing to compute, only a launch");
      break;
    case Bound::unknown:
      begin("unknown");
      s.text += ": no published rate for what the kernel needs most";
      break;
  }
  return s;
}

std::string confidence_clause(const Verdict& v) {
  if (v.confidence == Confidence::floor) return " (by its floor)";
  return fmt::format(" (confidence {})", confidence_name(v.confidence));
}

VerdictSentence measured_sentence(const Verdict& v) {
  const auto& m = *v.measured;
  const auto* limiting = v.floor.limiting();
  VerdictSentence s{.text = {}, .strong = 0, .tone = tone_of(v.bound)};
  if (m.status == Status::impossible) {
    s.text = "impossible";
    s.strong = s.text.size();
    s.tone = Tone::bad;
    s.text += fmt::format(": {} is faster than the floor of {} allows; no verdict", seconds(m.time),
                          seconds(v.floor.time));
    return s;
  }
  if (v.bound == Bound::overhead) {
    s.text = "overhead-bound";
    s.strong = s.text.size();
    const bool short_time = m.time < kOverheadBelow * v.launch_floor;
    s.text +=
        short_time
            ? fmt::format(": {} is less than two launches take ({} each)", seconds(m.time),
                          seconds(v.launch_floor))
            : fmt::format(": its floor of {} is less than two launches take ({} each); it took {}",
                          seconds(v.floor.time), seconds(v.launch_floor), seconds(m.time));
    return s;
  }
  if (v.bound == Bound::unknown && limiting) {
    s.text = "undecided";
    s.strong = s.text.size();
    s.text +=
        fmt::format(": {} of {} do not explain {}, and DRAM may", percent(m.fraction_of_ceiling),
                    denominator(limiting->ceiling), seconds(m.time));
    return s;
  }
  s.text = v.bound == Bound::unknown ? "unknown" : std::string(bound_name(v.bound)) + "-bound";
  s.strong = s.text.size();
  s.text += confidence_clause(v);
  if (!limiting) return s;
  const auto share =
      fmt::format("{} of {}", percent(m.fraction_of_ceiling), denominator(limiting->ceiling));
  const auto left = seconds(std::max(Seconds(0), m.time - v.floor.time));
  switch (m.status) {
    case Status::at_ceiling:
      s.text += fmt::format(
          ", at its ceiling: {}. Nothing to win without changing the algorithm, the fusion or the "
          "dtype",
          share);
      s.tone = Tone::good;
      break;
    case Status::near: s.text += fmt::format(", near its ceiling: {}, {} left", share, left); break;
    case Status::under_roof:
      s.text += fmt::format(", under the roof: {}. An implementation gap of {}", share, left);
      break;
    case Status::impossible: break;
  }
  return s;
}

}  // namespace

Tone tone_of(Bound bound) {
  switch (bound) {
    case Bound::memory:
    case Bound::link: return Tone::memory;
    case Bound::compute: return Tone::compute;
    case Bound::overhead: return Tone::overhead;
    case Bound::unknown: break;
  }
  return Tone::plain;
}

VerdictSentence verdict(const Verdict& verdict) {
  return verdict.measured ? measured_sentence(verdict) : static_sentence(verdict);
}

}  // namespace roofline::phrases
