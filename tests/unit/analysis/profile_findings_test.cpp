#include "roofline/analysis/profile_findings.hpp"

#include <gtest/gtest.h>

#include "roofline/machine/catalog.hpp"
#include "unit/analysis/described.hpp"

namespace roofline {
namespace {

ProfiledKernel kernel_with(const std::string& name,
                           std::vector<std::vector<std::uint64_t>> runs_ns) {
  ProfiledKernel kernel;
  kernel.name = kernel.full_name = kernel.symbol = name;
  for (const auto& run : runs_ns) {
    auto& samples = kernel.runs.emplace_back();
    for (const auto ns : run) samples.add(ns);
    kernel.launches += run.size();
  }
  return kernel;
}

template <class... More>
std::vector<ProfiledKernel> list_of(ProfiledKernel first, More... more) {
  std::vector<ProfiledKernel> list;
  list.push_back(std::move(first));
  (list.push_back(std::move(more)), ...);
  return list;
}

Profiled profile_with(std::vector<ProfiledKernel> kernels) {
  Profiled profile;
  profile.runs = kernels.front().runs.size();
  for (std::uint64_t run = 0; run < profile.runs; ++run) {
    ProfiledProcess process;
    process.run = static_cast<long long>(run);
    process.launches = kernels.front().runs[run].count();
    profile.processes.push_back(process);
  }
  for (auto& kernel : kernels) {
    kernel.rank_time.resize(profile.processes.size());
    kernel.rank_launches.resize(profile.processes.size());
  }
  profile.kernels = std::move(kernels);
  return profile;
}

ProfileFindings find_without_spec(const Profiled& profile) {
  const auto binding = bind_launches({}, profile.kernels);
  auto findings = find(profile, {}, *binding,
                       {.kind_of =
                            [](const ProfiledKernel& k) {
                              return k.name.starts_with("nccl") ? "communication" : "";
                            },
                        .ceilings = nullptr});
  EXPECT_TRUE(findings.has_value());
  return findings ? std::move(*findings) : ProfileFindings{};
}

TEST(Findings, TimeIsTheMedianOfTheRunsMedians) {
  // Medians 100, 104 and 102 us: 102; the outlier of the first run does not count. Spread (104 -
  // 100) / 102.
  const auto profile = profile_with(list_of(kernel_with("k", {{100'000, 100'000, 900'000},
                                                              {104'000, 104'000, 104'000},
                                                              {101'000, 102'000, 103'000}}),
                                            kernel_with("other", {{718'000}, {0}, {0}})));
  const auto findings = find_without_spec(profile);
  EXPECT_DOUBLE_EQ(findings.kernels[0].time.value(), 102e-6);
  EXPECT_NEAR(*findings.kernels[0].run_spread, 4.0 / 102, 1e-12);
  EXPECT_NEAR(findings.kernels[0].time_share, 1718.0 / (1718 + 718), 1e-12);
  EXPECT_FALSE(findings.kernels[0].verdict.has_value());
}

struct OverheadRow {
  const char* name;
  double span_us, busy_us, idle_launching_us, launching_us;
  Bound bound;
};
// Thresholds of docs/profiling.md: a quarter of the span idle under launches; or 5 % where
// launching takes longer than the GPU's work.
const OverheadRow kOverhead[] = {
    {"twenty_small_kernels", 98, 60, 38, 100, Bound::overhead},
    {"busy_gpu_with_slow_launches", 100, 99, 1, 120, Bound::unknown},
    {"just_behind", 100, 94, 5, 101, Bound::overhead},
    {"a_little_less", 100, 95, 4.9, 101, Bound::unknown},
    {"waits_of_a_quarter", 100, 70, 25, 30, Bound::overhead},
    {"waits_of_less", 100, 70, 24, 30, Bound::unknown},
    {"idle_for_another_reason", 100, 40, 2, 10, Bound::unknown},
};
class OverheadVerdict : public testing::TestWithParam<OverheadRow> {};
TEST_P(OverheadVerdict, NeedsIdleTimeThatLaunchesExplain) {
  auto profile = profile_with(list_of(kernel_with("k", {{3000}})));
  profile.processes[0].launch_calls = 20;
  profile.processes[0].launching = Seconds(GetParam().launching_us * 1e-6);
  DeviceActivity activity;
  activity.span = Seconds(GetParam().span_us * 1e-6);
  activity.busy = Seconds(GetParam().busy_us * 1e-6);
  activity.idle_launching = Seconds(GetParam().idle_launching_us * 1e-6);
  profile.activity.push_back(activity);
  const auto findings = find_without_spec(profile);
  ASSERT_TRUE(findings.sequence.has_value());
  EXPECT_EQ(findings.sequence->bound, GetParam().bound);
  EXPECT_NEAR(findings.sequence->launch_cost.value(), GetParam().launching_us * 1e-6 / 20, 1e-15);
  EXPECT_NEAR(
      findings.sequence->as_graph.value(),
      (GetParam().span_us - GetParam().idle_launching_us + GetParam().launching_us / 20) * 1e-6,
      1e-12);
}
INSTANTIATE_TEST_SUITE_P(Rows, OverheadVerdict, testing::ValuesIn(kOverhead),
                         [](const auto& i) { return i.param.name; });

TEST(Findings, TheRankWithTheMostWorkOfItsOwnIsTheStraggler) {
  Profiled profile;
  profile.runs = 1;
  auto own = kernel_with("stencil", {{1000}}), wait = kernel_with("ncclAllReduce", {{1000}});
  const double own_ms[] = {10, 10, 13, 10}, wait_ms[] = {7, 7, 4, 7};
  for (int rank = 0; rank < 4; ++rank) {
    ProfiledProcess process;
    process.rank = rank;
    process.host = "node" + std::to_string(rank / 2);
    process.launches = 1;
    profile.processes.push_back(process);
    own.rank_time.push_back(Seconds(own_ms[rank] * 1e-3));
    wait.rank_time.push_back(Seconds(wait_ms[rank] * 1e-3));
  }
  profile.kernels = list_of(std::move(own), std::move(wait));
  const auto findings = find_without_spec(profile);
  ASSERT_TRUE(findings.ranks.has_value());
  EXPECT_EQ(findings.ranks->straggler, 2u);
  EXPECT_EQ(findings.ranks->ranks[2].host, "node1");
  EXPECT_DOUBLE_EQ(findings.ranks->imbalance, 1.3);
  EXPECT_DOUBLE_EQ(findings.ranks->least.value(), 10e-3);
  EXPECT_DOUBLE_EQ(findings.ranks->ranks[2].communication.value(), 4e-3);
}

TEST(Findings, ABoundEntryIsJudgedWithItsTimeAndItsCounters) {
  // The fused chain of 8192 x 8192 bf16: 3 passes of 134.2 MB, 402.65 MB; on H100 at 3.35 TB/s
  // 120.2 us.
  const auto gpu = find_gpu("h100-sxm5-80gb");
  ASSERT_TRUE(gpu.has_value());
  const Ceilings ceilings(*gpu);
  auto seen = kernel_with("rms_silu_gate_add", {{400'000, 400'000, 400'000}});
  seen.counters.push_back({.occurrence = 2,
                           .replay_passes = 2,
                           .values = {{"dram__bytes_read.sum", 657'930'000.0},
                                      {"dram__bytes_write.sum", 268'170'000.0}}});
  const auto profile = profile_with(list_of(std::move(seen)));
  const auto entries = std::vector<Kernel>{
      described("{name: rms_silu_gate_add, op: generic, tensors: [{name: x, shape: [8192, 8192], "
                "dtype: bf16, access: read}, "
                "{name: g, shape: [8192, 8192], dtype: bf16, access: read}, {name: y, shape: "
                "[8192, 8192], dtype: bf16, access: write}], flops: 8192}")};
  const auto binding = bind_launches(entries, profile.kernels);
  ASSERT_TRUE(binding.has_value());
  const auto findings = find(profile, entries, *binding, {.kind_of = {}, .ceilings = &ceilings});
  ASSERT_TRUE(findings.has_value());
  const auto& finding = findings->kernels[0];
  ASSERT_TRUE(finding.verdict && finding.verdict->measured);
  EXPECT_NEAR(finding.verdict->floor.time.value(), 120.2e-6, 0.05e-6);
  EXPECT_NEAR(1 / finding.verdict->measured->fraction_of_ceiling, 3.328, 0.001);
  EXPECT_NEAR(*finding.excess_traffic, 926.1 / 402.653184, 1e-6);
  EXPECT_NEAR(*finding.dram_busy, 926.1e6 / 400e-6 / 3.35e12, 1e-9);
  EXPECT_FALSE(finding.counters->has(CounterCaveat::dram_beats_peak));
  EXPECT_NEAR(*finding.excess_traffic / *finding.dram_busy,
              1 / finding.verdict->measured->fraction_of_ceiling, 1e-9);
  EXPECT_EQ(findings->matched, 1u);
  EXPECT_DOUBLE_EQ(findings->time_share_matched, 1);
}

// 1 GB in 100 us are 10 TB/s.
TEST(Findings, MoreBytesThanTheGpuMovesAreDoubted) {
  const auto gpu = find_gpu("h100-sxm5-80gb");
  ASSERT_TRUE(gpu.has_value());
  const Ceilings ceilings(*gpu);
  auto seen = kernel_with("k", {{100'000}});
  seen.counters.push_back(
      {.occurrence = 0, .replay_passes = 2, .values = {{"dram__bytes.sum", 1e9}}});
  const auto profile = profile_with(list_of(std::move(seen)));
  const auto binding = bind_launches({}, profile.kernels);
  const auto findings = find(profile, {}, *binding, {.kind_of = {}, .ceilings = &ceilings});
  ASSERT_TRUE(findings.has_value());
  const auto& finding = findings->kernels[0];
  EXPECT_NEAR(*finding.dram_busy, 1e9 / 100e-6 / 3.35e12, 1e-9);
  EXPECT_TRUE(finding.counters->has(CounterCaveat::dram_beats_peak));
}

TEST(Findings, AnEntryThatNothingMatchesIsNamed) {
  const auto profile = profile_with(list_of(kernel_with("rms_norm_v2", {{1000}})));
  const auto entries =
      std::vector<Kernel>{described("{name: rms_norm, op: copy, shape: [8], dtype: fp32}")};
  const auto binding = bind_launches(entries, profile.kernels);
  const auto findings = find(profile, entries, *binding, {.kind_of = {}, .ceilings = nullptr});
  ASSERT_TRUE(findings.has_value());
  EXPECT_EQ(findings->unbound_entries, std::vector<std::size_t>{0});
  EXPECT_NE(nearest_kernel("rms_norm", profile.kernels).find("rms_norm_v2"), std::string::npos);
}

}  // namespace
}  // namespace roofline
