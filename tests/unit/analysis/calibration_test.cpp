#include "roofline/analysis/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

CalibratedCeiling measured(std::string name, std::string resource, double value, std::string unit,
                           bool trusted = true) {
  CalibratedCeiling ceiling;
  ceiling.name = std::move(name);
  ceiling.resource = std::move(resource);
  ceiling.value = value;
  ceiling.unit = std::move(unit);
  ceiling.trusted = trusted;
  return ceiling;
}

/// H100 SXM states 3.35 TB/s, 989.4 TFLOP/s bf16 (two thirds of it by mma.sync), PCIe 64 GB/s.
Calibration of_an_h100() {
  Calibration calibration;
  calibration.device = "NVIDIA H100 80GB HBM3";
  calibration.driver = "580.65.06";
  calibration.date = "2026-12-01";
  calibration.ceilings = {measured("dram_read", "dram", 3.1e12, "B/s"),
                          measured("dram_copy", "dram", 2.9e12, "B/s"),
                          measured("l2_read", "l2", 5.5e12, "B/s"),
                          measured("mma_bf16", "tensor:bf16", 600e12, "FLOP/s"),
                          measured("wgmma_bf16", "tensor:bf16", 700e12, "FLOP/s"),
                          measured("wgmma_fp8", "tensor:fp8", 9e15, "FLOP/s", false),
                          measured("launch_stream", "launch:stream", 2e-6, "s"),
                          measured("copy_to_device", "link:pcie", 55e9, "B/s"),
                          measured("copy_to_host", "link:pcie", 52e9, "B/s")};
  calibration.ceilings[3].mma_sync = true;
  calibration.ceilings[4].clock_mhz = 1755;
  return calibration;
}

std::string key(const Ceiling& ceiling) {
  return resource_name(ceiling.resource) + (ceiling.mma_sync ? " mma.sync" : "");
}

TEST(Calibration, ceilings_are_those_that_are_believed_each_resource_once) {
  auto gpu = find_gpu("h100-sxm5-80gb").value();
  attach_calibration(of_an_h100(), gpu);
  const auto list = Ceilings(gpu).calibrated();
  std::vector<std::pair<std::string, double>> seen;
  for (const auto& ceiling : list) {
    EXPECT_EQ(ceiling.kind, CeilingKind::calibrated);
    EXPECT_EQ(ceiling.origin->note,
              "measured 2026-12-01 on NVIDIA H100 80GB HBM3, driver 580.65.06");
    seen.emplace_back(key(ceiling), ceiling.per_second);
  }
  // DRAM is the copy's; the host's link the slower direction's; the faster tensor path comes first.
  const std::vector<std::pair<std::string, double>> expected = {{"dram", 2.9e12},
                                                                {"l2", 5.5e12},
                                                                {"tensor:bf16", 700e12},
                                                                {"link:pcie", 52e9},
                                                                {"tensor:bf16 mma.sync", 600e12}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(list[2].clock->value(), 1755e6);
}

TEST(Calibration, the_path_that_was_asked_for_comes_first) {
  auto gpu = find_gpu("h100-sxm5-80gb").value();
  attach_calibration(of_an_h100(), gpu);
  const auto list = Ceilings(gpu, {.mma_sync = true}).calibrated();
  const auto first = std::find_if(list.begin(), list.end(), [](const Ceiling& ceiling) {
    return ceiling.resource.pipe.kind == PipeKind::tensor;
  });
  EXPECT_EQ(first->per_second, 600e12);
}

TEST(Calibration, the_hosts_link_is_the_one_that_the_gpu_has) {
  auto gpu = find_gpu("gh200-96gb").value();
  ASSERT_TRUE(gpu.c2c);
  attach_calibration(of_an_h100(), gpu);
  const auto list = Ceilings(gpu).calibrated();
  const auto has = [&](std::string_view name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Ceiling& ceiling) { return key(ceiling) == name; });
  };
  EXPECT_TRUE(has("link:c2c"));
  EXPECT_FALSE(has("link:pcie"));
}

TEST(Calibration, attaching_changes_no_figure_and_applying_no_peak) {
  const auto table = find_gpu("h100-sxm5-80gb").value();
  auto gpu = table;
  attach_calibration(of_an_h100(), gpu);
  EXPECT_EQ(gpu.dram_bandwidth_measured->value, table.dram_bandwidth_measured->value);
  apply_calibration(of_an_h100(), gpu);
  EXPECT_EQ(gpu.dram_bandwidth_measured->value.value(), 2.9e12);
  EXPECT_EQ(gpu.launch_floor->stream.value.value(), 2e-6);
  for (const auto& [changed, stated] :
       {std::pair(Ceilings(gpu).dram(), Ceilings(table).dram()),
        std::pair(*Ceilings(gpu).of({PipeKind::tensor, RateType::bf16}, true),
                  *Ceilings(table).of({PipeKind::tensor, RateType::bf16}, true))}) {
    EXPECT_EQ(changed.kind, CeilingKind::datasheet);
    EXPECT_EQ(changed.per_second, stated.per_second);
  }
}

TEST(Calibration, without_a_copy_dram_is_what_a_triad_or_reading_reached) {
  auto calibration = of_an_h100();
  EXPECT_EQ(calibration.dram()->name, "dram_copy");
  calibration.ceilings[1].trusted = false;
  EXPECT_EQ(calibration.dram()->name, "dram_read");
  calibration.ceilings.push_back(measured("dram_triad", "dram", 2.7e12, "B/s"));
  EXPECT_EQ(calibration.dram()->name, "dram_triad");
  calibration.ceilings.clear();
  EXPECT_EQ(calibration.dram(), nullptr);
}

TEST(Calibration, arrays_must_be_four_times_the_caches) {
  const auto gpu = find_gpu("h100-sxm5-80gb").value();  // L2 of 50 MiB
  constexpr double kMebi = 1 << 20;
  EXPECT_EQ(small_array_fault(gpu, Bytes(200 * kMebi)), "");
  EXPECT_NE(small_array_fault(gpu, Bytes(199 * kMebi)).find("(50 MiB)"), std::string::npos);
}

TEST(Calibration, another_programs_figures_say_whose_they_are) {
  Calibration calibration;
  calibration.source = "mixbench read from m.txt";
  calibration.date = "2026-12-01";
  EXPECT_EQ(calibration.provenance(), "mixbench read from m.txt on 2026-12-01");
  calibration.device = "Tesla T4";
  EXPECT_EQ(calibration.provenance(),
            "mixbench read from m.txt on 2026-12-01, measured on Tesla T4");
}

TEST(Calibration, every_name_of_a_resource_is_found_again) {
  for (const auto name : {"dram", "l2", "shared", "tensor:bf16", "vector:fp32", "sfu", "int",
                          "link:pcie", "link:nvlink"})
    EXPECT_EQ(resource_name(find_resource(name).value()), name);
  for (const auto name : {"launch:stream", "link:string", "dram2", ""})
    EXPECT_FALSE(find_resource(name)) << name;
}

}  // namespace
}  // namespace roofline
