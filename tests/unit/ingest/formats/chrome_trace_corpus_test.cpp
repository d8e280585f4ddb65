#include <algorithm>
#include <cctype>
#include <set>

#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

using test::corpus;
using test::expected;
using test::import_back;

/// "162532.340" microseconds in ns; the corpus writes what a decimal library gave.
long long ns_of(const std::string& microseconds) {
  const auto point = microseconds.find('.');
  auto decimals = point == std::string::npos ? "" : microseconds.substr(point + 1);
  decimals.resize(3, '0');
  return std::stoll(microseconds.substr(0, point)) * 1000 + std::stoll(decimals);
}

struct NameSum {
  std::uint64_t launches = 0;
  long long ns = 0;
};
std::map<std::string, NameSum> by_name(const Profiled& profile) {
  std::map<std::string, NameSum> sums;
  for (const auto& kernel : profile.kernels) {
    auto& sum = sums[kernel.symbol];
    sum.launches += kernel.launches;
    sum.ns += static_cast<long long>(kernel.time().value() * 1e9 + 0.5);
  }
  return sums;
}

class ChromeTraceCorpus : public testing::TestWithParam<std::string> {};

std::vector<std::string> traces() {
  std::vector<std::string> names;
  for (const auto& [name, facts] : expected().items())
    if (name.starts_with("traces/") || name.starts_with("derived/trace")) names.push_back(name);
  if (names.empty()) names.emplace_back("no_corpus");
  return names;
}

/// Every fact of expected.json about a trace: counts, sums of time to the ns, names, GPUs, ranks.
TEST_P(ChromeTraceCorpus, IsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  const auto& facts = expected().at(GetParam());
  const auto back = import_back(corpus(GetParam()));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "chrome-trace");
  const auto& profile = back.profile;

  if (GetParam() == "derived/trace_list_unclosed.json") {
    // All 60 are of category cuda, and a list may lack its bracket.
    EXPECT_EQ(back.launches(), facts["complete_events"].get<std::uint64_t>());
    EXPECT_EQ(back.cut(), "");
    return;
  }
  if (facts.contains("complete_events")) {
    EXPECT_EQ(back.launches(), facts["complete_kernels"].get<std::uint64_t>());
    EXPECT_EQ(back.total_ns(), ns_of(facts["kernel_us"].get<std::string>()));
    EXPECT_EQ(back.cut(), "after event " + std::to_string(facts["complete_events"].get<int>()));
    EXPECT_EQ(back.loss("file_cut"), 1U);
    return;
  }
  const bool cuda = facts.contains("cat_cuda");
  EXPECT_EQ(back.launches(), facts[cuda ? "cat_cuda" : "n_kernels"].get<std::uint64_t>());
  EXPECT_EQ(back.total_ns(), ns_of(facts[cuda ? "cat_cuda_us" : "kernel_us"].get<std::string>()));
  EXPECT_EQ(back.cut(), "");
  EXPECT_EQ(back.loss("events_damaged"), 0U);

  const auto names = by_name(profile);
  if (!cuda) {
    EXPECT_EQ(names.size(), facts["n_unique"].get<std::size_t>());
  }
  for (const auto& top : facts["top5"]) {
    const auto at = names.find(top[0].get<std::string>());
    ASSERT_NE(at, names.end()) << top[0];
    EXPECT_EQ(at->second.launches, top[1].get<std::uint64_t>()) << top[0];
    EXPECT_EQ(at->second.ns, ns_of(top[2].get<std::string>())) << top[0];
  }

  double kernels = 0;
  std::uint64_t copies = 0;
  for (const auto& activity : profile.activity) {
    kernels += activity.kernels.value();
    copies += activity.copies;
  }
  EXPECT_EQ(copies, facts["n_mem"].get<std::uint64_t>());
  if (facts.contains("busy_us")) {
    EXPECT_EQ(static_cast<long long>(kernels * 1e9 + 0.5),
              ns_of(facts["busy_us"].get<std::string>()));
  }

  // The GPUs that kernels ran on are among those listed; where none ran, all of them are told.
  std::set<std::uint64_t> used;
  for (const auto& [device, count] : facts["k_devices"].items()) used.insert(std::stoull(device));
  std::set<std::string> listed;
  for (const auto& gpu : facts["gpus"]) listed.insert(gpu[1].get<std::string>());
  if (facts.contains("computeProperties"))
    for (const auto& name : facts["computeProperties"]) listed.insert(name.get<std::string>());
  if (listed.empty()) {
    EXPECT_TRUE(profile.devices.empty());
    EXPECT_EQ(back.loss("gpu_not_named"), back.launches() > 0 ? 1U : 0U);
  } else {
    EXPECT_EQ(profile.devices.size(), used.empty() ? facts["gpus"].size() : used.size());
    for (const auto& device : profile.devices) {
      EXPECT_TRUE(listed.contains(device.name)) << device.name;
      EXPECT_TRUE(used.empty() || used.contains(device.facts.ordinal));
    }
  }

  const auto& process = profile.processes.at(0);
  const auto number = [&](const char* key) -> std::optional<long long> {
    if (!facts.contains(key) || facts[key].is_null()) return std::nullopt;
    return facts[key].get<long long>();
  };
  EXPECT_EQ(process.rank, number("rank"));
  EXPECT_EQ(process.world_size, number("world_size"));
  if (back.launches() == 0) {
    EXPECT_GT(back.loss("no_kernel_events"), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ChromeTraceCorpus, testing::ValuesIn(traces()),
                         [](const auto& row) {
                           auto name = row.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

/// The same program, read from nsys's database and from a converter's trace of it.
TEST(ChromeTraceCorpusPairs, ConverterAgreesWithTheDatabase) {
  SKIP_WITHOUT_CORPUS();
  const auto& facts = expected().at("nsys/t4_power_iteration.sqlite");
  const auto trace = import_back(corpus("traces/t4_nsys_to_chrome_list.json"));
  ASSERT_FALSE(trace.error);
  EXPECT_EQ(trace.launches(), facts["n_kernels"].get<std::uint64_t>());
  EXPECT_EQ(trace.total_ns(), facts["kernel_ns"].get<long long>());
}

}  // namespace
}  // namespace roofline
