#include <cmath>
#include <limits>

#include "gate_cases.hpp"

// Every situation of the design's table of outcomes and of its list of cases that tests must hold.
namespace roofline {
namespace {

using namespace gate_cases;

struct Row {
  const char* name;
  Given given;
  const char* id;
  const char* assertion;
  Outcome outcome;
  std::optional<Code> reason;
  int exit_code;
};

GateReference with_code(GateReference reference, std::string hash, double dram_bytes = 0) {
  reference.code_hash = std::move(hash);
  if (dram_bytes > 0) reference.dram_bytes = Bytes(dram_bytes);
  return reference;
}
GateReference measured_at(GateReference reference, double watts, std::string method = {}) {
  reference.power_limit_w = watts;
  reference.method = std::move(method);
  return reference;
}

std::string environment(const std::string& keys) { return R"("environment": {)" + keys + "}, "; }
std::string program(const std::string& keys) { return R"("program": {)" + keys + "}, "; }
std::string ranges(const std::string& name, const std::string& runs) {
  return R"("ranges": [{"name": ")" + name + R"(", "runs": [)" + runs + "]}], ";
}

const std::string kAdd = entry_text("add", "max_time_over_floor: 1.25");
const std::string kRegression = entry_text("add", "max_regression_pct: 5");
const std::vector<double> kSlow = {400, 401, 399, 400, 400}, kGood = {136, 137, 137, 138, 137};
// Around 137 us: 1 % and 8 % between runs, made by hand.
const std::vector<double> kQuietOld = {137.0, 138.4, 135.6, 137.3, 136.7,
                                       138.0, 136.0, 137.6, 136.4};
const std::vector<double> kQuietSlower = {148.0, 149.0, 147.2, 148.6, 146.9,
                                          149.3, 147.5, 148.2, 147.7};
const std::vector<double> kNoisyOld = {125, 149, 131, 144, 120, 151, 137, 128, 146};
const std::vector<double> kNoisyNew = {143, 122, 148, 129, 150, 127, 133, 145, 124};

std::string ranged(const std::string& limits, const std::string& match = "{nvtx: decode}") {
  return "schema: roofline.gate/1\ngpu: h100-sxm5-80gb\nranges:\n  - id: step\n    match: " +
         match + "\n    assert: {" + limits + "}\n";
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      // ------------------------------------------------ the results as a whole
      {"empty_results",
       {gate_text(kAdd), result_text("")},
       "",
       "results",
       Outcome::error,
       Code::empty_result,
       2},
      {"program_exits_3",
       {gate_text(kAdd), result_text("", program(R"("exit_code": 3)"))},
       "",
       "program",
       Outcome::error,
       Code::measured_program_failed,
       4},
      {"program_killed",
       {gate_text(kAdd), result_text(kernel_text("add", kGood, kFloor), program(R"("signal": 9)"))},
       "",
       "program",
       Outcome::error,
       Code::measured_program_failed,
       4},
      {"trace_cut_off",
       {gate_text(kAdd), result_text(kernel_text("add", kGood, kFloor), R"("complete": false, )")},
       "",
       "results",
       Outcome::error,
       Code::trace_incomplete,
       3},
      // ------------------------------------------------ what is there
      {"only_ungated_kernels",
       {gate_text(kAdd), result_text(kernel_text("mul", kGood))},
       "add",
       "match",
       Outcome::fail,
       Code::missing_kernel,
       1},
      {"missing_skipped_by_policy",
       {gate_text(kAdd, "policy: {missing: skip}\n"), result_text(kernel_text("mul", kGood))},
       "add",
       "match",
       Outcome::skip,
       Code::missing_kernel,
       0},
      {"extra_fails_by_policy",
       {gate_text(kAdd, "policy: {extra: fail}\n"),
        result_text(kernel_text("add", kGood, kFloor) + "," + kernel_text("mul", kGood))},
       "",
       "extra",
       Outcome::fail,
       Code::extra_kernels,
       1},
      {"two_entries_one_kernel",
       {gate_text(kAdd + "  - id: any\n    match: {glob: 'a*'}\n    assert: {max_time: 1 ms}\n"),
        result_text(kernel_text("add", kGood, kFloor))},
       "any",
       "match",
       Outcome::error,
       Code::ambiguous_match,
       2},
      {"one_entry_three_kernels",
       {gate_text("  - id: gemm\n    match: {glob: 'gemm_*'}\n    assert: {max_time: 200 us}\n"),
        result_text(kernel_text("gemm_a", kGood) + "," + kernel_text("gemm_b", kSlow) + "," +
                    kernel_text("gemm_c", kGood))},
       "gemm[2]",
       "max_time",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"launches_of_several_kernels",
       {gate_text("  - id: gemm\n    match: {glob: 'gemm_*'}\n    launches: 100\n"),
        result_text(kernel_text("gemm_a", kGood) + "," + kernel_text("gemm_b", kGood))},
       "gemm",
       "launches",
       Outcome::pass,
       {},
       0},
      {"launches_differ_from_the_entry",
       {gate_text(entry_text("add", "max_time: 1 ms", "    launches: 1\n")),
        result_text(kernel_text("add", kGood))},
       "add",
       "launches",
       Outcome::fail,
       Code::launch_count,
       1},
      {"one_of_two_ran",
       {gate_text("  - id: gemm\n    match: {one_of: [{name: split_k}, {name: stream_k}]}\n    "
                  "assert: {max_time: 200 us}\n"),
        result_text(kernel_text("split_k", kGood))},
       "gemm",
       "max_time",
       Outcome::pass,
       {},
       0},
      {"both_of_one_of_ran",
       {gate_text("  - id: gemm\n    match: {one_of: [{name: split_k}, {name: stream_k}]}\n    "
                  "assert: {max_time: 200 us}\n"),
        result_text(kernel_text("split_k", kGood) + "," + kernel_text("stream_k", kGood))},
       "gemm",
       "one_of",
       Outcome::fail,
       Code::launch_count,
       1},
      {"ordinal_picks_one",
       {gate_text(
            "  - id: second\n    match: {name: add, ordinal: 2}\n    assert: {max_time: 200 us}\n"),
        result_text(kernel_text("add", kGood, R"("grid": [1, 1, 1], )") + "," +
                    kernel_text("add", kSlow, R"("grid": [2, 1, 1], )"))},
       "second",
       "max_time",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"grid_picks_one",
       {gate_text(
            "  - id: first\n    match: {name: add, grid: 1}\n    assert: {max_time: 200 us}\n"),
        result_text(kernel_text("add", kGood, R"("grid": [1, 1, 1], )") + "," +
                    kernel_text("add", kSlow, R"("grid": [2, 1, 1], )"))},
       "first",
       "max_time",
       Outcome::pass,
       {},
       0},
      {"hostile_name",
       {gate_text("  - id: x\n    match: {name: '::error::x'}\n    assert: {max_time: 200 us}\n"),
        result_text(kernel_text("::error::x", kSlow))},
       "x",
       "max_time",
       Outcome::fail,
       Code::limit_broken,
       1},
      // ------------------------------------------------ values
      {"time_zero",
       {gate_text(kAdd), result_text(kernel_text("add", {0, 0, 0}, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::error,
       Code::impossible_value,
       2},
      {"half_the_floor",
       {gate_text(kAdd), result_text(kernel_text("add", {60, 60, 60}, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::error,
       Code::below_floor,
       2},
      {"half_the_floor_without_a_limit_on_time",
       {gate_text(entry_text("add", "max_registers: 64")),
        result_text(
            kernel_text("add", {60, 60, 60}, std::string(kFloor) + R"("registers": 32, )"))},
       "add",
       "floor",
       Outcome::error,
       Code::below_floor,
       2},
      // 40 MB fit the 50 MiB L2, and less crossed DRAM.
      {"working_set_under_l2",
       {gate_text(kAdd),
        result_text(kernel_text(
            "add", {6, 6, 6}, R"("time_floor_s": 11.9e-6, "bytes": 40000000, "limiter": "dram", )",
            R"("dram_bytes": 9000000, )"))},
       "add",
       "max_time_over_floor",
       Outcome::skip,
       Code::held_in_l2,
       0},
      {"working_set_under_l2_but_cold",
       {gate_text(entry_text("add", "max_time_over_floor: 1.25", "    cold: true\n")),
        result_text(kernel_text(
            "add", {6, 6, 6}, R"("time_floor_s": 11.9e-6, "bytes": 40000000, "limiter": "dram", )",
            R"("dram_bytes": 9000000, )"))},
       "add",
       "max_time_over_floor",
       Outcome::error,
       Code::below_floor,
       2},
      {"value_absent",
       {gate_text(entry_text("add", "max_registers: 64")), result_text(kernel_text("add", kGood))},
       "add",
       "max_registers",
       Outcome::error,
       Code::value_absent,
       2},
      {"no_floor",
       {gate_text(kAdd), result_text(kernel_text("add", kGood))},
       "add",
       "max_time_over_floor",
       Outcome::error,
       Code::value_absent,
       2},
      {"no_counters",
       {gate_text(entry_text("add", "max_excess_traffic: 1.1")),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "max_excess_traffic",
       Outcome::error,
       Code::counters_absent,
       3},
      {"no_counters_skipped_by_policy",
       {gate_text(entry_text("add", "max_excess_traffic: 1.1"), "policy: {no_counters: skip}\n"),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "max_excess_traffic",
       Outcome::skip,
       Code::counters_absent,
       0},
      // 926.1 MB / 402.7 MB = 2.30
      {"excess_traffic",
       {gate_text(entry_text("add", "max_excess_traffic: 1.1")),
        result_text(kernel_text("add", kSlow, kFloor, R"("dram_bytes": 926102323, )"))},
       "add",
       "max_excess_traffic",
       Outcome::fail,
       Code::limit_broken,
       1},
      // 926.1 MB / 400 us / 3.35 TB/s = 69 %
      {"utilization_holds",
       {gate_text(entry_text("add", "min_utilization_pct: {dram: 68}")),
        result_text(kernel_text("add", kSlow, kFloor, R"("dram_bytes": 926102323, )"))},
       "add",
       "min_utilization_pct.dram",
       Outcome::pass,
       {},
       0},
      {"utilization_broken",
       {gate_text(entry_text("add", "min_utilization_pct: {dram: 70}")),
        result_text(kernel_text("add", kSlow, kFloor, R"("dram_bytes": 926102323, )"))},
       "add",
       "min_utilization_pct.dram",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"exactly_at_the_limit",
       {gate_text(entry_text("add", "max_registers: 168")),
        result_text(kernel_text("add", kGood, R"("registers": 168, )"))},
       "add",
       "max_registers",
       Outcome::pass,
       {},
       0},
      {"one_above_the_limit",
       {gate_text(entry_text("add", "max_registers: 168")),
        result_text(kernel_text("add", kGood, R"("registers": 169, )"))},
       "add",
       "max_registers",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"spill",
       {gate_text(entry_text("add", "max_spill_bytes: 0")),
        result_text(kernel_text("add", kGood, R"("spill_bytes": 4, )"))},
       "add",
       "max_spill_bytes",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"bound_holds",
       {gate_text(entry_text("add", "bound: [memory]")),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "bound",
       Outcome::pass,
       {},
       0},
      {"bound_broken",
       {gate_text(entry_text("add", "bound: compute")),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "bound",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"balanced_is_either_side",
       {gate_text(entry_text("add", "bound: compute")),
        result_text(kernel_text("add", kGood, std::string(kFloor) + R"("balanced": true, )"))},
       "add",
       "bound",
       Outcome::pass,
       {},
       0},
      // ------------------------------------------------ times
      {"over_the_floor",
       {gate_text(kAdd), result_text(kernel_text("add", kSlow, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"near_enough",
       {gate_text(kAdd), result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::pass,
       {},
       0},
      // 120.2 / 137 = 87.7 %
      {"share_of_ceiling_holds",
       {gate_text(entry_text("add", "min_pct_of_ceiling: 86")),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "min_pct_of_ceiling",
       Outcome::pass,
       {},
       0},
      {"share_of_ceiling_broken",
       {gate_text(entry_text("add", "min_pct_of_ceiling: 90")),
        result_text(kernel_text("add", kGood, kFloor))},
       "add",
       "min_pct_of_ceiling",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"interval_holds_the_limit",
       {gate_text(entry_text("add", "max_time: 137 us")),
        result_text(kernel_text("add", kQuietOld))},
       "add",
       "max_time",
       Outcome::inconclusive,
       Code::too_near_the_limit,
       0},
      {"undecided_fails_by_policy",
       {gate_text(entry_text("add", "max_time: 137 us"), "policy: {inconclusive: fail}\n"),
        result_text(kernel_text("add", kQuietOld))},
       "add",
       "max_time",
       Outcome::inconclusive,
       Code::too_near_the_limit,
       5},
      // One run: the quartiles of its launches, 1 % around the median, decide.
      {"one_run_over",
       {gate_text(kAdd), result_text(kernel_text("add", {400}, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"one_run_under",
       {gate_text(kAdd), result_text(kernel_text("add", {137}, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::pass,
       {},
       0},
      {"one_run_at_the_limit",
       {gate_text(entry_text("add", "max_time: 137 us")), result_text(kernel_text("add", {137}))},
       "add",
       "max_time",
       Outcome::inconclusive,
       Code::too_near_the_limit,
       0},
      {"one_run_regression",
       {gate_text(kRegression),
        result_text(kernel_text("add", {200})),
        {{"add", reference(137, 10)}}},
       "add",
       "max_regression_pct",
       Outcome::inconclusive,
       Code::too_few_runs,
       0},
      {"noise_limit",
       {gate_text(entry_text("add", "max_noise_pct: 5")),
        result_text(kernel_text("add", kNoisyOld))},
       "add",
       "max_noise_pct",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"noise_limit_holds",
       {gate_text(entry_text("add", "max_noise_pct: 5")),
        result_text(kernel_text("add", kQuietOld))},
       "add",
       "max_noise_pct",
       Outcome::pass,
       {},
       0},
      // ------------------------------------------------ the machine
      {"throttled",
       {gate_text(kAdd),
        result_text(kernel_text("add", kSlow, kFloor), environment(R"("throttled_share": 0.12)"))},
       "add",
       "max_time_over_floor",
       Outcome::inconclusive,
       Code::machine_disturbed,
       0},
      {"clock_moved",
       {gate_text(kAdd),
        result_text(kernel_text("add", kSlow, kFloor),
                    environment(R"("sm_clock_mhz": {"min": 1400, "median": 1700, "max": 1755})"))},
       "add",
       "max_time_over_floor",
       Outcome::inconclusive,
       Code::machine_disturbed,
       0},
      {"other_process",
       {gate_text(kAdd),
        result_text(kernel_text("add", kSlow, kFloor), environment(R"("other_processes": 1)"))},
       "add",
       "max_time_over_floor",
       Outcome::inconclusive,
       Code::machine_disturbed,
       0},
      {"throttled_but_good",
       {gate_text(kAdd),
        result_text(kernel_text("add", kGood, kFloor), environment(R"("throttled_share": 0.12)"))},
       "add",
       "max_time_over_floor",
       Outcome::pass,
       {},
       0},
      {"throttled_spill_still_fails",
       {gate_text(entry_text("add", "max_spill_bytes: 0")),
        result_text(kernel_text("add", kGood, R"("spill_bytes": 4, )"),
                    environment(R"("throttled_share": 0.12)"))},
       "add",
       "max_spill_bytes",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"other_gpu",
       {gate_text(kAdd),
        R"({"schema": "roofline.result/1", "gpu": {"id": "a100-sxm4-80gb"}, "kernels": [)" +
            kernel_text("add", kGood, kFloor) + "]}"},
       "add",
       "max_time_over_floor",
       Outcome::error,
       Code::measured_elsewhere,
       3},
      {"other_gpu_skipped_by_policy",
       {gate_text(kAdd, "policy: {other_gpu: skip}\n"),
        R"({"schema": "roofline.result/1", "gpu": {"id": "a100-sxm4-80gb"}, "kernels": [)" +
            kernel_text("add", kGood, kFloor) + "]}"},
       "add",
       "max_time_over_floor",
       Outcome::skip,
       Code::measured_elsewhere,
       0},
      {"other_gpu_for_information",
       {.gate = gate_text(kAdd),
        .result =
            R"({"schema": "roofline.result/1", "gpu": {"id": "a100-sxm4-80gb"}, "kernels": [)" +
            kernel_text("add", kGood, kFloor) + "]}",
        .cross_gpu = true},
       "add",
       "max_time_over_floor",
       Outcome::skip,
       Code::measured_elsewhere,
       0},
      {"launches_on_another_gpu",
       {gate_text(entry_text("add", "max_launches: 50")),
        R"({"schema": "roofline.result/1", "gpu": {"id": "a100-sxm4-80gb"}, "kernels": [)" +
            kernel_text("add", kGood, kFloor) + "]}"},
       "add",
       "max_launches",
       Outcome::pass,
       {},
       0},
      {"same_gpu_at_500_watt",
       {gate_text(kRegression),
        result_text(kernel_text("add", kGood), environment(R"("power_limit_w": 500)")),
        {{"add", measured_at(reference(137, 10), 700)}}},
       "add",
       "max_regression_pct",
       Outcome::error,
       Code::measured_elsewhere,
       3},
      {"physics_at_500_watt",
       {gate_text(kAdd),
        result_text(kernel_text("add", kGood, kFloor), environment(R"("power_limit_w": 500)")),
        {{"add", measured_at(reference(137, 10), 700)}}},
       "add",
       "max_time_over_floor",
       Outcome::pass,
       {},
       0},
      {"another_method",
       {gate_text(kRegression),
        result_text(kernel_text("add", kGood),
                    environment(R"("power_limit_w": 700, "method": "cupti-trace/2")")),
        {{"add", measured_at(reference(137, 10), 700, "cupti-trace/1")}}},
       "add",
       "max_regression_pct",
       Outcome::error,
       Code::baseline_unusable,
       2},
      // ------------------------------------------------ the baseline
      {"no_baseline",
       {gate_text(kRegression), result_text(kernel_text("add", kGood))},
       "add",
       "max_regression_pct",
       Outcome::fresh,
       Code::no_baseline,
       0},
      {"baseline_required",
       {.gate = gate_text(kRegression),
        .result = result_text(kernel_text("add", kGood)),
        .require_baseline = true},
       "add",
       "max_regression_pct",
       Outcome::error,
       Code::no_baseline,
       2},
      {"slower",
       {gate_text(kRegression),
        result_text(kernel_text("add", kQuietSlower)),
        {{"add", reference(137, 10)}}},
       "add",
       "max_regression_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"as_fast",
       {gate_text(kRegression),
        result_text(kernel_text("add", kQuietOld)),
        {{"add", reference(137, 10)}}},
       "add",
       "max_regression_pct",
       Outcome::pass,
       {},
       0},
      {"faster_by_30_percent",
       {gate_text(kRegression),
        result_text(kernel_text("add", {96, 96, 95, 97, 96})),
        {{"add", reference(137, 10)}}},
       "add",
       "max_regression_pct",
       Outcome::pass,
       {},
       0},
      {"by_a_former_id",
       {gate_text(entry_text("add", "max_regression_pct: 5", "    aka: [old_add]\n")),
        result_text(kernel_text("add", kQuietSlower)),
        {{"old_add", reference(137, 10)}}},
       "add",
       "max_regression_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"one_session_20_percent",
       {gate_text(kRegression),
        result_text(kernel_text("add", {164, 165, 164, 165, 164})),
        {{"add", reference(137, 1)}}},
       "add",
       "max_regression_pct",
       Outcome::inconclusive,
       Code::too_few_sessions,
       0},
      {"same_code_slower",
       {gate_text(kRegression),
        result_text(kernel_text("add", kQuietSlower, R"("code_hash": "ab", )")),
        {{"add", with_code(reference(137, 10), "ab")}}},
       "add",
       "max_regression_pct",
       Outcome::inconclusive,
       Code::environment_changed,
       0},
      {"same_code_more_traffic",
       {gate_text(kRegression),
        result_text(kernel_text("add", kQuietSlower, R"("code_hash": "ab", )",
                                R"("dram_bytes": 500000000, )")),
        {{"add", with_code(reference(137, 10), "ab", 402653184)}}},
       "add",
       "max_regression_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"other_code_slower",
       {gate_text(kRegression),
        result_text(kernel_text("add", kQuietSlower, R"("code_hash": "cd", )")),
        {{"add", with_code(reference(137, 10), "ab")}}},
       "add",
       "max_regression_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"code_unchanged",
       {gate_text(entry_text("add", "code_unchanged: true")),
        result_text(kernel_text("add", kGood, R"("code_hash": "ab", )")),
        {{"add", with_code(reference(137, 10), "ab")}}},
       "add",
       "code_unchanged",
       Outcome::pass,
       {},
       0},
      {"code_changed",
       {gate_text(entry_text("add", "code_unchanged: true")),
        result_text(kernel_text("add", kGood, R"("code_hash": "cd", )")),
        {{"add", with_code(reference(137, 10), "ab")}}},
       "add",
       "code_unchanged",
       Outcome::fail,
       Code::code_changed,
       1},
      {"drift_against_the_release",
       {.gate = gate_text(entry_text("add", "max_drift_pct: 10")),
        .result = result_text(kernel_text("add", {164, 165, 164, 165, 164})),
        .pinned = {{"add", reference(137, 10)}}},
       "add",
       "max_drift_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"drift_without_a_release",
       {.gate = gate_text(entry_text("add", "max_drift_pct: 10")),
        .result = result_text(kernel_text("add", kGood)),
        .baseline = {{"add", reference(137, 10)}}},
       "add",
       "max_drift_pct",
       Outcome::fresh,
       Code::no_baseline,
       0},
      // ------------------------------------------------ against another program
      {"ab_8_percent_at_1_percent_noise",
       {.gate = gate_text(kRegression),
        .result = result_text(kernel_text("add", kQuietSlower)),
        .against = result_text(kernel_text("add", kQuietOld))},
       "add",
       "max_regression_pct",
       Outcome::fail,
       Code::slower_than_baseline,
       1},
      {"ab_0_percent_at_8_percent_noise",
       {.gate = gate_text(kRegression),
        .result = result_text(kernel_text("add", kNoisyNew)),
        .against = result_text(kernel_text("add", kNoisyOld))},
       "add",
       "max_regression_pct",
       Outcome::inconclusive,
       Code::runs_too_noisy,
       0},
      {"ab_new_kernel",
       {.gate = gate_text(kRegression),
        .result = result_text(kernel_text("add", kGood)),
        .against = result_text(kernel_text("mul", kGood))},
       "add",
       "max_regression_pct",
       Outcome::fresh,
       Code::no_baseline,
       0},
      // ------------------------------------------------ ranges
      {"range_launches",
       {ranged("max_launches: 40"),
        result_text(kernel_text("add", kGood),
                    ranges("decode", R"({"launches": 52}, {"launches": 52})"))},
       "step",
       "max_launches",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"range_launches_38_and_41",
       {ranged("max_launches: 40"),
        result_text(kernel_text("add", kGood),
                    ranges("decode", R"({"launches": 38}, {"launches": 41})"))},
       "step",
       "max_launches",
       Outcome::error,
       Code::launches_vary,
       3},
      {"whole_program",
       {ranged("max_launches: 5000", "all"),
        result_text(kernel_text("add", kGood), ranges("", R"({"launches": 4999})"))},
       "step",
       "max_launches",
       Outcome::pass,
       {},
       0},
      {"range_missing",
       {ranged("max_launches: 40"),
        result_text(kernel_text("add", kGood), ranges("prefill", R"({"launches": 1})"))},
       "step",
       "match",
       Outcome::fail,
       Code::missing_kernel,
       1},
      // 12 % and 30 % of 2 ms
      {"range_idle_holds",
       {ranged("max_gpu_idle_pct: 20"),
        result_text(
            kernel_text("add", kGood),
            ranges(
                "decode",
                R"({"time_s": 0.002, "idle_s": 0.00024}, {"time_s": 0.002, "idle_s": 0.00024}, {"time_s": 0.002, "idle_s": 0.00025})"))},
       "step",
       "max_gpu_idle_pct",
       Outcome::pass,
       {},
       0},
      {"range_idle_broken",
       {ranged("max_gpu_idle_pct: 20"),
        result_text(
            kernel_text("add", kGood),
            ranges(
                "decode",
                R"({"time_s": 0.002, "idle_s": 0.0006}, {"time_s": 0.002, "idle_s": 0.00061}, {"time_s": 0.002, "idle_s": 0.0006})"))},
       "step",
       "max_gpu_idle_pct",
       Outcome::fail,
       Code::limit_broken,
       1},
      {"range_never_idle",
       {ranged("max_gpu_idle_pct: 20"),
        result_text(
            kernel_text("add", kGood),
            ranges(
                "decode",
                R"({"time_s": 0.002, "idle_s": 0}, {"time_s": 0.002, "idle_s": 0}, {"time_s": 0.002, "idle_s": 0})"))},
       "step",
       "max_gpu_idle_pct",
       Outcome::pass,
       {},
       0},
      {"range_time",
       {ranged("max_time: 2.1 ms"),
        result_text(
            kernel_text("add", kGood),
            ranges("decode", R"({"time_s": 0.003}, {"time_s": 0.003}, {"time_s": 0.00301})"))},
       "step",
       "max_time",
       Outcome::fail,
       Code::limit_broken,
       1},
      // ------------------------------------------------ quarantine
      {"in_quarantine",
       {gate_text(entry_text("add", "max_time_over_floor: 1.25",
                             "    quarantine: {until: 2026-12-01, why: bimodal}\n")),
        result_text(kernel_text("add", kSlow, kFloor))},
       "add",
       "max_time_over_floor",
       Outcome::quarantined,
       Code::limit_broken,
       0},
      {"last_day_of_quarantine",
       {.gate = gate_text(entry_text("add", "max_time_over_floor: 1.25",
                                     "    quarantine: {until: 2026-12-01, why: bimodal}\n")),
        .result = result_text(kernel_text("add", kSlow, kFloor)),
        .today = "2026-12-01"},
       "add",
       "max_time_over_floor",
       Outcome::quarantined,
       Code::limit_broken,
       0},
      {"quarantine_is_over",
       {.gate = gate_text(entry_text("add", "max_time_over_floor: 1.25",
                                     "    quarantine: {until: 2026-12-01, why: bimodal}\n")),
        .result = result_text(kernel_text("add", kGood, kFloor)),
        .today = "2026-12-02"},
       "add",
       "quarantine",
       Outcome::fail,
       Code::quarantine_ended,
       1},
  };
  return kRows;
}

class GateOutcome : public testing::TestWithParam<Row> {};
TEST_P(GateOutcome, OfASituation) {
  const auto& row = GetParam();
  const auto result = answer(row.given);
  const auto* found = find(result, row.id, row.assertion);
  ASSERT_NE(found, nullptr) << shown(result);
  EXPECT_EQ(outcome_name(found->outcome), outcome_name(row.outcome)) << shown(result);
  EXPECT_EQ(found->reason ? code_name(*found->reason) : "",
            row.reason ? code_name(*row.reason) : "")
      << shown(result);
  EXPECT_EQ(result.exit_code, row.exit_code) << shown(result);
}
INSTANTIATE_TEST_SUITE_P(Rows, GateOutcome, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

TEST(Gate, ThreeHundredFailuresExitWithOne) {
  std::string entries, kernels;
  for (int i = 0; i < 300; ++i) {
    entries += entry_text(fmt::format("k{}", i), "max_time: 100 us");
    kernels += (i ? "," : "") + kernel_text(fmt::format("k{}", i), kSlow);
  }
  const auto result = answer({gate_text(entries), result_text(kernels)});
  EXPECT_EQ(result.count(Outcome::fail), 300U);
  EXPECT_EQ(result.exit_code, 1);
}

TEST(Gate, RenamedKernelIsSaid) {
  const auto result = answer({gate_text(kAdd),
                              result_text(kernel_text("add_v2", kGood, R"("code_hash": "ab", )")),
                              {{"add", with_code(reference(137, 10), "ab")}}});
  const auto* row = find(result, "add", "match");
  ASSERT_NE(row, nullptr);
  ASSERT_EQ(row->more.size(), 1U);
  EXPECT_EQ(
      row->more[0],
      "nearest: \"add_v2\" (250 launches), and its machine code equals the baseline's: renamed?");
  EXPECT_EQ(row->hint, "match: {name: add_v2}");
}

TEST(Gate, FasterThanTheBaselineIsToBeRecorded) {
  const auto result = answer({gate_text(kRegression),
                              result_text(kernel_text("add", {96, 96, 95, 97, 96})),
                              {{"add", reference(137, 10)}}});
  EXPECT_EQ(find(result, "add", "max_regression_pct")->text,
            "faster: record it as the new baseline");
}

TEST(Gate, NotANumberIsAnError) {
  const auto gate = read_gate_text(gate_text(kAdd));
  ASSERT_TRUE(gate);
  auto records = read_result_text(result_text(kernel_text("add", kGood, kFloor)));
  ASSERT_TRUE(records);
  for (const double value : {std::nan(""), -1.0, std::numeric_limits<double>::infinity()}) {
    records->front().kernels[0].measured->runs[1].median = Seconds(value);
    GateInputs inputs;
    inputs.gate = &*gate;
    inputs.result = &records->front();
    const auto result = evaluate_gate(inputs);
    EXPECT_EQ(find(result, "add", "max_time_over_floor")->reason, Code::impossible_value) << value;
    EXPECT_EQ(result.exit_code, 2);
  }
}

TEST(Gate, ValuesOfABrokenLimit) {
  const auto result =
      answer({gate_text(entry_text("add", "max_time_over_floor: 1.25, max_excess_traffic: 1.1")),
              result_text(kernel_text("add", kSlow, kFloor, R"("dram_bytes": 926102323, )"))});
  const auto& floor = *find(result, "add", "max_time_over_floor");
  EXPECT_NEAR(*floor.value, 400 / 120.2, 1e-3);  // 3.33
  EXPECT_NEAR(floor.lost->value(), 279.8e-6, 1e-9);
  EXPECT_EQ(floor.text, "lost 279.8 us a launch");
  EXPECT_EQ(floor.line, 6);
  const auto& excess = *find(result, "add", "max_excess_traffic");
  EXPECT_NEAR(*excess.value, 2.30, 5e-4);
  EXPECT_EQ(excess.text, "926.1 MB instead of 402.7 MB");
}

TEST(Gate, UngatedKernelsAreCounted) {
  const auto result =
      answer({gate_text(kAdd), result_text(kernel_text("add", {150, 150, 150}, kFloor) + "," +
                                           kernel_text("mul", {50, 50, 50}))});
  EXPECT_EQ(result.ungated_count, 1U);
  EXPECT_NEAR(*result.ungated_share, 0.25, 1e-9);
  EXPECT_EQ(result.ungated[0].name, "mul");
}

TEST(Gate, ExitCodesByPrecedence) {
  // 2 before 3 before 1 before 5 before 0; 4 is of the whole result and stands alone.
  const std::string fails = entry_text("slow", "max_time: 100 us"),
                    absent = entry_text("add", "max_registers: 64"),
                    counters = entry_text("mul", "max_dram_bytes: 1 MB");
  const std::string kernels = kernel_text("slow", kSlow) + "," + kernel_text("add", kGood) + "," +
                              kernel_text("mul", kGood);
  EXPECT_EQ(answer({gate_text(fails), result_text(kernels)}).exit_code, 1);
  EXPECT_EQ(answer({gate_text(fails + counters), result_text(kernels)}).exit_code, 3);
  EXPECT_EQ(answer({gate_text(fails + counters + absent), result_text(kernels)}).exit_code, 2);
}

TEST(Gate, SeveralResultsAreOne) {
  const auto first =
      read_result_text(result_text(kernel_text("add", {100, 102}), program(R"("runs": 2)")));
  const auto second =
      read_result_text(result_text(kernel_text("add", {104}) + "," + kernel_text("mul", {7}),
                                   environment(R"("throttled_share": 0.2)")));
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  const ResultRecord both[] = {first->front(), second->front()};
  const auto all = merged(both);
  ASSERT_EQ(all.kernels.size(), 2U);
  EXPECT_EQ(all.kernels[0].measured->runs.size(), 3U);
  EXPECT_NEAR(all.kernels[0].measured->time->value(), 102e-6, 1e-12);
  EXPECT_EQ(all.kernels[0].launches, 150);
  EXPECT_EQ(all.environment->throttled_share, 0.2);
}

TEST(SelfTest, QuietRunsAllowSmallLimits) {
  const auto gate = read_gate_text(gate_text(entry_text("add", "max_regression_pct: 5") +
                                             entry_text("noisy", "max_regression_pct: 5") +
                                             entry_text("once", "max_time: 1 s")));
  ASSERT_TRUE(gate) << format_errors(gate.error(), false);
  const auto records = read_result_text(result_text(
      kernel_text("add", {100, 100.2, 100.1, 99.9, 100, 100.1, 99.8, 100.2, 100, 99.9}) + "," +
      kernel_text("noisy", {125, 149, 131, 144, 120, 151, 137, 128, 146, 122}) + "," +
      kernel_text("once", {1})));
  ASSERT_TRUE(records);
  const auto test = self_test(*gate, records->front());
  ASSERT_EQ(test.rows.size(), 2U);
  EXPECT_EQ(test.rows[0].rounds, 5);
  EXPECT_FALSE(test.rows[0].false_alarm);
  EXPECT_LE(*test.rows[0].safe_limit, 0.02);
  EXPECT_FALSE(test.rows[1].false_alarm);
  EXPECT_TRUE(!test.rows[1].safe_limit || *test.rows[1].safe_limit > 0.1);
  EXPECT_EQ(test.too_few, std::vector<std::string>{"once"});
}

}  // namespace
}  // namespace roofline
