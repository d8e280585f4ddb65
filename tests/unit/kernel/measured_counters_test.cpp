// Counters to quantities, by hand: sectors are 32 B, a warp has 32 lanes, a multiply-add is two.
#include "roofline/kernel/measured_counters.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace roofline {
namespace {

const std::string kSass = "smsp__sass_thread_inst_executed_op_";

CounterValues sass(const std::string& op, double count) {
  return {{kSass + op + "_pred_on.sum", count}};
}

CounterValues operator+(CounterValues a, const CounterValues& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct FlopsRow {
  const char* name;
  CounterValues values;
  const char* pipe;
  double flops;
};
const FlopsRow kFlops[] = {
    {"an_add_is_one", sass("fadd", 100), "vector:fp32", 100},
    {"a_multiply_add_is_two", sass("ffma", 100), "vector:fp32", 200},
    // 7 + 11 + 2 x 100
    {"fp32_is_the_sum", sass("fadd", 7) + sass("fmul", 11) + sass("ffma", 100), "vector:fp32", 218},
    // B200: 2 x (3 + 5) + 4 x 10 + 2 x 1
    {"packed_fp32", sass("fadd2", 3) + sass("fmul2", 5) + sass("ffma2", 10) + sass("ffma", 1),
     "vector:fp32", 58},
    {"fp64", sass("dadd", 1) + sass("dmul", 2) + sass("dfma", 3), "vector:fp64", 9},
    // half2: 2 x (1 + 2) + 4 x 3
    {"fp16_is_packed", sass("hadd", 1) + sass("hmul", 2) + sass("hfma", 3), "vector:fp16", 18},
    {"qfma4", sass("qadd4", 1) + sass("qmul4", 1) + sass("qfma4", 1), "vector:fp8", 16},
    // 8,388,608 HMMA.16816 of 2 x 16 x 8 x 16 operations each: the counter has them already
    {"tensor_counts_operations",
     {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 34359738368.0}},
     "tensor:bf16",
     34359738368.0},
    {"both_halves_of_a_split_counter",
     {{"sm__ops_path_tensor_op_imma_src_int8_sparsity_off_realtime.sum", 1024},
      {"sm__ops_path_tensor_op_imma_src_int8_sparsity_on_realtime.sum", 512}},
     "tensor:int8",
     1536},
    {"sums_in_fp16_are_another_datapath",
     {{"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 64}},
     "tensor:fp16_acc16",
     64},
    {"a_joint_counter_is_of_its_rate",
     {{"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32_realtime.sum", 64}},
     "tensor:fp8",
     64},
};
class CounterFlops : public testing::TestWithParam<FlopsRow> {};
TEST_P(CounterFlops, AreCounted) {
  const auto measured = measured_counters(GetParam().values);
  EXPECT_EQ(measured.flops(GetParam().pipe), GetParam().flops);
  EXPECT_EQ(measured.flops_by_pipe.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(Rows, CounterFlops, testing::ValuesIn(kFlops),
                         [](auto& i) { return i.param.name; });

struct FigureRow {
  const char* name;
  CounterValues values;
  double (*figure)(const MeasuredCounters&);
  double expected;  // NaN: absent
};
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
template <class T>
double or_absent(const std::optional<T>& value) {
  if constexpr (requires { value->value(); })
    return value ? value->value() : kAbsent;
  else
    return value ? *value : kAbsent;
}
const FigureRow kFigures[] = {
    {"dram_both_directions",
     {{"dram__bytes_read.sum", 3e9}, {"dram__bytes_write.sum", 1e9}},
     [](auto& m) { return or_absent(m.dram_bytes()); },
     4e9},
    {"dram_as_one_sum",
     {{"dram__bytes.sum", 5e9}},
     [](auto& m) { return or_absent(m.dram_bytes()); },
     5e9},
    {"dram_parts_before_their_sum",
     {{"dram__bytes.sum", 5e9}, {"dram__bytes_read.sum", 3e9}, {"dram__bytes_write.sum", 1e9}},
     [](auto& m) { return or_absent(m.dram_bytes()); },
     4e9},
    {"dram_of_gb202",
     {{"dram__bytes_op_read.sum", 3e9}, {"dram__bytes_op_write.sum", 1e9}},
     [](auto& m) { return or_absent(m.dram_bytes()); },
     4e9},
    {"half_a_sum_is_none",
     {{"dram__bytes_read.sum", 3e9}},
     [](auto& m) { return or_absent(m.dram_bytes()); },
     kAbsent},
    {"lower_bound_of_reads",
     {{"lts__d_sectors_fill_sysmem.sum", 1e6}},
     [](auto& m) { return or_absent(m.dram_read); },
     3.2e7},
    {"l2_hits",
     {{"lts__t_sectors_lookup_hit.sum", 75}, {"lts__t_bytes.sum", 3200}},
     [](auto& m) { return or_absent(m.l2_hit); },
     0.75},
    {"l1_without_tma",
     {{"l1tex__t_bytes.sum", 640}, {"smsp__sass_inst_executed_op_tma_ld.sum", 0}},
     [](auto& m) { return or_absent(m.l1_bytes); },
     640},
    {"no_l1_with_tma",
     {{"l1tex__t_bytes.sum", 640}, {"smsp__sass_inst_executed_op_tma_ld.sum", 1}},
     [](auto& m) { return or_absent(m.l1_bytes); },
     kAbsent},
    {"shared_with_tcgen05_operands",
     {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 10},
      {"l1tex__data_pipe_tc_wavefronts_mem_shared.sum", 30}},
     [](auto& m) { return or_absent(m.shared_bytes); },
     5120},
    {"shared_from_the_instrumented_pass",
     {{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", 10}},
     [](auto& m) { return or_absent(m.shared_bytes); },
     1280},
    // 32 lanes read 4 B each, 128 B apart: 128 B asked for, 32 sectors moved
    {"one_lane_a_sector",
     {{"smsp__sass_data_bytes_mem_global.sum", 128}, {"smsp__sass_sectors_mem_global.sum", 32}},
     [](auto& m) { return or_absent(m.coalescing); },
     0.125},
    {"coalesced",
     {{"smsp__sass_data_bytes_mem_global.sum", 128}, {"smsp__sass_sectors_mem_global.sum", 4}},
     [](auto& m) { return or_absent(m.coalescing); },
     1},
    {"no_global_access",
     {{"smsp__sass_data_bytes_mem_global.sum", 0}, {"smsp__sass_sectors_mem_global.sum", 0}},
     [](auto& m) { return or_absent(m.coalescing); },
     kAbsent},
    // a column of a 32 x 32 tile of floats: one wavefront becomes 32
    {"a_32_way_conflict",
     {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 31},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 32}},
     [](auto& m) { return or_absent(m.bank_conflicts); },
     0.96875},
    {"the_same_estimated",
     {{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", 32},
      {"smsp__sass_data_bytes_mem_shared.sum", 128},
      {"smsp__sass_inst_executed_op_shared.sum", 1}},
     [](auto& m) { return or_absent(m.bank_conflicts); },
     0.96875},
    {"16_bytes_a_lane_need_four_wavefronts",
     {{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", 4},
      {"smsp__sass_data_bytes_mem_shared.sum", 512},
      {"smsp__sass_inst_executed_op_shared.sum", 1}},
     [](auto& m) { return or_absent(m.bank_conflicts); },
     0},
    {"occupancy_in_percent",
     {{"sm__warps_active.avg.pct_of_peak_sustained_active", 25}},
     [](auto& m) { return or_absent(m.occupancy); },
     0.25},
    // H100: 132 SMs x 64 warps = 8448 slots; 1000 cycles
    {"occupancy_from_warp_cycles",
     {{"tpc__warps_active_shader_cs_realtime.sum", 4.224e6},
      {"tpc__warps_active_shader_cs_realtime.sum.peak_sustained", 8448},
      {"sm__cycles_elapsed.max", 1000}},
     [](auto& m) { return or_absent(m.occupancy); },
     0.5},
    // 132 x 4 schedulers
    {"issue_slots",
     {{"smsp__issue_active.sum", 52800},
      {"smsp__issue_active.sum.peak_sustained", 528},
      {"sm__cycles_elapsed.max", 1000}},
     [](auto& m) { return or_absent(m.issue_active); },
     0.1},
    {"half_the_lanes",
     {{"smsp__sass_thread_inst_executed.sum", 1600}, {"smsp__sass_inst_executed.sum", 100}},
     [](auto& m) { return or_absent(m.active_lanes); },
     0.5},
    {"special_functions_are_warps",
     {{"smsp__inst_executed_pipe_xu.sum", 10}},
     [](auto& m) { return or_absent(m.sfu_ops); },
     320},
    {"nanoseconds",
     {{"gpu__time_duration.sum", 2500}},
     [](auto& m) { return or_absent(m.replay_time); },
     2.5e-6},
    {"not_a_number_is_absent",
     {{"gpu__time_duration.sum", kAbsent}},
     [](auto& m) { return or_absent(m.replay_time); },
     kAbsent},
    {"negative_is_absent",
     {{"lts__t_bytes.sum", -1}},
     [](auto& m) { return or_absent(m.l2_bytes); },
     kAbsent},
};
class CounterFigures : public testing::TestWithParam<FigureRow> {};
TEST_P(CounterFigures, FollowFromTheCounters) {
  const auto measured = measured_counters(GetParam().values);
  const double value = GetParam().figure(measured);
  if (std::isnan(GetParam().expected)) {
    EXPECT_TRUE(std::isnan(value)) << value;
  } else {
    EXPECT_DOUBLE_EQ(value, GetParam().expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, CounterFigures, testing::ValuesIn(kFigures),
                         [](auto& i) { return i.param.name; });

struct CaveatRow {
  const char* name;
  CounterValues values;
  CounterCaveat caveat;
  bool expected;
};
const CaveatRow kCaveatRows[] = {
    {"reads_only_are_a_lower_bound",
     {{"lts__d_sectors_fill_sysmem.sum", 1}},
     CounterCaveat::dram_read_lower_bound,
     true},
    {"writes_then_are_unknown",
     {{"lts__d_sectors_fill_sysmem.sum", 1}},
     CounterCaveat::dram_written_unknown,
     true},
    {"counted_bytes_are_no_bound",
     {{"dram__bytes_read.sum", 1}, {"dram__bytes_write.sum", 1}},
     CounterCaveat::dram_read_lower_bound,
     false},
    {"tma", {{"smsp__sass_inst_executed_op_tma_ld.sum", 4}}, CounterCaveat::l1_misses_tma, true},
    {"half", sass("hfma", 1), CounterCaveat::scalar_half_counts_double, true},
    {"no_half_no_caveat", sass("ffma", 1), CounterCaveat::scalar_half_counts_double, false},
    {"a_tensor_pipe_without_its_counter",
     {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 40}},
     CounterCaveat::tensor_not_counted,
     true},
    {"a_tensor_pipe_with_its_counter",
     {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 40},
      {"sm__ops_path_tensor_src_fp64.sum", 1}},
     CounterCaveat::tensor_not_counted,
     false},
    {"no_instrumented_pass",
     {{"lts__t_bytes.sum", 1}},
     CounterCaveat::no_instrumented_counters,
     true},
    {"an_instrumented_pass",
     {{"smsp__sass_inst_executed.sum", 1}},
     CounterCaveat::no_instrumented_counters,
     false},
};
class CounterCaveats : public testing::TestWithParam<CaveatRow> {};
TEST_P(CounterCaveats, AreSaid) {
  const auto measured = measured_counters(GetParam().values);
  EXPECT_EQ(measured.has(GetParam().caveat), GetParam().expected);
  EXPECT_FALSE(caveat_text(GetParam().caveat).empty());
}
INSTANTIATE_TEST_SUITE_P(Rows, CounterCaveats, testing::ValuesIn(kCaveatRows),
                         [](auto& i) { return i.param.name; });

// Jetson AGX Thor: 273 GB/s; 40 % and 10 % of it over 1 ms.
TEST(MeasuredCounters, PercentOfDramNeedsThePeakAndTheTime) {
  const CounterValues values = {
      {"gpu__time_duration.sum", 1e6},
      {"mcc__dram_throughput_srcnode_gpu_op_read.avg.pct_of_peak_sustained_elapsed", 40},
      {"mcc__dram_throughput_srcnode_gpu_op_write.avg.pct_of_peak_sustained_elapsed", 10}};
  EXPECT_FALSE(measured_counters(values).dram_read);
  const auto measured = measured_counters(values, ByteRate(273e9));
  EXPECT_DOUBLE_EQ(measured.dram_read->value(), 109.2e6);
  EXPECT_DOUBLE_EQ(measured.dram_written->value(), 27.3e6);
  EXPECT_TRUE(measured.has(CounterCaveat::dram_from_percent));
}

// H100 SXM: 128 FMA per SM and clock x 132 SMs; 1024 dense bf16 FMA per SM and clock; at 1.755 GHz.
TEST(MeasuredCounters, PeaksAreUnitsPerCycleTimesTheClock) {
  const CounterValues values = {
      {"sm__cycles_elapsed.avg.per_second", 1.755e9},
      {"dram__cycles_elapsed.avg.per_second", 2.619e9},
      {"dram__bytes.sum.peak_sustained", 1280},
      {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 16896},
      {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained", 540672},
      {"lts__t_bytes.sum.peak_sustained", 5120},
  };
  const auto measured = measured_counters(values);
  ASSERT_EQ(measured.peaks.size(), 3u);  // the L2's clock is not counted
  EXPECT_EQ(measured.peaks[0].resource, "dram");
  EXPECT_NEAR(measured.peaks[0].per_second, 3.352e12, 1e9);
  EXPECT_EQ(measured.peaks[1].resource, "vector:fp32");
  EXPECT_NEAR(measured.peaks[1].per_second, 59.3e12, 0.1e12);
  EXPECT_EQ(measured.peaks[2].resource, "tensor:bf16");
  EXPECT_NEAR(measured.peaks[2].per_second, 948.9e12, 0.1e12);
}

TEST(MedianCounters, TakeEachCounterOverTheLaunchesThatHaveIt) {
  const std::vector<CounterValues> launches = {
      {{"a", 1}, {"b", 5}}, {{"a", 9}}, {{"a", 3}, {"b", 7}, {"c", kAbsent}}};
  EXPECT_EQ(median_counters(launches), (CounterValues{{"a", 3}, {"b", 6}}));
}

}  // namespace
}  // namespace roofline
