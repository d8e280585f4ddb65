#include "kernel/result_fields.hpp"

#include <limits>

#include "roofline/quantities/units.hpp"

namespace roofline {

bool FieldReader::take_record(const YamlNode& node) {
  if (stopped_) return false;
  if (left_ > 0) {
    --left_;
    return true;
  }
  stopped_ = true;
  reading_.report(Code::limit_exceeded, node, "more kernels, runs and ranges than are read",
                  "one result may hold a million of them");
  return false;
}

std::optional<double> FieldReader::number(const YamlNode& node, std::string_view key) {
  if (!node.is_scalar() || node.quoted) {
    reading_.report_kind(node, key, "a number");
    return std::nullopt;
  }
  auto value = parse_number(node.text);
  if (!value) {
    value.error().where = {};
    reading_.report_inside(node, std::move(value.error()));
    return std::nullopt;
  }
  if (*value >= 0) return *value;
  reading_.report(Code::out_of_range, node, std::string(key) + " is negative");
  return std::nullopt;
}

std::optional<std::int64_t> FieldReader::integer(const YamlNode& node, std::string_view key) {
  const auto value = number(node, key);
  if (!value) return std::nullopt;
  constexpr double kMost = 9.2e18;  // below 2^63, so that the conversion is defined
  if (*value <= kMost) {
    const auto whole = static_cast<std::int64_t>(*value);
    if (static_cast<double>(whole) == *value) return whole;
  }
  reading_.report_kind(node, key, "a whole number");
  return std::nullopt;
}

bool FieldReader::is_list(const YamlNode& node, std::string_view key) {
  if (node.is_list()) return true;
  reading_.report_kind(node, key, "a list");
  return false;
}

bool FieldReader::is_map(const YamlNode& node, std::string_view key) {
  if (node.is_map()) return true;
  reading_.report_kind(node, key, "a map");
  return false;
}

}  // namespace roofline
