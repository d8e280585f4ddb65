#include <gtest/gtest.h>

#include <algorithm>

#include "facts.hpp"
#include "machine/name_index.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void expect_found(const std::string& name, const std::string& id) {
  const auto gpu = find_gpu(name);
  ASSERT_TRUE(gpu) << name << ": " << format_errors(gpu.error(), false);
  EXPECT_EQ(gpu->id, id) << name;
}

// Ids, aliases, driver names and PCI ids of the reference file, each in several spellings.
TEST(FindGpu, ByEveryNameOfTheReference) {
  SKIP_WITHOUT_FACTS();
  for (const YamlNode& fact : facts_gpus().items) {
    const std::string id = fact.find("id")->text;
    expect_found(id, id);
    expect_found(upper(id), id);
    for (const YamlNode& alias : fact.find("aliases")->items) expect_found(alias.text, id);
    const YamlNode* names = fact.find("device_names");
    for (const YamlNode& name : names->is_map() ? names->find("value")->items : std::vector<YamlNode>()) {
      expect_found(name.text, id);
      std::string underscored = name.text;  // as vLLM names its tuning files
      std::replace(underscored.begin(), underscored.end(), ' ', '_');
      expect_found(underscored, id);
    }
    const YamlNode* pci = fact.find("pci_device_ids");
    for (const YamlNode& device : pci->is_map() ? pci->find("value")->items : std::vector<YamlNode>()) {
      expect_found(device.text, id);
      expect_found("10de:" + device.text, id);
      expect_found("10DE:" + upper(device.text), id);
      expect_found("0x" + device.text, id);
    }
  }
}

struct Row {
  const char *name, *id;
};
constexpr Row kSpellings[] = {
    {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"}, {"h100 80gb hbm3", "h100-sxm5-80gb"}, {"nvidia-h100", "h100-sxm5-80gb"},
    {"H100 SXM", "h100-sxm5-80gb"},              {"a100 80gb", "a100-sxm4-80gb"},      {" L4 ", "l4"},
    {"RTX 4090", "rtx-4090"},                    {"GeForce RTX 4090", "rtx-4090"},     {"mi250x", "mi250x-package"},
    {"AMD Instinct MI250X", "mi250x-gcd"},       {"tpu v5e", "tpu-v5e"},
};

TEST(FindGpu, CaseBlanksAndTheMakerInFrontDoNotMatter) {
  for (const Row& row : kSpellings) expect_found(row.name, row.id);
}

struct UnknownRow {
  const char *name, *suggestion;
};
constexpr UnknownRow kUnknown[] = {
    {"h10", "h100"}, {"h1000", "h100"}, {"rtx-409O", "4090"}, {"mi300", "mi300x"}, {"NVIDIA H10", "h100"}, {"v10O", "v100"},
};

TEST(FindGpu, UnknownNamesGetSuggestionsAndAreNeverGuessed) {
  for (const UnknownRow& row : kUnknown) {
    const auto gpu = find_gpu(row.name);
    ASSERT_FALSE(gpu) << row.name;
    const Error& error = gpu.error().front();
    EXPECT_EQ(error.code, Code::unknown_gpu) << row.name;
    EXPECT_NE(error.what.find("(74 known)"), std::string::npos);
    EXPECT_NE(error.hint.find(row.suggestion), std::string::npos) << row.name << ": " << error.hint;
    EXPECT_NE(error.note.find("roofline gpus list"), std::string::npos);
  }
}

TEST(FindGpu, NamesLikeNothingAreSentToTheList) {
  for (const char* name : {"zzzzzzzzzzzz", "", " ", "nvidia", "\xff\xfe", "-"}) {
    const auto gpu = find_gpu(name);
    ASSERT_FALSE(gpu) << name;
    EXPECT_EQ(gpu.error().front().code, Code::unknown_gpu);
    const Error& error = gpu.error().front();
    EXPECT_NE((error.hint + error.note).find("roofline gpus list"), std::string::npos);
  }
}

struct AmbiguousRow {
  const char* name;
  std::vector<const char*> candidates;
};

TEST(FindGpu, LeadingWordsOfSeveralIdsAreAmbiguous) {
  const AmbiguousRow rows[] = {
      {"rtx-pro-6000-blackwell",
       {"rtx-pro-6000-blackwell-ws", "rtx-pro-6000-blackwell-max-q", "rtx-pro-6000-blackwell-server"}},
      {"RTX PRO 6000 Blackwell",
       {"rtx-pro-6000-blackwell-ws", "rtx-pro-6000-blackwell-max-q", "rtx-pro-6000-blackwell-server"}},
      {"jetson", {"jetson-orin-agx-64gb", "jetson-thor-t5000"}},
      {"tpu", {"tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7"}},
  };
  for (const AmbiguousRow& row : rows) {
    const auto gpu = find_gpu(row.name);
    ASSERT_FALSE(gpu) << row.name;
    EXPECT_EQ(gpu.error().front().code, Code::ambiguous_gpu) << row.name;
    for (const char* candidate : row.candidates) {
      EXPECT_NE(gpu.error().front().what.find(candidate), std::string::npos) << row.name << " " << candidate;
    }
  }
}

TEST(ResolveName, APciIdThatTwoEntriesShareNamesBoth) {
  const NameRow rows[] = {{"10de:1234", 0}, {"10de:1234", 2}, {"1234", 0}, {"1234", 2}, {"card", 1}};
  const std::string_view ids[] = {"a", "card", "b"};
  EXPECT_EQ(resolve_name("10de:1234", rows, ids), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(resolve_name("0x1234", rows, ids), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(resolve_name("CARD", rows, ids), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(resolve_name("none", rows, ids).empty());
}

TEST(ResolveName, OneIdThatGoesOnIsNoAnswer) {
  const NameRow rows[] = {{"card24gb", 0}};
  const std::string_view ids[] = {"card-24gb"};
  EXPECT_TRUE(resolve_name("card", rows, ids).empty());
}

TEST(GpuIds, AreInTableOrder) {
  ASSERT_EQ(gpu_ids().size(), 74u);
  EXPECT_EQ(gpu_ids().front(), "v100-sxm2-16gb");
  EXPECT_EQ(gpu_table_revision(), "2026-11-30");
}

}  // namespace
}  // namespace roofline
