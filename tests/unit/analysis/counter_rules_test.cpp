// Each rule on both sides of its thresholds, with counters that give the fact by hand.
#include "roofline/analysis/counter_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "roofline/base/input.hpp"
#include "roofline/kernel/machine_code.hpp"
#include "unit/analysis/described.hpp"

namespace roofline {
namespace {

namespace mc = machine_code;

// Reads 536.87 MB and writes 268.44 MB (67 108 864 floats, two in, one out): 240.4 us at 3.35 TB/s.
constexpr const char* kAdd =
    "{op: elementwise, shape: [67108864], inputs: [[67108864], [67108864]], flops_per_element: 1, "
    "dtype: fp32, "
    "time: 400 us, timing: kernel}";
// 137 438 953 472 FLOP.
constexpr const char* kGemm =
    "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 400 us, timing: kernel}";

CounterValues dram(double read, double written) {
  return {{"dram__bytes_read.sum", read}, {"dram__bytes_write.sum", written}};
}
CounterValues coalescing(double bytes) {
  return {{"smsp__sass_data_bytes_mem_global.sum", bytes},
          {"smsp__sass_sectors_mem_global.sum", 100}};
}
CounterValues issue(double share) {
  return {{"smsp__issue_active.sum", share * 528000},
          {"smsp__issue_active.sum.peak_sustained", 528},
          {"sm__cycles_elapsed.max", 1000}};
}
CounterValues occupancy(double percent) {
  return {{"sm__warps_active.avg.pct_of_peak_sustained_active", percent}};
}
CounterValues local(double instructions) {
  return {{"smsp__sass_inst_executed_op_local.sum", instructions},
          {"smsp__sass_inst_executed.sum", 1000}};
}
CounterValues tensor(double percent) {
  return {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", percent}};
}
CounterValues bf16(double flops) { return {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", flops}}; }
CounterValues conflicts(double of_100) {
  return {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", of_100},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 100}};
}
CounterValues integers(double of_100) {
  return {{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", of_100},
          {"smsp__sass_thread_inst_executed_pred_on.sum", 100}};
}
CounterValues operator+(CounterValues a, const CounterValues& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Row {
  const char* name;
  const char* entry;
  CounterValues counters;
  LaunchFacts launch;
  const char* code;
  bool fires;
};
LaunchFacts spills(double bytes) { return {.spill_bytes = bytes}; }
LaunchFacts blocks(double count) { return {.blocks = count}; }
LaunchFacts code(std::uint64_t bits) { return {.tensor_code = bits}; }

const Row kRows[] = {
    {"coalescing_just_below", kAdd, coalescing(1599), {}, "uncoalesced", true},  // of 3200 B
    {"coalescing_of_a_half", kAdd, coalescing(1600), {}, "uncoalesced", false},
    {"coalescing_not_measured", kAdd, {}, {}, "uncoalesced", false},
    {"reads_a_tenth_more", kAdd, dram(536870912 * 1.1, 268435456), {}, "extra_reads", false},
    {"reads_twice", kAdd, dram(536870912 * 1.11, 268435456), {}, "extra_reads", true},
    {"writes_a_tenth_more", kAdd, dram(536870912, 268435456 * 1.1), {}, "extra_writes", false},
    {"writes_more", kAdd, dram(536870912, 268435456 * 1.11), {}, "extra_writes", true},
    {"spills_in_the_loop", kAdd, local(11), spills(8), "spills", true},
    {"spills_outside", kAdd, local(10), spills(8), "spills", false},
    {"no_spills", kAdd, local(11), spills(0), "spills", false},
    {"local_arrays", kAdd, local(11), spills(0), "local_memory", true},
    {"local_or_spilled_unknown", kAdd, local(11), {}, "local_memory", true},
    {"spills_are_not_said_twice", kAdd, local(11), spills(8), "local_memory", false},
    {"one_conflict_in_five", kAdd, conflicts(20), {}, "bank_conflicts", false},
    {"more_conflicts", kAdd, conflicts(21), {}, "bank_conflicts", true},
    // H100: 128 B x 132 SMs x 1.98 GHz = 33.45 TB/s; in 400 us 13.38 GB are 104 545 454 wavefronts.
    {"shared_memory_just_below",
     kAdd,
     {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0.79 * 104545454}},
     {},
     "shared_memory_bound",
     false},
    {"shared_memory_above",
     kAdd,
     {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 0.81 * 104545454}},
     {},
     "shared_memory_bound",
     true},
    // 16 a clock x 132 x 1.83 GHz = 3.865 T/s; in 400 us 1.546 G operations are 48 311 000 warp
    // instructions.
    {"special_functions_just_below",
     kAdd,
     {{"smsp__inst_executed_pipe_xu.sum", 0.69 * 48311000}},
     {},
     "special_functions",
     false},
    {"special_functions_above",
     kAdd,
     {{"smsp__inst_executed_pipe_xu.sum", 0.71 * 48311000}},
     {},
     "special_functions",
     true},
    {"half_on_the_tensor_cores", kGemm, bf16(68719476736), {}, "tensor_idle", false},
    {"less_on_the_tensor_cores", kGemm, bf16(68719476735), {}, "tensor_idle", true},
    {"none_on_the_tensor_cores", kGemm, tensor(0), {}, "tensor_idle", true},
    {"tensor_work_that_nobody_counted", kGemm, tensor(30), {}, "tensor_idle", false},
    {"tensor_work_unknown", kGemm, {}, {}, "tensor_idle", false},
    {"no_tensor_work_described", kAdd, tensor(0), {}, "tensor_idle", false},
    {"mma_sync_on_hopper", kGemm, {}, code(mc::kBf16 | mc::kMmaSync), "mma_sync_path", true},
    {"wgmma_on_hopper", kGemm, {}, code(mc::kBf16 | mc::kWgmma), "mma_sync_path", false},
    {"both_paths", kGemm, {}, code(mc::kBf16 | mc::kWgmma | mc::kMmaSync), "mma_sync_path", false},
    {"code_unknown", kGemm, {}, {}, "mma_sync_path", false},
    {"four_fifths_of_the_lanes",
     kAdd,
     {{"smsp__sass_thread_inst_executed.sum", 2560}, {"smsp__sass_inst_executed.sum", 100}},
     {},
     "divergence",
     false},
    {"fewer_lanes",
     kAdd,
     {{"smsp__sass_thread_inst_executed.sum", 2559}, {"smsp__sass_inst_executed.sum", 100}},
     {},
     "divergence",
     true},
    {"as_many_blocks_as_sms", kAdd, {}, blocks(132), "few_blocks", false},
    {"fewer_blocks_than_sms", kAdd, {}, blocks(131), "few_blocks", true},
    {"few_warps_and_all_idle",
     kAdd,
     occupancy(24) + issue(0.39) + dram(4e8, 2e8),
     {},
     "low_occupancy",
     true},
    {"a_quarter_of_the_warps",
     kAdd,
     occupancy(25) + issue(0.39) + dram(4e8, 2e8),
     {},
     "low_occupancy",
     false},
    {"few_warps_that_issue",
     kAdd,
     occupancy(24) + issue(0.4) + dram(4e8, 2e8),
     {},
     "low_occupancy",
     false},
    {"few_warps_and_dram_busy",
     kAdd,
     occupancy(24) + issue(0.39) + dram(6e8, 2.1e8),
     {},
     "low_occupancy",
     false},
    {"few_warps_and_tensor_busy",
     kAdd,
     occupancy(24) + issue(0.39) + dram(4e8, 2e8) + tensor(51),
     {},
     "low_occupancy",
     false},
    {"few_warps_of_few_blocks", kAdd, occupancy(24) + issue(0.39) + dram(4e8, 2e8), blocks(10),
     "low_occupancy", false},
    {"warps_wait", kAdd, occupancy(25) + issue(0.19) + dram(4e8, 2e8), {}, "issue_starved", true},
    {"warps_issue", kAdd, occupancy(25) + issue(0.2) + dram(4e8, 2e8), {}, "issue_starved", false},
    {"schedulers_full", kAdd, issue(0.81), {}, "issue_bound", true},
    {"schedulers_at_four_fifths", kAdd, issue(0.8), {}, "issue_bound", false},
    {"integers_in_busy_schedulers", kAdd, integers(51) + issue(0.51), {}, "integer_work", true},
    {"integers_in_idle_schedulers", kAdd, integers(51) + issue(0.5), {}, "integer_work", false},
    {"half_integers", kAdd, integers(50) + issue(0.51), {}, "integer_work", false},
    {"a_fifth_more_flops", kGemm, bf16(137438953472 * 1.2), {}, "extra_work", false},
    {"more_flops", kGemm, bf16(137438953472 * 1.21), {}, "extra_work", true},
    {"inputs_from_the_l2", kAdd, dram(536870912 * 0.89, 268435456), {}, "l2_warm", true},
    {"inputs_from_dram", kAdd, dram(536870912 * 0.9, 268435456), {}, "l2_warm", false},
    {"a_lower_bound_is_no_hit",
     kAdd,
     {{"lts__d_sectors_fill_sysmem.sum", 1000}},
     {},
     "l2_warm",
     false},
};

CounterFacts facts_of(const Row& row) {
  const Kernel kernel = described(row.entry);
  const Verdict verdict = verdict_of(row.entry, "h100");
  auto launch = row.launch;
  launch.time = kernel.time;
  return {measured_counters(row.counters), launch, &known_gpu("h100"), &kernel, &verdict};
}

class CounterRules : public testing::TestWithParam<Row> {};
TEST_P(CounterRules, FireOnTheirSideOfTheThreshold) {
  const auto facts = facts_of(GetParam());
  const auto fired = fired_rules(facts, counter_rules(), Seconds(400e-6));
  const auto at = std::find_if(fired.begin(), fired.end(),
                               [](const auto& f) { return f.cause.code == GetParam().code; });
  EXPECT_EQ(at != fired.end(), GetParam().fires);
  if (at == fired.end()) return;
  EXPECT_EQ(at->cause.text.find('{'), std::string::npos) << at->cause.text;
  EXPECT_EQ(at->lever.has_value(), !at->note);
}
INSTANTIATE_TEST_SUITE_P(Rows, CounterRules, testing::ValuesIn(kRows),
                         [](auto& i) { return i.param.name; });

TEST(CounterRuleTexts, EveryRuleOfTheFileIsTested) {
  std::set<std::string> tested;
  for (const auto& row : kRows)
    if (row.fires) tested.insert(row.code);
  ASSERT_FALSE(counter_rules().empty());
  for (const auto& rule : counter_rules())
    if (rule.code != "l2_bound") {  // needs another GPU, below
      EXPECT_TRUE(tested.count(rule.code)) << rule.code;
    }
}

// The document lists every rule with its conditions, and every fact.
TEST(CounterRuleTexts, TheDocumentHasThemAll) {
  const auto document = read_input(ROOFLINE_SOURCE_DIR "/docs/counters.md", std::size_t{1} << 20);
  ASSERT_TRUE(document);
  for (const auto& rule : counter_rules()) {
    const auto row = document->find("| `" + rule.code + "`");
    ASSERT_NE(row, std::string::npos) << rule.code;
    const auto line = document->substr(row, document->find('\n', row) - row);
    for (const auto& conditions : {rule.when, rule.unless})
      for (const auto& condition : conditions)
        EXPECT_NE(line.find(condition.fact), std::string::npos) << line;
  }
  for (const auto fact : CounterFacts::names())
    EXPECT_NE(document->find("`" + std::string(fact) + "`"), std::string::npos) << fact;
}

// 1.88x the compulsory bytes at the same bandwidth: 400 us x (1 - 1 / 1.88)
TEST(CounterRuleTexts, ExtraBytesSayWhatTheyCost) {
  const Row row{"", kAdd, dram(2 * 536870912.0, 1.64 * 268435456), {}, "", true};
  const auto facts = facts_of(row);
  const auto fired = fired_rules(facts, counter_rules(), Seconds(400e-6));
  ASSERT_GE(fired.size(), 2u);
  EXPECT_EQ(fired[0].cause.text, "it reads 1.074 GB from DRAM, 2.00x its inputs");
  EXPECT_NEAR(fired[0].lever->saves_up_to->value(), 187.2e-6, 0.1e-6);
  EXPECT_EQ(fired[1].cause.code, "extra_writes");
}

TEST(CounterRuleTexts, TheL2FiresWhereTheTableHasItsBandwidth) {
  const Gpu& gpu = known_gpu("a100-sxm4-80gb");
  const LaunchFacts launch{.time = Seconds(1e-3)};
  for (const auto& [share, expected] : {std::pair(0.79, false), std::pair(0.81, true)}) {
    const CounterValues values = {
        {"lts__t_bytes.sum", share * 1e-3 * gpu.l2_bandwidth->value.value()}};
    const CounterFacts facts(measured_counters(values), launch, &gpu, nullptr, nullptr);
    EXPECT_EQ(fired_rules(facts, counter_rules(), std::nullopt).size(), expected ? 1u : 0u);
  }
}

TEST(CounterRuleTexts, NothingFiresWhereNothingIsKnown) {
  const CounterFacts none({}, {}, nullptr, nullptr, nullptr);
  EXPECT_TRUE(none.all().empty());
  EXPECT_TRUE(fired_rules(none, counter_rules(), std::nullopt).empty());
}

struct FaultRow {
  const char* name;
  const char* yaml;
  const char* message;
};
constexpr FaultRow kFaults[] = {
    {"another_schema", "{schema: roofline.rules/2, rules: []}", "schema"},
    {"an_unknown_fact",
     "{schema: roofline.rules/1, rules: [{code: a, when: [colescing < 1], text: t, lever: {code: "
     "l, text: t}, reason: r}]}",
     "no fact"},
    {"no_condition",
     "{schema: roofline.rules/1, rules: [{code: a, when: [coalescing is 1], text: t, lever: {code: "
     "l, text: t}, reason: r}]}",
     "no condition"},
    {"an_unknown_placeholder",
     "{schema: roofline.rules/1, rules: [{code: a, when: [coalescing < 1], text: 'is {colour}', "
     "lever: {code: l, text: t}, reason: r}]}",
     "no fact"},
    {"a_code_twice",
     "{schema: roofline.rules/1, rules: [{code: a, kind: note, when: [coalescing < 1], text: t, "
     "reason: r}, {code: a, kind: note, when: [coalescing < 1], text: t, reason: r}]}",
     "twice"},
    {"no_reason",
     "{schema: roofline.rules/1, rules: [{code: a, kind: note, when: [coalescing < 1], text: t}]}",
     "reason"},
    {"no_lever",
     "{schema: roofline.rules/1, rules: [{code: a, when: [coalescing < 1], text: t, reason: r}]}",
     "lever"},
};
class RuleFaults : public testing::TestWithParam<FaultRow> {};
TEST_P(RuleFaults, AreRefused) {
  const auto rules = read_counter_rules(*read_yaml(GetParam().yaml, "rules.yaml"));
  ASSERT_FALSE(rules);
  EXPECT_NE(rules.error()[0].what.find(GetParam().message), std::string::npos)
      << rules.error()[0].what;
}
INSTANTIATE_TEST_SUITE_P(Rows, RuleFaults, testing::ValuesIn(kFaults),
                         [](auto& i) { return i.param.name; });

struct PeakRow {
  const char* name;
  CounterValues counters;
  std::size_t mismatches;
};
// H100 SXM of the table: 3.35 TB/s; bf16 989.4 TFLOP/s at 1.83 GHz: 4096 FLOP per SM and clock x
// 132 = 540 672.
const PeakRow kPeaks[] = {
    {"the_device_is_the_table",
     {{"sm__cycles_elapsed.avg.per_second", 1.7e9},
      {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 540672}},
     0},
    {"a_slice_of_a_seventh",
     {{"sm__cycles_elapsed.avg.per_second", 1.7e9},
      {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 540672.0 / 7}},
     1},
    {"memory_of_another_product",
     {{"dram__cycles_elapsed.avg.per_second", 2.619e9}, {"dram__bytes.sum.peak_sustained", 1833}},
     1},
    {"memory_as_in_the_table",
     {{"dram__cycles_elapsed.avg.per_second", 2.619e9}, {"dram__bytes.sum.peak_sustained", 1280}},
     0},
    {"no_clock_no_judgement", {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 1}}, 0},
    {"a_type_that_the_table_lacks",
     {{"sm__cycles_elapsed.avg.per_second", 1.7e9},
      {"sm__ops_path_tensor_src_int1.sum.peak_sustained", 1}},
     0},
};
class PeakChecks : public testing::TestWithParam<PeakRow> {};
TEST_P(PeakChecks, HoldTheDeviceAgainstTheTable) {
  const auto found = peak_mismatches(measured_counters(GetParam().counters), known_gpu("h100"));
  EXPECT_EQ(found.size(), GetParam().mismatches) << (found.empty() ? "" : found[0].text);
}
INSTANTIATE_TEST_SUITE_P(Rows, PeakChecks, testing::ValuesIn(kPeaks),
                         [](auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
