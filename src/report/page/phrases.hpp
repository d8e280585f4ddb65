#pragma once

#include <string>
#include <string_view>

#include "report/page/page.hpp"
#include "roofline/report/report.hpp"

/// The words of a report for people: each of them is said in one way, wherever it is said.
namespace roofline::phrases {

std::string percent(double share);  ///< "71 %", "0.34 %", "99.98 %"
std::string times(double ratio);    ///< "3.33x"
std::string seconds(Seconds time);
std::string bytes(Count amount);         ///< "805.3 MB"
std::string flops(Count amount);         ///< "137.4 GFLOP"
std::string intensity(Intensity value);  ///< "1365 FLOP/B"
std::string grouped(Count value);        ///< "67 108 864"

/// The amount of work on a resource: "805.3 MB", "137.4 GFLOP", "2.15 Gop".
std::string amount(const ResourceTime& item);
/// "989.4 TFLOP/s".
std::string rate(const Ceiling& ceiling);
/// "BF16 tensor, dense", "BF16 tensor, 2:4 sparse", "BF16 tensor, dense, mma.sync", "FP32 vector",
/// "DRAM".
std::string ceiling_name(const Ceiling& ceiling);
/// What a percentage is of: "3.35 TB/s DRAM", "989.4 TFLOP/s BF16 tensor, dense".
std::string denominator(const Ceiling& ceiling);

/// Name of a kernel, made printable and of bounded length; cut in the middle where it stands inside
/// a sentence.
std::string kernel_name(const Kernel& kernel);
std::string short_name(const Kernel& kernel);
/// Its sizes in the fewest words: "4096 x 4096 x 4096", "seq_q=8192, heads_q=32, causal"; compact
/// for a table's cell.
std::string shape(const Kernel& kernel);
std::string compact_shape(const Kernel& kernel);
/// "137.4 G" of "137.4 GFLOP": where the column's title says the unit.
std::string without_unit(std::string text, std::string_view unit);
/// "bf16", or "a fp8_e4m3, b fp8_e4m3, d bf16".
std::string dtypes(const Kernel& kernel);
/// "B = 64, T = 128"; empty without swept variables.
std::string point(std::span<const Binding> point);

/// "memory", "compute, special function" (where the limiting pipe is not the headline's), "overhead
/// (memory side)".
std::string bound_cell(const Verdict& verdict);
std::string side(Side side);  ///< "left of the ridge (memory side)"
std::string status(Status status);

/// The verdict as a sentence, and how many of its first characters are the verdict itself.
struct VerdictSentence {
  std::string text;
  std::size_t strong = 0;
  Tone tone = Tone::plain;
};
VerdictSentence verdict(const Verdict& verdict);
Tone tone_of(Bound bound);

/// A lever with what it can buy at most, unless its own words say so.
std::string lever(const Lever& lever);

}  // namespace roofline::phrases
