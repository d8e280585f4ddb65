// The kernels of `roofline calibrate`: what they compute is what the references say, they do the
// work that they are credited with, and a wrong output is found.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "profile/calibrate/buffers.hpp"
#include "roofline/base/input.hpp"
#include "roofline/kernel/machine_code.hpp"
#include "unit/profile/ptx_machine.hpp"

namespace roofline::profile {
namespace {

using roofline::testing::PtxMachine;

/// A GPU of one SM with an L2 of 1 MB, so that an interpreter gets through its buffers.
cuda::DeviceInfo small_device(int capability) {
  cuda::DeviceInfo device;
  device.sm_count = 1;
  device.l2_bytes = 1 << 20;
  device.capability_major = capability / 10, device.capability_minor = capability % 10;
  return device;
}

int capability_of(const CeilingRow& row) {
  return row.test.least_capability ? row.test.least_capability : 80;
}

bool has_kernel(const CeilingRow& row) { return row.method < Method::stream_launch; }

/// The row with fewer threads and iterations: the code is the same for all.
CeilingRow shrunk(CeilingRow row) {
  row.iterations = 3;
  const bool warps = row.method == Method::mma || row.method == Method::wgmma ||
                     row.method == Method::tcgen05,
             shared = row.method == Method::shared_read;
  if (row.method == Method::mma)
    row.threads = 64;
  else if (!warps && !shared)
    row.threads = 32;
  return row;
}

struct Run {
  CeilingRow row;
  TestData data;
  PtxMachine machine;
  std::string fault;
  std::vector<unsigned char> seen;
};

Run run(const CeilingRow& full) {
  Run result{shrunk(full), {}, {}, {}, {}};
  // Half a MB is free, so that a sweep has few turns; 20 iterations of it at most.
  result.data = test_data(result.row, small_device(capability_of(full)), std::size_t{1} << 19);
  if (result.data.iterations > 5) result.data.iterations = 5;
  auto& machine = result.machine;
  for (std::size_t at = 0; at < result.data.input_bytes; ++at)
    machine.input.push_back(result.data.input[at % result.data.input.size()]);
  machine.output.resize(result.data.output_bytes);
  machine.count = result.data.count;
  machine.iterations = result.data.iterations;
  result.fault = machine.run(ceiling_code(full.test, capability_of(full)), result.data.blocks,
                             result.row.threads);
  result.seen.assign(
      machine.output.begin(),
      machine.output.begin() + static_cast<std::ptrdiff_t>(checked_bytes(result.row, result.data)));
  return result;
}

TEST(CalibrationKernels, ComputeWhatTheReferencesSayAndAnyWrongByteIsFound) {
  for (const auto& row : ceiling_rows()) {
    if (!has_kernel(row)) continue;
    SCOPED_TRACE(row.test.name);
    auto result = run(row);
    ASSERT_EQ(result.fault, "");
    EXPECT_EQ(output_fault(result.row, result.data, result.seen), "");
    ASSERT_GE(result.seen.size(), 32u);
    for (const std::size_t at :
         {std::size_t{3}, result.seen.size() / 2 | 3, result.seen.size() - 1}) {
      auto wrong = result.seen;
      wrong[at] ^= 0x41;  // sign or exponent of a float, of a word any bits
      EXPECT_NE(output_fault(result.row, result.data, wrong), "") << "byte " << at;
    }
    EXPECT_NE(output_fault(result.row, result.data, std::vector<unsigned char>(result.seen.size())),
              "");
  }
}

/// Work of one executed instruction of a block: what its name and types say.
double work_of(const std::string& name, unsigned threads) {
  const double t = threads;
  if (name.starts_with("fma.rn.f32") || name.starts_with("fma.rn.f64") || name == "mad.lo.u32")
    return 2 * t;
  if (name.ends_with("16x2")) return 4 * t;
  if (name.starts_with("ex2")) return t;
  unsigned m = 0, n = 0, k = 0;
  if (std::sscanf(name.c_str(), "mma.sync.aligned.m%un%uk%u", &m, &n, &k) == 3)
    return 2.0 * m * n * k * threads / 32;
  if (std::sscanf(name.c_str(), "wgmma.mma_async.sync.aligned.m%un%uk%u", &m, &n, &k) == 3)
    return 2.0 * m * n * k;
  if (name.starts_with("tcgen05.mma")) {
    const auto is = [&](const char* kind) { return name.find(kind) != std::string::npos; };
    return 2.0 * 128 * 256 * (is("tf32") ? 8 : is("kind::f16") ? 16 : is("mxf4") ? 64 : 32);
  }
  if (name.find("v4") != std::string::npos) return 16 * t;  // bytes
  return 0;
}

TEST(CalibrationKernels, DoTheWorkTheyAreCreditedWith) {
  for (const auto& row : ceiling_rows()) {
    if (!has_kernel(row)) continue;
    SCOPED_TRACE(row.test.name);
    const auto result = run(row);
    const bool bytes = row.test.unit == "B/s";
    double done = 0;
    for (const auto& [name, count] : result.machine.executed) {
      const bool moves = name.find("v4") != std::string::npos;
      if (moves != bytes || (row.method == Method::triad && name.starts_with("fma"))) continue;
      if (row.method == Method::shared_read && !name.starts_with("ld.volatile"))
        continue;  // filling it is not measured
      if (row.method != Method::fma && name == "mad.lo.u32") continue;  // addresses
      done += static_cast<double>(count) * work_of(name, result.row.threads);
    }
    double credited =
        result.data.work /
        (row.method == Method::read || row.method == Method::copy || row.method == Method::triad
             ? 1
             : 1.0 * result.row.iterations / result.data.iterations);
    if (row.method == Method::read || row.method == Method::copy || row.method == Method::triad) {
      // Their iterations were cut above.
      const double operands = row.method == Method::copy ? 2 : row.method == Method::triad ? 3 : 1;
      credited = operands * 16.0 * static_cast<double>(result.data.count) * result.data.iterations;
    }
    // Address arithmetic of `int`, and the last product of tensor rows, are not credited: one part
    // in the iterations.
    EXPECT_GE(done, credited);
    EXPECT_LE(done, credited * (row.method == Method::mma ? 1 + 1.0 / 6 + 1e-9
                                : row.method == Method::wgmma || row.method == Method::tcgen05
                                    ? 1 + 1.0 / 12 + 1e-9
                                    : 1.02));
  }
}

TEST(CalibrationKernels, SweepsCoverABufferFarBeyondTheL2) {
  auto device = small_device(90);
  device.sm_count = 132, device.l2_bytes = 50u << 20;
  for (const auto& row : ceiling_rows()) {
    if (row.method > Method::triad) continue;
    const auto data = test_data(row, device, std::size_t{70} << 30);
    EXPECT_GE(16 * data.count, 7.9 * (50u << 20)) << row.test.name;
    EXPECT_NEAR(data.work, 8e9, 8e8) << row.test.name;
  }
}

/// The PTX through NVIDIA's assembler: it is accepted, nothing spills, and the instructions that
/// carry the work are those of the type, as often as the code unrolls them (a compiler that merged
/// two equal chains would halve them).
class Assembled : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ptxas --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "SKIPPED: no ptxas on PATH: the kernels were not assembled";
  }
  static std::string assemble(const CeilingRow& row, int capability) {
    const auto stem =
        std::string(::testing::TempDir()) + "roofline_calibrate_" + std::to_string(::getpid());
    std::ofstream(stem + ".ptx") << ceiling_code(row.test, capability);
    const auto arch = "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
    const int status =
        std::system(("ptxas -arch=" + arch + " " + stem + ".ptx -o " + stem + ".cubin").c_str());
    auto cubin = status == 0 ? read_input(stem + ".cubin", 1 << 24).value_or("") : std::string();
    std::remove((stem + ".ptx").c_str()), std::remove((stem + ".cubin").c_str());
    return cubin;
  }
};

