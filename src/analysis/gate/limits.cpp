#include "analysis/gate/limits.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr Bound kBounds[] = {Bound::memory, Bound::compute, Bound::overhead, Bound::link,
                             Bound::unknown};

/// What a limit must lie between, in its own unit.
struct Range {
  double least, most;
  bool least_allowed;
  std::string_view why;
};
Range range_of(AssertionKind kind) {
  constexpr double kNoEnd = 1e300;
  switch (kind) {
    case AssertionKind::max_time_over_floor:
      return {1, kNoEnd, true, "nothing is faster than its floor"};
    case AssertionKind::min_pct_of_ceiling:
    case AssertionKind::min_utilization_pct: return {0, 100, false, "above 0 and up to 100 %"};
    case AssertionKind::max_gpu_idle_pct: return {0, 100, true, "from 0 to 100 %"};
    case AssertionKind::max_regression_pct:
    case AssertionKind::max_drift_pct:
    case AssertionKind::max_noise_pct:
      return {0, 1000, false, "above 0: a limit of 0 is broken by noise alone"};
    case AssertionKind::max_time:
    case AssertionKind::max_floor:
    case AssertionKind::min_intensity:
    case AssertionKind::max_excess_traffic: return {0, kNoEnd, false, "above zero"};
    default: return {0, kNoEnd, true, "not negative"};
  }
}

class LimitReader {
 public:
  LimitReader(Reading& reading, const AssertionEntry& row, std::string_view what)
      : reading_(reading), row_(row), what_(what) {}

  std::optional<double> read(const YamlNode& node) {
    if (!node.is_scalar()) {
      reading_.report_kind(node, what_, "one value", "for example " + std::string(row_.example));
      return std::nullopt;
    }
    auto value = parse(node.text);
    if (!value) {
      if (value.error().hint.empty())
        value.error().hint = "for example " + std::string(row_.example);
      reading_.report_inside(node, std::move(value.error()));
      return std::nullopt;
    }
    const auto range = range_of(row_.kind);
    if (*value < range.least || *value > range.most ||
        (*value == range.least && !range.least_allowed)) {
      reading_.report(Code::out_of_range, node, std::string(what_) + " is " + quoted(node.text),
                      std::string(range.why));
      return std::nullopt;
    }
    return *value;
  }

 private:
  Result<double> parse(std::string_view text) const {
    switch (row_.form) {
      case LimitForm::bytes: return parse_quantity(text, Dimension::bytes);
      case LimitForm::flops: return parse_quantity(text, Dimension::flops);
      case LimitForm::intensity: return parse_quantity(text, Dimension::intensity);
      case LimitForm::time: return parse_quantity(text, Dimension::time);
      case LimitForm::factor: return parse_quantity(text, Dimension::ratio);
      case LimitForm::percent:
      case LimitForm::percents: return percent(text);
      case LimitForm::whole_bytes:
        if (!is_digits(text)) return parse_quantity(text, Dimension::bytes);
        return whole(text);
      default: return whole(text);
    }
  }

  static bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  static Result<double> whole(std::string_view text) {
    auto count = parse_count(text);
    if (!count) return tl::unexpected(std::move(count.error()));
    return count->to_double();
  }

  /// "85" and "85 %"; the unit is in the key already.
  static Result<double> percent(std::string_view text) {
    if (text.find('%') == std::string_view::npos) return parse_number(text);
    auto share = parse_quantity(text, Dimension::ratio);
    if (!share) return share;
    return *share * 100;
  }

  Reading& reading_;
  const AssertionEntry& row_;
  std::string_view what_;
};

std::vector<Bound> read_bounds(Reading& reading, const YamlNode& node) {
  std::array<std::string_view, std::size(kBounds)> names;
  std::transform(std::begin(kBounds), std::end(kBounds), names.begin(), bound_name);
  std::vector<Bound> bounds;
  const auto take = [&](const YamlNode& item) {
    if (const auto choice = read_choice(reading, item, "bound", names))
      bounds.push_back(kBounds[*choice]);
  };
  if (!node.is_list()) take(node);
  for (const auto& item : node.items)
    if (node.is_list()) take(item);
  if (node.is_list() && node.items.empty())
    reading.report(Code::missing_key, node, "no bound is allowed", "for example bound: [memory]");
  return bounds;
}

