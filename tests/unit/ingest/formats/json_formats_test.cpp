#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "ingest/json_cursor.hpp"
#include "roofline/kernel/function_name.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

/// Proton's trees and rocprofv3's JSON, and the walk over JSON that both are read with.
namespace roofline {
namespace {

using test::corpus;
using test::data;
using test::expected;
using test::import_back;
using test::TemporaryFile;

long long ns(Seconds time) { return std::llround(time.value() * 1e9); }

TEST(Proton, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "proton hatchet") continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "proton");
    EXPECT_EQ(back.total_ns(), facts["total_ns"].get<long long>());
    std::uint64_t count = 0;
    for (const auto& leaf : facts["leaves"]) {
      const auto path = leaf[0].get<std::string>();
      count += leaf[1].get<std::uint64_t>();
      const auto found =
          std::find_if(back.profile.kernels.begin(), back.profile.kernels.end(),
                       [&](const auto& kernel) { return path.ends_with(kernel.symbol); });
      ASSERT_NE(found, back.profile.kernels.end()) << path;
      EXPECT_EQ(found->launches, leaf[1].get<std::uint64_t>());
      EXPECT_EQ(ns(found->time()), leaf[2].get<long long>());
      if (leaf[5].empty()) continue;
      ASSERT_TRUE(found->operation);
      EXPECT_EQ(found->operation->name, "declared");
      const double launches = leaf[1].get<double>();
      for (const auto& [metric, value] : leaf[5].items()) {
        EXPECT_DOUBLE_EQ(std::stod(std::string(found->operation->attribute(metric))),
                         value.get<double>() / launches);
      }
    }
    EXPECT_EQ(back.launches(), count);
    std::size_t devices = 0;
    for (const auto& [type, all] : facts["devices"].items())
      for (const auto& [id, device] : all.items()) {
        ++devices;
        const auto found =
            std::find_if(back.profile.devices.begin(), back.profile.devices.end(),
                         [&](const auto& d) { return std::to_string(d.facts.ordinal) == id; });
        ASSERT_NE(found, back.profile.devices.end());
        EXPECT_EQ(found->facts.sm_count, device["num_sms"]);
        EXPECT_EQ(found->facts.bus_width_bits, device["bus_width"]);
      }
    EXPECT_EQ(back.profile.devices.size(), devices);
  }
  EXPECT_EQ(files, 3);
  EXPECT_EQ(import_back(corpus("proton/triton.hatchet")).loss("launches_of_proton_itself"), 1u);
}

TEST(Proton, WorkOfAScopeIsItsOnlyKernels) {
  const auto back = import_back(data("proton/declared.hatchet"));
  ASSERT_FALSE(back.error) << back.error->what;
  const auto* gemm = back.find("gemm_kernel");
  ASSERT_TRUE(gemm && gemm->operation);
  EXPECT_EQ(gemm->operation->attribute("flops16"), "1000000000");  // of one of its four launches
  EXPECT_EQ(gemm->operation->attribute("bytes"), "1000000");
  EXPECT_EQ(gemm->launches, 4u);
  const auto* copy = back.find("copy_kernel");
  ASSERT_TRUE(copy && copy->operation);
  EXPECT_EQ(copy->operation->attribute("bytes"), "1024");
  EXPECT_EQ(copy->operation->attribute("flops16"), "");
  EXPECT_EQ(back.profile.devices.at(1).facts.major, 12u);
}

TEST(Proton, TimesOfScopesAreThoseOfTheirKernels) {
  const TemporaryFile file(
      "sums.hatchet",
      R"json([{"frame": {"name": "ROOT"}, "metrics": {"time (ns)": 100}, "children": [
           {"frame": {"name": "scope"}, "metrics": {"time (ns)": 100}, "children": [
             {"frame": {"name": "k"},
              "metrics": {"time (ns)": 100, "device_type": "CUDA", "count": 32}}]}]}])json");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 32u);
  EXPECT_EQ(back.total_ns(), 100);
}

TEST(Proton, DeepTreesAreRefused) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "[{\"frame\":{},\"metrics\":{},\"children\":";
  const auto back = import_back(TemporaryFile("deep.hatchet", deep).path());
  EXPECT_TRUE(back.error || back.launches() == 0);
}