/// Low 9 bits of the opcodes that carry a row's work (docs/machine-code.md for tensor ones; the
/// others by ptxas' own output for kernels of one operation), and how often they stand in the code
/// at least.
std::pair<std::set<unsigned>, unsigned> expected_opcodes(const CeilingRow& row) {
  const unsigned chained = chains_of(row) * kSteps;
  switch (row.method) {
    case Method::fma:
      switch (row.dtype) {
        case DType::fp32: return {{0x023}, chained};
        case DType::fp64: return {{0x02b}, chained};
        case DType::int32: return {{0x024}, chained};
        default: return {{0x031, 0x035}, chained};  // HFMA2 of either pipe
      }
    case Method::exponential: return {{0x108}, chained};
    case Method::mma:
      switch (row.dtype) {
        case DType::int8: return {{0x037}, 2 * kSets};
        case DType::fp64: return {{0x03f}, 2 * kSets};
        case DType::fp8_e4m3: return {{0x07a}, 2 * kSets};
        default: return {{0x03c}, 2 * kSets};
      }
    case Method::wgmma:
      return {{row.dtype == DType::int8       ? 0x1f1u
               : row.dtype == DType::fp8_e4m3 ? 0x1f3u
                                              : 0x1f0u},
              kBatch};
    case Method::tcgen05: return {{0x1ea}, kBatch + 1};
    case Method::shared_read: return {{0x184}, kSharedReads};
    default: return {{0x181}, kLoads};
  }
}

