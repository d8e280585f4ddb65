// What a launched kernel is given: data of its dtypes, arguments as its parameters expect them,
// code for its GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "profile/launch/small_float.hpp"
#include "roofline/base/input.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/profile/nvrtc_api.hpp"

namespace roofline::profile {
namespace {

std::vector<unsigned char> filled(DType dtype, std::uint64_t seed = 1) {
  std::vector<unsigned char> bytes(1 << 16);
  fill_random(bytes, dtype, seed);
  return bytes;
}

template <class T>
std::vector<T> values(const std::vector<unsigned char>& bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

TEST(Fill, TheSameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  for (const auto& entry : dtypes()) {
    EXPECT_EQ(filled(entry.dtype), filled(entry.dtype)) << entry.name;
    EXPECT_NE(filled(entry.dtype), filled(entry.dtype, 2)) << entry.name;
  }
}

TEST(Fill, FloatingPointLiesInMinusOneToOneAndIsCentred) {
  double sum = 0;
  for (const float x : values<float>(filled(DType::fp32))) {
    ASSERT_GE(x, -1);
    ASSERT_LE(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / (1 << 14), 0, 5 * std::sqrt(1.0 / 3 / (1 << 14)));  // five standard errors
  for (const double x : values<double>(filled(DType::fp64))) ASSERT_TRUE(x >= -1 && x < 1);
}

TEST(Fill, NoSmallFloatIsNanOrInfinite) {
  for (const auto bits : values<std::uint16_t>(filled(DType::fp16)))
    ASSERT_NE(bits & 0x7c00, 0x7c00);
  for (const auto bits : values<std::uint16_t>(filled(DType::bf16)))
    ASSERT_NE(bits & 0x7f80, 0x7f80);
  for (const auto bits : filled(DType::fp8_e4m3)) ASSERT_NE(bits & 0x7f, 0x7f);
  for (const auto bits : filled(DType::fp8_e5m2)) ASSERT_NE(bits & 0x7c, 0x7c);
  for (const auto bits : filled(DType::ue8m0)) ASSERT_NE(bits, 0xff);
}

TEST(Fill, IntegersAreSmallAndIndicesInRange) {
  for (const auto x : values<std::int32_t>(filled(DType::int32))) ASSERT_TRUE(x >= -8 && x < 8);
  for (const auto x : filled(DType::boolean)) ASSERT_LE(x, 1);
  std::vector<unsigned char> bytes(4 * 5000);
  fill_indices(bytes, DType::int32, 7, 1);
  const auto indices = values<std::int32_t>(bytes);
  EXPECT_EQ(std::set<std::int32_t>(indices.begin(), indices.end()),
            (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

struct HalfRow {
  double value;
  std::uint16_t half, bfloat16;
};
constexpr HalfRow kHalves[] = {
    {0, 0x0000, 0x0000},
    {1, 0x3c00, 0x3f80},
    {-2, 0xc000, 0xc000},
    {0.5, 0x3800, 0x3f00},
    {65504, 0x7bff, 0x4780},
    {65520, 0x7c00, 0x4780},
    {0x1p-24, 0x0001, 0x3380},
    {0x1p-14, 0x0400, 0x3880},
    {0x1.ff8p-15, 0x03ff, 0x3880},
    {1 + 0x1p-11, 0x3c00, 0x3f80},  // halfway, to even
    {1 + 3 * 0x1p-11, 0x3c02, 0x3f80},
};

TEST(SmallFloat, RoundsToNearestEvenWithSubnormals) {
  for (const auto& row : kHalves) {
    EXPECT_EQ(half_bits(row.value), row.half) << row.value;
    EXPECT_EQ(bfloat16_bits(row.value), row.bfloat16) << row.value;
  }
}

#ifdef __FLT16_MAX__
TEST(SmallFloat, EveryHalfIsItself) {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    _Float16 half;
    const auto pattern = static_cast<std::uint16_t>(bits);
    std::memcpy(&half, &pattern, sizeof half);
    ASSERT_EQ(half_bits(static_cast<double>(half)), bits);
  }
}
#endif

struct ArgumentRow {
  const char* name;
  LaunchArgument argument;
  std::vector<unsigned char> bytes;
};
const ArgumentRow kArguments[] = {
    {"pointer",
     {ArgumentType::tensor, "x", {}, 0},
     {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}},
    {"int", {ArgumentType::i32, {}, -2, 0}, {0xfe, 0xff, 0xff, 0xff}},
    {"unsigned", {ArgumentType::u32, {}, 0xfffffffeL, 0}, {0xfe, 0xff, 0xff, 0xff}},
    {"long", {ArgumentType::i64, {}, -2, 0}, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {"float", {ArgumentType::f32, {}, {}, 2}, {0, 0, 0, 0x40}},
    {"double", {ArgumentType::f64, {}, {}, 2}, {0, 0, 0, 0, 0, 0, 0, 0x40}},
    {"half", {ArgumentType::f16, {}, {}, -2}, {0x00, 0xc0}},
    {"bfloat16", {ArgumentType::bf16, {}, {}, 1}, {0x80, 0x3f}},
};

TEST(Argument, HasTheBytesOfItsType) {
  for (const auto& row : kArguments) {
    const auto value = argument_bytes(row.argument, 0x1122334455667788);
    EXPECT_EQ(std::vector<unsigned char>(value.bytes, value.bytes + value.size), row.bytes)
        << row.name;
  }
}

LaunchJob job_of(const std::string& path, std::size_t index = 0) {
  const auto folder = std::string(ROOFLINE_SOURCE_DIR) + "/examples/launch";
  const auto text = read_input(folder + "/" + path, 1 << 20);
  const auto document = read_yaml(*text, path);
  const auto file = KernelFile::read(*document);
  Workload workload;
  EXPECT_TRUE(file->evaluate(0, workload).empty());
  return {workload.kernels.at(index).launch.at(0), folder, 1, 0};
}

TEST(Image, TheExamplesCompileForEveryCapability) {
  if (const auto compiler = nvrtc::open_compiler(0); !compiler)
    GTEST_SKIP() << compiler.error().what;
  for (const int capability : {75, 80, 90, 100, 120})
    for (const char* path : {"axpy.yaml", "scale.yaml"}) {
      const auto image = load_image(job_of(path), capability, 0);
      ASSERT_TRUE(image) << image.error().what << image.error().note;
      EXPECT_FALSE(image->bytes.empty());
    }
}

TEST(Image, AFileThatIsNotThereIsNamed) {
  auto job = job_of("axpy.yaml");
  job.recipe.path = "nowhere.cu";
  const auto image = load_image(job, 90, 0);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, Code::cannot_read);
}

TEST(Recipe, ArgumentsAndTensorsAreThoseOfTheDescription) {
  const auto recipe = job_of("scale.yaml").recipe;
  ASSERT_EQ(recipe.tensors.size(), 2U);
  EXPECT_EQ(recipe.tensors[0].bytes, Count(4 * 67108864L));
  EXPECT_TRUE(recipe.tensors[0].reads && !recipe.tensors[0].writes);
  EXPECT_TRUE(!recipe.tensors[1].reads && recipe.tensors[1].writes);
  EXPECT_EQ(recipe.grid[0], Count(262144));
  EXPECT_EQ(recipe.arguments[2].type, ArgumentType::i64);
  EXPECT_TRUE(recipe.cold);
}

}  // namespace
}  // namespace roofline::profile