TEST(Rocprofv3Json, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  const char* name = "rocm/mi350_rocprofv3_training.json.gz";
  const auto& facts = expected()[name];
  const auto back = import_back(corpus(name));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "rocprofv3-json");
  EXPECT_EQ(back.launches(), facts["n_kernels"].get<std::uint64_t>());
  EXPECT_EQ(back.total_ns(), facts["total_ns"].get<long long>());
  using Sum = std::pair<std::uint64_t, long long>;
  std::map<std::string, Sum> sums;
  for (const auto& kernel : back.profile.kernels) {
    auto& sum = sums[kernel.symbol];
    sum.first += kernel.launches;
    sum.second += ns(kernel.time());
  }
  EXPECT_EQ(sums.size(), facts["unique"].get<std::size_t>());
  for (const auto& top : facts["top"]) {
    const Sum wanted{top[1].get<std::uint64_t>(), top[2].get<long long>()};
    const auto function = canonical_name(top[0].get<std::string>());
    EXPECT_TRUE(std::any_of(sums.begin(), sums.end(), [&](const auto& sum) {
      return sum.second == wanted && canonical_name(sum.first).starts_with(function);
    })) << top[0];
  }
  EXPECT_EQ(back.profile.devices.size(), facts["gpus"]["AMD Instinct MI350X"].get<std::size_t>());
  for (const auto& device : back.profile.devices) EXPECT_EQ(device.name, "AMD Instinct MI350X");
}

TEST(Rocprofv3Json, MadeByHand) {
  const auto back = import_back(data("rocm/results.json"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 1000);
  const auto* scale = back.find("scale");
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->full_name, "scale(float*, int)");
  EXPECT_EQ(scale->grid, (std::array<std::uint64_t, 3>{16, 2, 1}));
  EXPECT_EQ(scale->launch_cost.count(), 1u);
  ASSERT_EQ(back.profile.devices.size(), 2u);
  EXPECT_EQ(back.profile.devices[0].name, "AMD Instinct MI300X");  // the one that was used
  EXPECT_EQ(back.profile.devices[0].facts.ordinal, 1u);
  EXPECT_EQ(back.profile.processes[0].command, "./scale -n 7");
  EXPECT_EQ(back.profile.activity.at(0).copies, 1u);
}

TEST(Rocprofv3Json, CutInsideARecord) {
  std::ifstream in(data("rocm/results.json"));
  std::stringstream all;
  all << in.rdbuf();
  const auto whole = all.str();
  const auto end = whole.find("\"end_timestamp\": 2300") + 19;  // 230 of 2300
  const auto back = import_back(TemporaryFile("cut.json", whole.substr(0, end)).path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 1u);
  EXPECT_EQ(back.loss("invalid_times"), 0u);
  EXPECT_EQ(back.cut(), "after kernel 1");
}

TEST(Proton, CutInsideANumber) {
  std::ifstream in(data("proton/declared.hatchet"));
  std::stringstream all;
  all << in.rdbuf();
  const auto whole = all.str();
  const auto end = whole.find("\"bytes\": 2048") + 11;
  const auto back = import_back(TemporaryFile("cut.hatchet", whole.substr(0, end)).path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 4u);  // the kernel before
  EXPECT_EQ(back.loss("file_cut"), 1u);
}

TEST(JsonFormats, DamageEndsWell) {
  for (const char* name : {"proton/declared.hatchet", "rocm/results.json"}) {
    test::expect_damage_ends_well("damaged.json", test::bytes_of(data(name)), "\"{}[]:,9\\\xff");
  }
}

TEST(JsonCursors, Values) {
  JsonCursor json(
      R"({"a":[1, 2.5,"x"], "b":{"c":null},"d":"\u00e9\n\ud83d\ude00\"","e":18446744073709551615,"f":-1})");
  std::vector<std::string> keys;
  std::string text;
  std::uint64_t most = 0;
  std::optional<double> minus;
  EXPECT_TRUE(json.object([&](std::string_view key) {
    keys.emplace_back(key);
    if (key == "d")
      json.text(text);
    else if (key == "e")
      most = json.whole();
    else if (key == "f")
      minus = json.real();
    else
      json.skip();
  }));
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "d", "e", "f"}));
  EXPECT_EQ(text, "\xc3\xa9\n\xf0\x9f\x98\x80\"");
  EXPECT_EQ(most, ~std::uint64_t{0});
  EXPECT_EQ(minus, -1.0);
  EXPECT_FALSE(json.failed());
}

TEST(JsonCursors, WrongKindsAreSkippedAndFaultsEnd) {
  JsonCursor wrong(R"(["x", {"a":1}, 3])");
  int items = 0;
  EXPECT_TRUE(wrong.array([&] {
    ++items;
    EXPECT_EQ(wrong.whole(), items == 3 ? 3u : 0u);
  }));
  EXPECT_EQ(items, 3);
  for (const char* bad : {"[1 2]", "{\"a\" 1}", "[1,", "{\"a\":}", "[\"x", "]", "{,}"}) {
    JsonCursor cursor(bad);
    if (cursor.peek() == '{')
      cursor.object([&](std::string_view) { cursor.skip(); });
    else
      cursor.array([&] { cursor.skip(); });
    EXPECT_TRUE(cursor.failed()) << bad;
  }
  const std::string deep(1'000'000, '[');
  JsonCursor nested(deep);
  EXPECT_FALSE(nested.skip());
}

}  // namespace
}  // namespace roofline
