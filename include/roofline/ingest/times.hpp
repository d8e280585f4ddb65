#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/result.hpp"

/// Times that other harnesses measured, as results: what a gate holds against descriptions.
namespace roofline {

/// Harnesses whose JSON is told apart by the keys of its outermost map.
enum class Harness : unsigned char { none, nvbench, google_benchmark };
Harness harness_of(const YamlDocument& document);

/// nvbench's --json: one result per device, one kernel per state that was not skipped, named
/// "benchmark[Axis=value]". Times are the GPU's, of isolated launches (the median where the file
/// has one, else the mean), taken by events. What was skipped is counted under `lost`. Errors: a
/// state without a time, figures that are none.
Checked<std::vector<ResultRecord>> read_nvbench(const YamlDocument& document);

/// Google Benchmark's --benchmark_out: one kernel per benchmark, its repetitions as launches of one
/// run; aggregates are passed over. A benchmark that ended in an error is counted under `lost`.
Checked<std::vector<ResultRecord>> read_google_benchmark(const YamlDocument& document);

/// A table with the columns `id` and `time` (with a unit), and `run` where rows of one id are of
/// several processes. Errors, with their line: missing columns, no unit, times that are not above
/// zero.
Checked<std::vector<ResultRecord>> read_time_table(std::string text, const std::string& name);

}  // namespace roofline