bool is_resource(std::string_view name) {
  if (name == "dram" || name == "l2") return true;
  const auto pipe = find_pipe(name);
  return pipe && pipe->kind != PipeKind::none && pipe->kind != PipeKind::link;
}

void read_utilizations(Reading& reading, const AssertionEntry& row, const YamlNode& node,
                       std::vector<Assertion>& assertions) {
  if (!node.is_map())
    return reading.report_kind(node, row.name, "a map of resources",
                               "for example " + std::string(row.example));
  if (node.items.empty())
    reading.report(Code::missing_key, node, "no resource is named",
                   "for example " + std::string(row.example));
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto& key = node.keys[i];
    if (!is_resource(key.text)) {
      reading.report(Code::unknown_name, key, "unknown resource " + quoted(key.text),
                     "dram, l2, or a datapath: tensor:bf16, vector:fp32, sfu, int");
      continue;
    }
    const auto what = std::string(row.name) + " of " + key.text;
    if (const auto limit = LimitReader(reading, row, what).read(node.items[i]))
      assertions.push_back(
          {.kind = row.kind, .limit = *limit, .resource = key.text, .place = place_of(key)});
  }
}

void read_assertion(Reading& reading, const AssertionEntry& row, const YamlNode& key,
                    const YamlNode& value, std::vector<Assertion>& assertions) {
  const GatePlace place = place_of(key);
  switch (row.form) {
    case LimitForm::bounds:
      if (auto bounds = read_bounds(reading, value); !bounds.empty())
        assertions.push_back({.kind = row.kind, .bounds = std::move(bounds), .place = place});
      return;
    case LimitForm::percents: return read_utilizations(reading, row, value, assertions);
    case LimitForm::flag: {
      const auto flag = read_flag(reading.document(), value, row.name, reading.errors());
      if (flag && !*flag)
        reading.report(Code::out_of_range, value, std::string(row.name) + " can only be true",
                       "leave it out");
      if (flag && *flag) assertions.push_back({.kind = row.kind, .place = place});
      return;
    }
    default:
      if (const auto limit = LimitReader(reading, row, row.name).read(value))
        assertions.push_back({.kind = row.kind, .limit = *limit, .place = place});
  }
}

/// Sections in which the assertion may stand, for the hint.
std::string homes_of(const AssertionEntry& row) {
  std::vector<std::string> homes;
  for (std::size_t i = 0; i < kGateSections; ++i)
    if ((row.sections >> i & 1U) != 0)
      homes.emplace_back(section_name(static_cast<GateSection>(i)));
  return "it can be asserted of " + joined(homes);
}

}  // namespace

GatePlace place_of(const YamlNode& node) {
  return {node.line, node.column,
          node.is_scalar() ? std::max(1, static_cast<int>(node.text.size())) : 1};
}

std::vector<Assertion> read_assertions(Reading& reading, const YamlNode& node,
                                       GateSection section) {
  std::vector<Assertion> found;
  YamlMap map(reading.document(), node, "assert", reading.errors());
  if (!map.ok()) return found;
  for (const auto& row : assertions()) {
    const bool allowed = (row.sections >> static_cast<unsigned>(section) & 1U) != 0;
    if (!allowed && node.find(row.name) == nullptr) continue;  // no suggestion either
    const auto* value = map.find(row.name);
    if (value == nullptr) continue;
    const auto& key = *std::find_if(node.keys.begin(), node.keys.end(),
                                    [&](const YamlNode& k) { return k.text == row.name; });
    if (!allowed)
      reading.report(
          Code::contradiction, key,
          std::string(row.name) + " cannot be asserted of " + std::string(section_name(section)),
          homes_of(row));
    else
      read_assertion(reading, row, key, *value, found);
  }
  map.close();
  const auto* percent = node.find("min_pct_of_ceiling");
  const auto* factor = node.find("max_time_over_floor");
  if (percent != nullptr && factor != nullptr)
    reading.report(Code::contradiction,
                   *std::max(percent, factor, [](auto* a, auto* b) { return a->line < b->line; }),
                   "min_pct_of_ceiling and max_time_over_floor are one limit in two spellings",
                   "keep one of them");
  return found;
}

}  // namespace roofline
