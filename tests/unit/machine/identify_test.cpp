// A device to its entry, by facts: every NVIDIA GPU of the reference file, then devices as drivers
// report them.
#include "roofline/machine/identify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "facts.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

const std::vector<Gpu>& table() {
  static const std::vector<Gpu> gpus = all_gpus().value();
  return gpus;
}

const YamlNode* value_of(const YamlNode& gpu, std::string_view field) {
  const YamlNode* figure = gpu.find(field);
  if (!figure || figure->is_null()) return nullptr;
  const YamlNode* value = figure->find("value");
  return value && !value->is_null() ? value : nullptr;
}

std::optional<std::uint64_t> count_of(const YamlNode& gpu, std::string_view field) {
  const YamlNode* value = value_of(gpu, field);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(std::strtod(value->text.c_str(), nullptr)));
}

std::string first_text(const YamlNode& gpu, std::string_view field) {
  const YamlNode* value = value_of(gpu, field);
  return !value ? std::string() : value->is_scalar() ? value->text : value->items.front().text;
}

/// What the driver of that GPU would report if the reference file is right.
DeviceFacts reported(const YamlNode& gpu) {
  DeviceFacts facts;
  facts.name = first_text(gpu, "device_names");
  if (const auto id = first_text(gpu, "pci_device_ids"); !id.empty()) facts.pci_id = "10de:" + id;
  facts.compute_capability = first_text(gpu, "compute_capability");
  facts.sm_count = count_of(gpu, "sm_count");
  facts.bus_bits = count_of(gpu, "memory_bus_bits");
  facts.l2_bytes = count_of(gpu, "l2_bytes");
  facts.memory_bytes = count_of(gpu, "memory_capacity_bytes");
  return facts;
}

bool contains(const Identification& id, const std::string& wanted) {
  return std::any_of(id.entries.begin(), id.entries.end(),
                     [&](const Gpu* gpu) { return gpu->id == wanted; });
}

TEST(Identify, EveryNvidiaGpuOfTheReferenceIsItself) {
  SKIP_WITHOUT_FACTS();
  int seen = 0;
  for (const YamlNode& gpu : facts_gpus().items) {
    if (gpu.find("vendor")->text != "nvidia") continue;
    ++seen;
    const auto& id = gpu.find("id")->text;
    const auto found = identify(reported(gpu), table());
    EXPECT_EQ(found.fit, Fit::exact) << id;
    ASSERT_TRUE(found.entry()) << id;
    EXPECT_EQ(found.entry()->id, id);
    EXPECT_TRUE(std::none_of(found.differs.begin(), found.differs.end(), [](const auto& d) {
      return d.decides;
    })) << id;
  }
  EXPECT_EQ(seen, 48);
}

TEST(Identify, WithoutItsNamesAGpuIsAmongTheCandidates) {
  SKIP_WITHOUT_FACTS();
  for (const YamlNode& gpu : facts_gpus().items) {
    if (gpu.find("vendor")->text != "nvidia") continue;
    auto facts = reported(gpu);
    facts.name = "NVIDIA Graphics Device";
    facts.pci_id.clear();
    const auto found = identify(facts, table());
    EXPECT_TRUE(found.fit == Fit::exact || found.fit == Fit::ambiguous) << facts.compute_capability;
    EXPECT_TRUE(contains(found, gpu.find("id")->text)) << gpu.find("id")->text;
  }
}

TEST(Identify, ANameAloneDecidesNothing) {
  for (const Gpu& gpu : table()) {
    if (gpu.vendor != "nvidia" || !gpu.device_names || !gpu.compute_capability) continue;
    DeviceFacts facts;
    facts.name = gpu.device_names->value.front();
    facts.compute_capability = gpu.compute_capability->value;
    facts.sm_count = 7;  // no GPU of the table has 7
    EXPECT_EQ(identify(facts, table()).fit, Fit::nearest) << gpu.id;
  }
}

constexpr std::uint64_t kMiB = 1 << 20;

struct Row {
  const char* name;
  DeviceFacts facts;
  Fit fit;
  const char* entry;       // the first; "" for none
  const char* difference;  // a fact that must be among the differences; "" for none that decides
};

