// Every metric name and every pass count of specs/cupti/metrics.yaml, asked of the real libcupti:
// its host side needs neither a GPU nor a driver. Skipped, loudly, where there is no libcupti.
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "roofline/kernel/machine_code.hpp"
#include "roofline/kernel/metric_choice.hpp"
#include "roofline/kernel/metric_sets.hpp"

namespace roofline {
namespace {

struct HostApi {
  decltype(&cuptiProfilerHostInitialize) initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) deinitialize = nullptr;
  decltype(&cuptiProfilerHostGetMetricProperties) properties = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) passes = nullptr;
  std::string missing;

  template <class F>
  void load(void* library, F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) missing = name;
  }
};

const HostApi& api() {
  static const HostApi loaded = [] {
    HostApi api;
    const char* chosen = std::getenv("ROOFLINE_TEST_LIBCUPTI");
    void* library = nullptr;
    for (const char* path : {chosen ? chosen : "", ROOFLINE_LIBCUPTI, "libcupti.so.13"})
      if (!library && *path) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      api.missing = "libcupti itself";
      return api;
    }
    api.load(library, api.initialize, "cuptiProfilerHostInitialize");
    api.load(library, api.deinitialize, "cuptiProfilerHostDeinitialize");
    api.load(library, api.properties, "cuptiProfilerHostGetMetricProperties");
    api.load(library, api.add, "cuptiProfilerHostConfigAddMetrics");
    api.load(library, api.image_size, "cuptiProfilerHostGetConfigImageSize");
    api.load(library, api.image, "cuptiProfilerHostGetConfigImage");
    api.load(library, api.passes, "cuptiProfilerHostGetNumOfPasses");
    return api;
  }();
  return loaded;
}

/// Passes that the names need together on a chip; the names that it refused.
struct Answer {
  int passes = -1;
  std::string refused;
};

Answer ask(const char* chip, const std::vector<const char*>& metrics, CUpti_ProfilerType type) {
  CUpti_Profiler_Host_Initialize_Params host{CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  host.profilerType = type;
  host.pChipName = chip;
  if (api().initialize(&host) != CUPTI_SUCCESS) return {-1, "the chip itself"};
  Answer answer;
  for (const char* metric : metrics) {
    CUpti_Profiler_Host_GetMetricProperties_Params p{
        CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    p.pHostObject = host.pHostObject;
    p.pMetricName = metric;
    if (api().properties(&p) != CUPTI_SUCCESS) answer.refused += std::string(metric) + " ";
  }
  if (answer.refused.empty()) {
    CUpti_Profiler_Host_ConfigAddMetrics_Params add{
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
    add.pHostObject = host.pHostObject;
    add.ppMetricNames = const_cast<const char**>(metrics.data());
    add.numMetrics = metrics.size();
    EXPECT_EQ(api().add(&add), CUPTI_SUCCESS);
    CUpti_Profiler_Host_GetConfigImageSize_Params size{
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
    size.pHostObject = host.pHostObject;
    EXPECT_EQ(api().image_size(&size), CUPTI_SUCCESS);
    std::vector<std::uint8_t> bytes(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params image{
        CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
    image.pHostObject = host.pHostObject;
    image.configImageSize = bytes.size();
    image.pConfigImage = bytes.data();
    EXPECT_EQ(api().image(&image), CUPTI_SUCCESS);
    CUpti_Profiler_Host_GetNumOfPasses_Params passes{
        CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
    passes.configImageSize = bytes.size();
    passes.pConfigImage = bytes.data();
    EXPECT_EQ(api().passes(&passes), CUPTI_SUCCESS);
    answer.passes = static_cast<int>(passes.numOfPasses);
  }
  CUpti_Profiler_Host_Deinitialize_Params end{CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  end.pHostObject = host.pHostObject;
  api().deinitialize(&end);
  return answer;
}

std::vector<const char*> with(MetricList a, MetricList b) {
  std::vector<const char*> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

class RealCupti : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!api().missing.empty())
      GTEST_SKIP() << "NOT TESTED: metric names and pass counts; libcupti's host API is not here ("
                   << api().missing << "). Set ROOFLINE_TEST_LIBCUPTI.";
    family_ = find_metric_family(chip());
  }
  const char* chip() const { return GetParam().c_str(); }
  void expect(const char* what, const std::vector<const char*>& metrics, int passes,
              CUpti_ProfilerType type = CUPTI_PROFILER_TYPE_RANGE_PROFILER) {
    const auto answer = ask(chip(), metrics, type);
    EXPECT_EQ(answer.refused, "") << what;
    if (answer.refused.empty()) {
      EXPECT_EQ(answer.passes, passes) << what;
    }
  }
  const MetricFamily* family_ = nullptr;
};

TEST_P(RealCupti, CountsTheCoreSet) {
  expect("core", with(family_->core.hw, {}), family_->core.hw_passes);
  expect("core with the instrumented list", with(family_->core.hw, family_->sass),
         family_->core.hw_passes + 1);
  expect("peaks beside the core", with(family_->core.hw, family_->peaks), family_->core.hw_passes);
}

TEST_P(RealCupti, CountsTheTensorSets) {
  for (const auto& row : family_->tensor) {
    const std::string name(row.name);
    expect(name.c_str(), with(row.set.hw, {}), row.set.hw_passes);
    expect(name.c_str(), with(row.set.hw, family_->sass), row.set.hw_passes + 1);
  }
  if (family_->tensor.empty()) return;
  expect("every type", with(family_->tensor_all.hw, family_->sass),
         family_->tensor_all.hw_passes + 1);
}

TEST_P(RealCupti, CountsTheMemorySet) {
  if (!family_->memory.hw.empty())
    expect("memory", with(family_->memory.hw, {}), family_->memory.hw_passes);
}

TEST_P(RealCupti, SamplesInOnePass) {
  if (!family_->sampling.empty())
    expect("sampling", with(family_->sampling, {}), 1, CUPTI_PROFILER_TYPE_PM_SAMPLING);
}

// What the plug-in really asks for: with peaks, and with types joined that no row of the file has
// together.
TEST_P(RealCupti, TakesWhatAKernelIsGiven) {
  namespace mc = machine_code;
  for (const std::uint64_t tensor : {std::uint64_t{0}, std::uint64_t{mc::kBf16 | mc::kMmaSync},
                                     std::uint64_t{mc::kFp16 | mc::kFp16Accumulate | mc::kMmaSync},
                                     std::uint64_t{mc::kFp16 | mc::kBf16 | mc::kMmaSync},
                                     std::uint64_t{mc::kFp8Fp6Fp4 | mc::kTcgen05}}) {
    const auto choice = choose_metrics(*family_, tensor, true);
    const auto answer = ask(chip(), choice.metrics, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
    EXPECT_EQ(answer.refused, "") << choice.name;
    if (choice.expected_passes > 0) {
      EXPECT_EQ(answer.passes, choice.expected_passes) << choice.name;
    }
    if (choice.name == "several types" && answer.refused.empty()) {
      EXPECT_LE(answer.passes, 5) << tensor;
    }
  }
}

std::vector<std::string> all_chips() {
  std::vector<std::string> chips;
  for (const auto& family : metric_families())
    for (const char* chip : family.chips) chips.emplace_back(chip);
  return chips;
}
INSTANTIATE_TEST_SUITE_P(Chips, RealCupti, testing::ValuesIn(all_chips()),
                         [](auto& i) { return i.param; });

}  // namespace
}  // namespace roofline
