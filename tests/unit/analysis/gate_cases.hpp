#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "roofline/analysis/gate.hpp"
#include "roofline/machine/catalog.hpp"

/// A gate and results as they stand in files, and the answer: what the tests of the gate share.
namespace roofline::gate_cases {

/// The rest of a result file around its kernels; keys of `more` go before them.
inline std::string result_text(const std::string& kernels, const std::string& more = {}) {
  return R"({"schema": "roofline.result/1", "gpu": {"id": "h100-sxm5-80gb"}, )" + more +
         R"("kernels": [)" + kernels + "]}";
}

/// A kernel with these run medians in microseconds, 50 launches each, quartiles 1 % around the
/// median. `more`: further keys of the kernel, `measured`: of its measurement; both end in a comma.
inline std::string kernel_text(const std::string& name, const std::vector<double>& medians_us,
                               const std::string& more = {}, const std::string& measured = {}) {
  std::string runs;
  for (const double us : medians_us)
    runs +=
        fmt::format(R"({}{{"launches": 50, "median_s": {:.9g}, "q1_s": {:.9g}, "q3_s": {:.9g}}})",
                    runs.empty() ? "" : ", ", us * 1e-6, us * 0.99e-6, us * 1.01e-6);
  return fmt::format(
      R"({{"name": "{}", "launches": {}, {}"measured": {{{}"timing": "kernel", "runs": [{}]}}}})",
      name, 50 * medians_us.size(), more, measured, runs);
}

/// A floor of 120.2 us, set by DRAM.
inline constexpr const char* kFloor =
    R"("time_floor_s": 120.2e-6, "bytes": 402653184, "limiter": "dram", "bound": "memory", )";

inline std::string gate_text(const std::string& entries, const std::string& policy = {}) {
  return "schema: roofline.gate/1\ngpu: h100-sxm5-80gb\n" + policy + "kernels:\n" + entries;
}
inline std::string entry_text(const std::string& id, const std::string& limits,
                              const std::string& more = {}) {
  return fmt::format("  - id: {0}\n    match: {{name: {0}}}\n{2}    assert: {{{1}}}\n", id, limits,
                     more);
}

/// A baseline of so many sessions of three runs each, all of this time.
inline GateReference reference(double us, int sessions, double spread = 0.005) {
  GateReference reference;
  // Sessions a little apart, as machines are; their mean is the time.
  for (int i = 0; i < sessions; ++i)
    reference.sessions.push_back(
        {std::log(us * 1e-6) + (i % 2 == 0 ? 1 : -1) * spread * (sessions > 1 ? 1 : 0), 3, spread});
  return reference;
}

struct Given {
  std::string gate, result;
  std::map<std::string, GateReference> baseline, pinned;
  std::string against;
  std::string today = "2026-11-30";
  bool require_baseline = false, cross_gpu = false;
};

inline Checked<GateFile> read_gate_text(const std::string& text) {
  const auto document = read_yaml(text, "roofline.gate.yml");
  if (!document) return tl::unexpected(document.error());
  return read_gate(*document);
}

inline Checked<std::vector<ResultRecord>> read_result_text(const std::string& text) {
  const auto document = read_yaml(text, "run.json", result_limits());
  if (!document) return tl::unexpected(document.error());
  return read_results(*document);
}

inline GateResult answer(const Given& given) {
  const auto gate = read_gate_text(given.gate);
  if (!gate) {
    ADD_FAILURE() << format_errors(gate.error(), false);
    return {};
  }
  const auto gpu = find_gpu("h100-sxm5-80gb");
  const Ceilings ceilings(*gpu);
  GateInputs inputs;
  inputs.gate = &*gate;
  inputs.ceilings = &ceilings;
  inputs.today = given.today;
  inputs.require_baseline = given.require_baseline;
  inputs.cross_gpu = given.cross_gpu;
  const auto lookup = [](const std::map<std::string, GateReference>& lines) {
    return [&lines](std::string_view id) {
      const auto at = lines.find(std::string(id));
      return at == lines.end() ? nullptr : &at->second;
    };
  };
  if (!given.baseline.empty()) inputs.baseline = lookup(given.baseline);
  if (!given.pinned.empty()) inputs.pinned = lookup(given.pinned);
  std::vector<ResultRecord> records, old;
  for (auto [text, into] : {std::pair(&given.result, &records), std::pair(&given.against, &old)}) {
    if (text->empty()) continue;
    auto read = read_result_text(*text);
    if (!read) {
      ADD_FAILURE() << format_errors(read.error(), false);
      return {};
    }
    *into = std::move(*read);
  }
  if (!records.empty()) inputs.result = &records.front();
  if (!old.empty()) inputs.against = &old.front();
  return evaluate_gate(inputs);
}

inline const AssertionResult* find(const GateResult& result, std::string_view id,
                                   std::string_view assertion) {
  for (const auto& row : result.results)
    if (row.id == id && row.assertion == assertion) return &row;
  return nullptr;
}

/// The answer in short, for the message of a test that fails.
inline std::string shown(const GateResult& result) {
  std::string text;
  for (const auto& row : result.results)
    text += fmt::format("  {} {} {} {} {} {}\n", outcome_name(row.outcome), row.id, row.assertion,
                        row.value ? fmt::format("{:.6g}", *row.value) : "-",
                        row.reason ? code_name(*row.reason) : "-", row.text);
  return text;
}

}  // namespace roofline::gate_cases
