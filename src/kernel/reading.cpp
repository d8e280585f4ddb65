#include "kernel/reading.hpp"

#include <algorithm>

#include "kernel/quoted.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "a single value";
    case YamlNode::Kind::list: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "nothing";
}

}  // namespace

void Reading::report(Code code, const YamlNode& node, std::string what, std::string hint) {
  if (has_enough()) return;
  errors_.push_back({code, document_.where(node), std::move(what), std::move(hint), {}});
}

void Reading::report(Error error) {
  const auto same = [&](const Error& last) {
    return last.where.line == error.where.line && last.where.column == error.where.column &&
           last.what == error.what;
  };
  if (has_enough() || (!errors_.empty() && same(errors_.back()))) return;
  errors_.push_back(std::move(error));
}

void Reading::report_inside(const YamlNode& scalar, Error error) {
  if (has_enough()) return;
  error.where = place_inside(document_, scalar, error.where);
  errors_.push_back(std::move(error));
}

void Reading::report_kind(const YamlNode& node, std::string_view what, std::string_view expected,
                          std::string hint) {
  const std::string given = node.is_scalar() ? quoted(node.text) : std::string(kind_name(node));
  report(Code::wrong_type, node,
         std::string(what) + " must be " + std::string(expected) + ", not " + given,
         std::move(hint));
}

Location place_inside(const YamlDocument& document, const YamlNode& scalar, const Location& part) {
  Location where = document.where(scalar);
  if (part.column <= 0) return where;
  const auto opening = std::size_t{scalar.quoted ? 1u : 0u};
  const auto start =
      static_cast<std::size_t>(std::max(0, where.column - 1 - where.source_offset)) + opening;
  const auto end = static_cast<std::size_t>(part.column - 1 + part.length);
  const auto needed = std::string_view(scalar.text).substr(0, end);
  const std::string_view line = where.source_line;
  if (start > line.size() || line.substr(start, needed.size()) != needed) return where;
  return document.where(where.line, where.column + static_cast<int>(opening) + part.column - 1,
                        part.length);
}

std::optional<std::size_t> read_choice(Reading& reading, const YamlNode& node,
                                       std::string_view what,
                                       std::span<const std::string_view> choices) {
  const std::vector<std::string> names(choices.begin(), choices.end());
  if (!node.is_scalar()) {
    reading.report_kind(node, what, "one of " + joined(names));
    return std::nullopt;
  }
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::string near = did_you_mean(node.text, choices);
  reading.report(Code::unknown_name, node, "unknown " + std::string(what) + " " + quoted(node.text),
                 near.empty() ? "one of " + joined(names) : near);
  return std::nullopt;
}

std::optional<double> read_seconds(Reading& reading, const YamlNode& node, std::string_view what,
                                   bool zero_allowed) {
  if (!node.is_scalar()) {
    reading.report_kind(node, what, "a time with a unit", "for example 410 us");
    return std::nullopt;
  }
  auto seconds = parse_quantity(node.text, Dimension::time);
  if (!seconds) {
    seconds.error().where = {};
    reading.report_inside(node, std::move(seconds.error()));
    return std::nullopt;
  }
  if (*seconds > 0 || (zero_allowed && *seconds == 0)) return *seconds;
  reading.report(Code::out_of_range, node, std::string(what) + " is " + quoted(node.text),
                 zero_allowed ? "a time is not negative" : "a time is above zero");
  return std::nullopt;
}

}  // namespace roofline
