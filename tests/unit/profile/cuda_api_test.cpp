// The seam to the driver, with functions of a test in its place.
#include "roofline/profile/cuda_api.hpp"

#include <gtest/gtest.h>

#include "machines/fake_machine.hpp"
#include "roofline/profile/cupti_library.hpp"
#include "roofline/profile/nvml_api.hpp"
#include "roofline/profile/nvrtc_api.hpp"

namespace roofline {
namespace {

namespace fake = profile::fake;

class CudaApi : public testing::Test {
 protected:
  void SetUp() override { fake::device = {}; }
};

TEST_F(CudaApi, DevicesAreReadByTheirAttributes) {
  const auto devices = cuda::list_devices(fake::driver());
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 1U);
  const auto& info = devices->front();
  EXPECT_EQ(info.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(info.pci_id, "10de:2330");
  EXPECT_EQ(info.sm_count, 132U);
  EXPECT_EQ(info.l2_bytes, 52428800U);
  EXPECT_EQ(info.memory_clock_khz, 2619000U);
  EXPECT_EQ(info.shared_bytes_optin, 0U);  // the fake does not know that attribute
  EXPECT_TRUE(info.ecc);
  EXPECT_FALSE(info.simulated);
}

TEST_F(CudaApi, NoVisibleDeviceIsAnErrorWithItsRemedy) {
  fake::device.count = 0;
  const auto devices = cuda::list_devices(fake::driver());
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().code, Code::no_device);
  EXPECT_NE(devices.error().hint.find("CUDA_VISIBLE_DEVICES"), std::string::npos);
}

TEST_F(CudaApi, AStatusIsDescribedByItsRowElseByTheDriver) {
  auto api = fake::driver();
  EXPECT_EQ(cuda::describe_status(api, 100),
            "CUDA_ERROR_NO_DEVICE (100): no GPU is visible to this process");
  EXPECT_EQ(cuda::describe_status(api, 12345), "a status without a name (12345): not known");
  EXPECT_EQ(cuda::call_error(api, 2, "cuMemAlloc of 3 GB").what,
            "cuMemAlloc of 3 GB failed: CUDA_ERROR_OUT_OF_MEMORY (2): the GPU has not enough free "
            "memory");
}

TEST_F(CudaApi, EveryStatusHasANameAMeaningAndARemedyInOrder) {
  int last = 0;
  for (const auto& row : cuda::driver_statuses()) {
    EXPECT_GT(row.status, last);
    last = row.status;
    EXPECT_TRUE(row.name.starts_with("CUDA_ERROR_")) << row.status;
    EXPECT_FALSE(row.meaning.empty()) << row.status;
    EXPECT_FALSE(row.remedy.empty()) << row.status;
  }
}

TEST(CuptiVersion, IsTheOneOfItsToolkit) {  // cupti_version.h: 24 is 12.6, from 13.0 on xxyyzz
  EXPECT_EQ(profile::cupti_version_text(24), "12.6");
  EXPECT_EQ(profile::cupti_version_text(130001), "13.0");
  EXPECT_EQ(profile::cupti_version_text(130302), "13.3");
  EXPECT_EQ(profile::cupti_version_text(19), "API 19");
  EXPECT_EQ((profile::CuptiLibrary{"", 130001}.cuda_major()), 13);
  EXPECT_EQ((profile::CuptiLibrary{"", 26}.cuda_major()), 12);
}

TEST(Slowdowns, IdleAndUserSettingsAreNone) {
  EXPECT_TRUE(nvml::slowdown_reasons(0x1 | 0x2 | 0x100).empty());
  EXPECT_EQ(nvml::slowdown_reasons(0x4 | 0x20).size(), 2U);
}

TEST(Architecture, IsTheGpusOwnWhereTheCompilerKnowsIt) {
  const int known[] = {75, 80, 86, 89, 90, 100, 103, 120};
  EXPECT_EQ(nvrtc::architecture_option(80, known), "sm_80");
  EXPECT_EQ(nvrtc::architecture_option(90, known), "sm_90a");
  EXPECT_EQ(nvrtc::architecture_option(107, known), "compute_103");
  EXPECT_EQ(nvrtc::architecture_option(70, known), "compute_75");
}

/// The real compiler, where a toolkit is installed.
class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = nvrtc::open_compiler(0);
    if (!opened) GTEST_SKIP() << opened.error().what;
    api_ = *opened;
  }
  nvrtc::Job job(std::string source, std::string entry) {
    return {std::move(source), "k.cu", std::move(entry), 90, {}, {}};
  }
  nvrtc::Api api_;
};

TEST_F(Compiler, CKernelsKeepTheirNameAndTemplatesAreInstantiated) {
  const auto plain = nvrtc::compile(
      api_, job("extern \"C\" __global__ void axpy(float* y) { y[0] = 1; }", "axpy"));
  ASSERT_TRUE(plain) << plain.error().what << plain.error().note;
  EXPECT_EQ(plain->name, "axpy");
  EXPECT_TRUE(
      plain->image.starts_with("\x7f"
                               "ELF"));
  const auto scale = nvrtc::compile(
      api_,
      job("namespace ns { template <class T, int N> __global__ void scale(T* y) { y[0] = N; } }",
          "ns::scale<float, 4>"));
  ASSERT_TRUE(scale) << scale.error().what << scale.error().note;
  EXPECT_EQ(scale->name, "_ZN2ns5scaleIfLi4EEEvPT_");
}

TEST_F(Compiler, HalfPrecisionHeadersAreFound) {
  const auto kernel =
      nvrtc::compile(api_, job("#include <cuda_bf16.h>\nextern \"C\" __global__ void "
                               "k(__nv_bfloat16* y) { y[0] = __float2bfloat16(1.f); }",
                               "k"));
  ASSERT_TRUE(kernel) << kernel.error().what << kernel.error().note;
}

TEST_F(Compiler, AnErrorHasItsPlaceAndTheLog) {
  const auto kernel = nvrtc::compile(
      api_, job("extern \"C\" __global__ void k(float* y) {\n  y[0] = z;\n}\n", "k"));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::bad_source);
  EXPECT_EQ(kernel.error().where.line, 2);
  EXPECT_EQ(kernel.error().where.source_line, "  y[0] = z;");
  EXPECT_NE(kernel.error().what.find("\"z\" is undefined"), std::string::npos);
  EXPECT_NE(kernel.error().note.find("log of NVRTC"), std::string::npos);
}

TEST_F(Compiler, AnEntryThatIsNotThereIsNamed) {
  const auto kernel =
      nvrtc::compile(api_, job("extern \"C\" __global__ void k(float* y) { y[0] = 1; }", "kk"));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::unknown_name);
  EXPECT_EQ(kernel.error().where.file, "k.cu");  // not the compiler's own __nv_name_map
  EXPECT_NE(kernel.error().what.find("kk"), std::string::npos) << kernel.error().what;
}

}  // namespace
}  // namespace roofline