TEST_F(Assembled, ForEveryArchitectureWithTheInstructionsOfTheirType) {
  for (const int capability : {75, 80, 86, 89, 90, 100, 103, 120, 121})
    for (const auto& row : ceiling_rows()) {
      if (!has_kernel(row) || !row.test.runs_on(capability)) continue;
      SCOPED_TRACE(std::string(row.test.name) + " sm_" + std::to_string(capability));
      const auto cubin = assemble(row, capability);
      const auto image = machine_code::read_cubin(cubin);
      ASSERT_EQ(image.functions.size(), 1u);
      const auto& function = image.functions.front();
      EXPECT_EQ(function.name, kernel_name(row));
      EXPECT_EQ(function.spill_bytes(), 0u);
      if (row.method !=
          Method::mma) {  // four warps of each quarter of an SM are enough for tensor cores
        EXPECT_LE(function.registers * row.threads * blocks_per_sm(row, capability), 65536u);
      }
      const auto [opcodes, least] = expected_opcodes(row);
      unsigned found = 0;
      for (std::size_t at = 0; at + 16 <= function.code.size(); at += 16) {
        std::uint64_t low = 0;
        std::memcpy(&low, function.code.data() + at, 8);
        found += opcodes.contains(low & 0x1ff);
      }
      EXPECT_GE(found, least);
    }
}

TEST(CeilingMeasurement, MedianSpreadAndRounds) {
  CeilingMeasurement m;
  m.work = 12;
  m.seconds = {1, 2, 3, 4, 2, 3, 4, 5};  // medians of the rounds 2.5 and 3.5
  EXPECT_DOUBLE_EQ(m.median_s(), 3);
  EXPECT_DOUBLE_EQ(m.value(*find_ceiling_test("dram_copy")), 4);
  EXPECT_DOUBLE_EQ(m.value(*find_ceiling_test("launch_stream")), 0.25);
  EXPECT_DOUBLE_EQ(m.rounds_differ(), 3.5 / 2.5 - 1);
  EXPECT_DOUBLE_EQ(m.spread(), (4.0 - 2.0) / 3);  // of 1 2 2 3 3 4 4 5: the third and the seventh
}

}  // namespace
}  // namespace roofline::profile