// SMs, buses, L2 and usable memory as deviceQuery and nvidia-smi print them for these cards.
const Row kRows[] = {
    {"h100_sxm",
     {"NVIDIA H100 80GB HBM3", "10de:2330", "9.0", 132, 5120, 50 * kMiB, 81079 * kMiB, 2619e6,
      false},
     Fit::exact,
     "h100-sxm5-80gb",
     ""},
    {"h200_whose_driver_reports_60_mib_of_l2",
     {"NVIDIA H200", "10de:2335", "9.0", 132, 6144, 60 * kMiB, 143167 * kMiB, 3201e6, false},
     Fit::exact,
     "h200-sxm-141gb",
     "L2"},
    {"a100_40_from_its_bus_and_memory",
     {"", "", "8.0", 108, 5120, 40 * kMiB, 40536 * kMiB, 1215e6, false},
     Fit::ambiguous,
     "a100-sxm4-40gb",
     ""},
    {"a100_80_sxm_told_from_pcie_by_its_memory_clock",
     {"GRID", "", "8.0", 108, 5120, 40 * kMiB, 81050 * kMiB, 1593e6, false},
     Fit::ambiguous,
     "a100-sxm4-80gb",
     ""},
    {"a100_80_pcie_by_name",
     {"NVIDIA A100 80GB PCIe", "", "8.0", 108, 5120, 40 * kMiB, 81050 * kMiB, 1512e6, false},
     Fit::exact,
     "a100-pcie-80gb",
     ""},
    {"t4_with_ecc",
     {"Tesla T4", "10de:1eb8", "7.5", 40, 256, 4 * kMiB, 15109 * kMiB, 5001e6, false},
     Fit::exact,
     "t4",
     ""},
    {"a6000_with_ecc_on_gddr",
     {"NVIDIA RTX A6000", "10de:2230", "8.6", 84, 384, 6 * kMiB, 45500 * kMiB, 8001e6, false},
     Fit::exact,
     "rtx-a6000",
     ""},
    {"rtx_4090",
     {"NVIDIA GeForce RTX 4090", "10de:2684", "8.9", 128, 384, 72 * kMiB, 24217 * kMiB, 10501e6,
      false},
     Fit::exact,
     "rtx-4090",
     ""},
    {"a_familiar_name_on_another_card",
     {"NVIDIA H100 80GB HBM3", "10de:2330", "9.0", 114, 5120, 50 * kMiB, 81079 * kMiB, {}, false},
     Fit::ambiguous,
     "h100-pcie-80gb",
     "PCI id"},
    {"half_the_memory",
     {"NVIDIA H100 64GB HBM2", "10de:2339", "9.0", 132, 5120, 50 * kMiB, 40000 * kMiB, {}, false},
     Fit::nearest,
     "h100-sxm5-80gb",
     "memory"},
    {"mig_slice",
     {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "", "9.0", 16, {}, {}, 9700 * kMiB, {}, true},
     Fit::slice,
     "h100-sxm5-80gb",
     ""},
    {"mig_slice_of_an_unknown_card",
     {"NVIDIA X MIG 1g.10gb", "", "9.0", 16, {}, {}, {}, {}, true},
     Fit::unknown,
     "",
     ""},
    {"sm_103_that_is_not_in_the_table",
     {"NVIDIA Graphics Device", "", "10.3", 150, 8192, {}, 270000 * kMiB, {}, false},
     Fit::nearest,
     "gb300",
     "SMs"},
    {"a_capability_without_entries",
     {"NVIDIA GeForce GTX 1080", "10de:1b80", "6.1", 20, 256, 2 * kMiB, 8114 * kMiB, {}, false},
     Fit::unknown,
     "",
     ""},
    {"no_facts_at_all", {}, Fit::unknown, "", ""},
    {"capability_alone", {"", "", "7.5", {}, {}, {}, {}, {}, false}, Fit::nearest, "t4", ""},
};

class IdentifyTest : public testing::TestWithParam<Row> {};

TEST_P(IdentifyTest, FindsTheEntryAndSaysWhatDiffers) {
  const Row& row = GetParam();
  const auto id = identify(row.facts, table());
  EXPECT_EQ(fit_name(id.fit), fit_name(row.fit));
  EXPECT_EQ(id.entry() ? id.entry()->id : "", row.entry);
  const auto named = [&](const FactDifference& d) { return d.fact == row.difference; };
  if (*row.difference) {
    EXPECT_TRUE(std::any_of(id.differs.begin(), id.differs.end(), named));
  }
  if (row.fit == Fit::exact) {
    EXPECT_TRUE(std::none_of(id.differs.begin(), id.differs.end(),
                             [](const auto& d) { return d.decides; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, IdentifyTest, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace roofline
