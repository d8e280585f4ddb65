#pragma once

#include <string>
#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// What a unit measures.
enum class Dimension { time, bytes, byte_rate, flop_rate, op_rate, frequency, power, bit_rate, bits, ratio, flops, intensity };

/// Reads "3.35 TB/s", "50 MiB", "5us", "1830 MHz" as SI base units (B/s, B, s, Hz). The decimal point moves before the
/// conversion to binary, so "989.4 TFLOP/s" is exactly 989.4e12. A bare number is an error (needs_unit), as are a
/// unit of another dimension (wrong_unit), NaN, infinities, hexadecimal and digit separators (bad_number), negative values
/// and those past any double (out_of_range). Only a ratio may stand without a unit: "0.92", "92 %" and "1.25x" are read.
/// The Location of the error is left for the caller to fill in.
Result<double> parse_quantity(std::string_view text, Dimension dimension);

/// A plain finite decimal number; refuses nan, inf, hex, separators.
Result<double> parse_number(std::string_view text);

/// `value` in SI base units as text: 4 significant digits without trailing zeros, SI prefix, a space, the unit
/// ("402.7 MB", "120.2 us"). Quotients like FLOP/B take no prefix.
std::string format_quantity(double value, std::string_view unit);
std::string format_seconds(Seconds time);
std::string format_bytes(double bytes);       ///< SI: kB, MB, GB
std::string format_capacity(double bytes);    ///< IEC: KiB, MiB, GiB
/// 4 significant digits without trailing zeros; from 10 000 on all digits before the point, grouped with spaces; from 1e15
/// on and below 1e-6 as "1.5e15".
std::string format_number(double value);
/// `value` with exactly the digits that read back the same, scaled by an SI prefix: for files ("3.35 TB/s").
std::string exact_quantity(double value, std::string_view unit);

}  // namespace roofline
