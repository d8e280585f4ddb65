#include "roofline/analysis/counter_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "roofline/base/text.hpp"
#include "roofline/machine/embedded.hpp"

namespace roofline {
namespace {

using Comparison = RuleCondition::Comparison;
constexpr std::pair<std::string_view, Comparison> kComparisons[] = {{"<", Comparison::below},
                                                                    {"<=", Comparison::at_most},
                                                                    {">", Comparison::above},
                                                                    {">=", Comparison::at_least}};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) list.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

/// Calls `each(before, name)` for every `{name}`, and with an empty name for the rest.
template <class Each>
void each_placeholder(std::string_view text, Each each) {
  for (;;) {
    const auto open = text.find('{');
    const auto close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return each(text, std::string_view{});
    each(text.substr(0, open), text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

class RulesReader {
 public:
  explicit RulesReader(const YamlDocument& document) : document_(document) {}

  Checked<std::vector<CounterRule>> read() {
    YamlMap file(document_, document_.root(), "the file of rules", errors_);
    if (text(file, "schema") != "roofline.rules/1")
      error(document_.root(), "the schema must be roofline.rules/1");
    if (const auto* rules = file.need("rules"))
      for (const auto& node : rules->items) read_rule(node);
    file.close();
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(rules_);
  }

 private:
  void error(const YamlNode& node, std::string what, std::string hint = {}) {
    errors_.push_back(
        {Code::contradiction, document_.where(node), std::move(what), std::move(hint), {}});
  }
  std::string text(YamlMap& map, std::string_view key) {
    const auto* node = map.need(key);
    return node ? read_text(document_, *node, key, errors_).value_or(std::string{}) : std::string{};
  }
  std::string text_or_nothing(YamlMap& map, std::string_view key) {
    return map.find(key) ? text(map, key) : std::string{};
  }

  void check_fact(const YamlNode& node, std::string_view name) {
    const auto names = CounterFacts::names();
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    error(node, fmt::format("there is no fact \"{}\"", printable(name)), did_you_mean(name, names));
  }

  void read_condition(const YamlNode& node, std::string_view condition,
                      std::vector<RuleCondition>& list) {
    const auto parts = words(condition);
    RuleCondition read;
    const auto* comparison = std::end(kComparisons);
    bool whole = parts.size() == 3;
    if (whole) {
      read.fact = parts[0];
      comparison = std::find_if(std::begin(kComparisons), std::end(kComparisons),
                                [&](const auto& row) { return row.first == parts[1]; });
      const auto [end, failed] =
          std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), read.threshold);
      whole = comparison != std::end(kComparisons) && failed == std::errc() &&
              end == parts[2].data() + parts[2].size();
    }
    if (!whole)
      return error(node, fmt::format("\"{}\" is no condition", printable(condition)),
                   "write coalescing < 0.5");
    check_fact(node, read.fact);
    read.comparison = comparison->second;
    list.push_back(std::move(read));
  }

  void read_conditions(YamlMap& map, std::string_view key, bool needed,
                       std::vector<RuleCondition>& list) {
    const auto* node = needed ? map.need(key) : map.find(key);
    if (!node) return;
    for (const auto& condition :
         read_names(document_, *node, key, errors_).value_or(std::vector<std::string>{}))
      read_condition(*node, condition, list);
    if (needed && list.empty()) error(*node, "a rule needs a condition");
  }

  void read_lever(YamlMap& map, CounterRule& rule) {
    const auto* node = rule.note ? map.find("lever") : map.need("lever");
    if (!node) return;
    YamlMap lever(document_, *node, "a lever", errors_);
    rule.lever_code = text(lever, "code");
    rule.lever_text = text(lever, "text");
    lever.close();
  }

  void read_rule(const YamlNode& node) {
    YamlMap map(document_, node, "a rule", errors_);
    CounterRule rule;
    rule.code = text(map, "code");
    if (!codes_.insert(rule.code).second) error(node, "the code \"" + rule.code + "\" comes twice");
    const std::string kind = text_or_nothing(map, "kind");
    if (!kind.empty() && kind != "note") error(node, "kind is note, or left out");
    rule.note = kind == "note";
    read_conditions(map, "when", true, rule.when);
    read_conditions(map, "unless", false, rule.unless);
    rule.text = text(map, "text");
    each_placeholder(rule.text, [&](std::string_view, std::string_view name) {
      if (!name.empty()) check_fact(node, name);
    });
    read_lever(map, rule);
    const std::string saves = text_or_nothing(map, "saves");
    if (!saves.empty() && saves != "traffic") error(node, "saves is traffic, or left out");
    rule.saves_traffic = saves == "traffic";
    rule.reason = text(map, "reason");
    map.close();
    rules_.push_back(std::move(rule));
  }

  const YamlDocument& document_;
  Errors errors_;
  std::vector<CounterRule> rules_;
  std::set<std::string> codes_;
};

bool fires(const CounterRule& rule, const CounterFacts& facts) {
  const auto known_and_holds = [&](const RuleCondition& condition) {
    const auto value = facts.find(condition.fact);
    return value && condition.holds(*value);
  };
  return std::all_of(rule.when.begin(), rule.when.end(), known_and_holds) &&
         std::none_of(rule.unless.begin(), rule.unless.end(), known_and_holds);
}

std::string filled(const CounterRule& rule, const CounterFacts& facts) {
  std::string text;
  each_placeholder(rule.text, [&](std::string_view before, std::string_view name) {
    text += before;
    if (!name.empty()) text += facts.text(name);
  });
  return text;
}

}  // namespace

bool RuleCondition::holds(double value) const {
  switch (comparison) {
    case Comparison::below: return value < threshold;
    case Comparison::at_most: return value <= threshold;
    case Comparison::above: return value > threshold;
    case Comparison::at_least: return value >= threshold;
  }
  return false;
}

Checked<std::vector<CounterRule>> read_counter_rules(const YamlDocument& document) {
  return RulesReader(document).read();
}

const std::vector<CounterRule>& counter_rules() {
  static const std::vector<CounterRule> rules = [] {
    const auto document = read_yaml(std::string(embedded_file("rules.yaml")), "rules.yaml");
    auto read = document ? read_counter_rules(*document)
                         : Checked<std::vector<CounterRule>>(tl::unexpected(Errors{}));
    return read ? std::move(*read) : std::vector<CounterRule>{};
  }();
  return rules;
}

std::vector<FiredRule> fired_rules(const CounterFacts& facts, const std::vector<CounterRule>& rules,
                                   std::optional<Seconds> time) {
  std::vector<FiredRule> fired;
  for (const auto& rule : rules) {
    if (!fires(rule, facts)) continue;
    FiredRule row{{rule.code, filled(rule, facts)}, std::nullopt, rule.note};
    if (!rule.lever_code.empty()) {
      row.lever = Lever{rule.lever_code, rule.lever_text, std::nullopt};
      const auto excess = facts.find("excess_traffic");
      if (rule.saves_traffic && time && excess && *excess > 1)
        row.lever->saves_up_to = *time * (1 - 1 / *excess);
    }
    fired.push_back(std::move(row));
  }
  return fired;
}

}  // namespace roofline
