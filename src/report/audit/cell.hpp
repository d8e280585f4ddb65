#pragma once

#include <optional>
#include <string_view>

#include "roofline/kernel/op.hpp"
#include "roofline/quantities/count.hpp"
#include "roofline/report/audit.hpp"

namespace roofline::audit_rows {

/// A whole number: "4096", also "4096.0" and "1e6" as other programs write them.
std::optional<Count> read_count(std::string_view text);

/// A finite decimal; the reason where it is none.
tl::expected<double, SkipReason> read_decimal(std::string_view text);

/// A time above zero: with its unit ("12.5 us"), or without one where the column's name has it (`unit` in seconds).
tl::expected<Seconds, SkipReason> read_time(std::string_view text, std::optional<double> unit);

/// The value of a parameter as its ParamSpec wants it: "128", "true", "causal", "[3, 3]", "[[1, 2], [3, 4]]".
std::optional<Value> read_value(const ParamSpec& spec, std::string_view text);

}  // namespace roofline::audit_rows
