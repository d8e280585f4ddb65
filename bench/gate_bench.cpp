// A gate of 10,000 kernels, each with two limits and a baseline of 12 sessions, against reading the
// result that it is held against.
//
// Target: at most 1 time the reading; 0.5 s is what a user may wait for it.
#include <cmath>

#include "roofline/analysis/gate.hpp"
#include "side_by_side.hpp"

namespace {

constexpr int kKernels = 10'000, kSessions = 12, kRuns = 5;

std::string gate_text() {
  std::string text = "gpu: h100-sxm5-80gb\nkernels:\n";
  for (int i = 0; i < kKernels; ++i) {
    const auto name = "kernel_" + std::to_string(i);
    text += "  - id: " + name + "\n    match: {name: " + name +
            "}\n    assert: {max_time: 120 us, max_regression_pct: 5}\n";
  }
  return text;
}

/// Run medians a little apart, the same in every process of this benchmark.
double median_of(int kernel, int run) {
  return 1e-4 * (1 + 0.003 * std::sin(kernel * 7 + run * 13));
}

std::string result_text() {
  std::string text =
      R"({"schema": "roofline.result/1", "gpu": {"id": "h100-sxm5-80gb"}, "kernels": [)";
  for (int i = 0; i < kKernels; ++i) {
    text +=
        std::string(i ? "," : "") + R"({"name": "kernel_)" + std::to_string(i) +
        R"(", "grid": [132, 1, 1], "block": [256, 1, 1], "registers": 64, "measured": {"runs": [)";
    for (int run = 0; run < kRuns; ++run)
      text += std::string(run ? "," : "") + R"({"launches": 50, "median_s": )" +
              std::to_string(median_of(i, run)) + "}";
    text += "]}}";
  }
  return text + "]}";
}

}  // namespace

int main() {
  using namespace roofline;
  const auto gate_document = read_yaml(gate_text(), "gate.yml");
  const auto gate =
      gate_document ? read_gate(*gate_document) : tl::unexpected(gate_document.error());
  const std::string text = result_text();
  const auto document = read_yaml(text, "run.json", result_limits());
  const auto records = document ? read_results(*document) : tl::unexpected(document.error());
  if (!gate || !records) {
    std::fputs(format_errors(gate ? records.error() : gate.error(), false).c_str(), stderr);
    return 1;
  }
  GateReference reference;
  for (int i = 0; i < kSessions; ++i)
    reference.sessions.push_back({std::log(median_of(0, i)), kRuns, 0.003});
  GateInputs inputs;
  inputs.gate = &*gate;
  inputs.result = &records->front();
  inputs.baseline = [&](std::string_view) { return &reference; };
  inputs.today = "2026-11-30";
  std::size_t held = 0;
  const auto ours = [&] { held = evaluate_gate(inputs).count(Outcome::pass); };
  const auto reading = [&] {
    const auto again = read_yaml(text, "run.json", result_limits());
    bench::keep(read_results(*again));
  };
  const auto result = bench::compare(ours, reading, 5);
  const bool good = bench::report("gate of 10,000 kernels x 12 sessions",
                                  "times reading the result", result.ratio, 1, true);
  const bool soon =
      bench::report("", "s in all, with the reading", result.ours + result.reference, 0.5, true);
  std::printf("%-44s %.3f s for %zu limits, reading %.3f s\n", "", result.ours, held,
              result.reference);
  return good && soon && held > 0 ? 0 : 1;
}
