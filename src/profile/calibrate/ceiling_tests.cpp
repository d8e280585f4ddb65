// THE TABLE of limits that are measured.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "profile/calibrate/ceiling_row.hpp"
#include "roofline/profile/kernel_launch.hpp"

namespace roofline::profile {
namespace {

constexpr std::string_view kBytes = "B/s", kFlops = "FLOP/s", kOps = "op/s", kTime = "s";

constexpr CeilingTest dram(std::string_view name, std::string_view how) {
  return {name, "dram", kBytes, how};
}
constexpr CeilingTest mma(std::string_view name, std::string_view resource, std::string_view unit,
                          int least, int most = 999) {
  return {name, resource, unit, "mma.sync, random operands", least, most, true};
}
constexpr CeilingTest wgmma(std::string_view name, std::string_view resource,
                            std::string_view unit) {
  return {name, resource, unit, "wgmma from shared memory, random operands", 90, 90, false};
}

constexpr CeilingTest tcgen05(std::string_view name, std::string_view resource,
                              std::string_view unit, int most = 103) {
  return {name, resource, unit, "tcgen05.mma from shared memory, random operands",
          100,  most,     false};
}

// sm_100f is the family of 10.0 and 10.3; kind::i8 is 10.0's alone, and so is fp4 of k = 64 as the
// fastest path: 10.3 has one of k = 96. fp8 by mma.sync is native on 8.9 and 12.x alone: elsewhere
// it becomes fp16 work, which would be no ceiling of fp8. That int8 is not is said of 12.x and
// later nowhere.
constexpr CeilingRow kRows[] = {
    {dram("dram_read", "16-byte loads, four in flight"), Method::read, "7.0", "sm_70", 2, 512},
    {dram("dram_copy", "16-byte loads and stores, read and written bytes counted"), Method::copy,
     "7.0", "sm_70", 2, 512},
    {dram("dram_triad", "c = a + 3 b in fp32, read and written bytes counted"), Method::triad,
     "7.0", "sm_70", 2, 512},
    {{"l2_read", "l2", kBytes, "16-byte loads past the L1, of a third of the L2"},
     Method::l2_read,
     "7.0",
     "sm_70",
     0,
     512,
     2048},
    {{"shared_read", "shared", kBytes, "16-byte loads without bank conflicts"},
     Method::shared_read,
     "7.0",
     "sm_70",
     0,
     512,
     4096},
    {{"vector_fp32", "vector:fp32", kFlops, "chains of fused multiply-adds"},
     Method::fma,
     "7.0",
     "sm_70",
     0,
     512,
     4096,
     DType::fp32},
    {{"vector_fp64", "vector:fp64", kFlops, "chains of fused multiply-adds"},
     Method::fma,
     "7.0",
     "sm_70",
     0,
     512,
     1024,
     DType::fp64},
    {{"vector_fp16", "vector:fp16", kFlops, "chains of packed fused multiply-adds"},
     Method::fma,
     "7.0",
     "sm_70",
     0,
     512,
     4096,
     DType::fp16},
    {{"vector_bf16", "vector:bf16", kFlops, "chains of packed fused multiply-adds", 80},
     Method::fma,
     "7.0",
     "sm_80",
     0,
     512,
     4096,
     DType::bf16},
    {{"int", "int", kOps, "chains of 32-bit multiply-adds"},
     Method::fma,
     "7.0",
     "sm_70",
     0,
     512,
     2048,
     DType::int32},
    {{"sfu", "sfu", kOps, "chains of ex2.approx"},
     Method::exponential,
     "7.0",
     "sm_70",
     0,
     512,
     1024},
    {mma("mma_fp16_turing", "tensor:fp16", kFlops, 75, 75),
     Method::mma,
     "7.0",
     "sm_75",
     2,
     256,
     32768,
     DType::fp16,
     {"f16", "f32", 16, 8, 8, 2, 1, 4, "0x80008000"}},
    {mma("mma_fp16", "tensor:fp16", kFlops, 80),
     Method::mma,
     "7.0",
     "sm_80",
     2,
     256,
     32768,
     DType::fp16,
     {"f16", "f32", 16, 8, 16, 4, 2, 4, "0x80008000"}},
    {mma("mma_bf16", "tensor:bf16", kFlops, 80),
     Method::mma,
     "7.0",
     "sm_80",
     2,
     256,
     32768,
     DType::bf16,
     {"bf16", "f32", 16, 8, 16, 4, 2, 4, "0x80008000"}},
    {mma("mma_tf32", "tensor:tf32", kFlops, 80),
     Method::mma,
     "7.0",
     "sm_80",
     2,
     256,
     32768,
     DType::tf32,
     {"tf32", "f32", 16, 8, 8, 4, 2, 4, "0x80000000"}},
    {mma("mma_int8", "tensor:int8", kOps, 80),
     Method::mma,
     "7.0",
     "sm_80",
     2,
     256,
     32768,
     DType::int8,
     {"s8", "s32", 16, 8, 32, 4, 2, 4}},
    {mma("mma_fp8", "tensor:fp8", kFlops, 89, 89),
     Method::mma,
     "8.4",
     "sm_89",
     2,
     256,
     32768,
     DType::fp8_e4m3,
     {"e4m3", "f32", 16, 8, 32, 4, 2, 4, "0x80808080"}},
    {mma("mma_fp8_blackwell", "tensor:fp8", kFlops, 120, 129),
     Method::mma,
     "8.4",
     "sm_89",
     2,
     256,
     32768,
     DType::fp8_e4m3,
     {"e4m3", "f32", 16, 8, 32, 4, 2, 4, "0x80808080"}},
    {{"mma_fp64", "tensor:fp64", kFlops, "mma.sync, random operands", 80, 80},
     Method::mma,
     "7.0",
     "sm_80",
     2,
     256,
     4096,
     DType::fp64,
     {"f64", "f64", 8, 8, 4, 1, 1, 2, "-"}},
    {{"mma_fp64_hopper", "tensor:fp64", kFlops, "mma.sync, random operands", 90, 100},
     Method::mma,
     "7.8",
     "sm_90",
     2,
     256,
     4096,
     DType::fp64,
     {"f64", "f64", 16, 8, 8, 4, 2, 4, "-"}},
    {wgmma("wgmma_fp16", "tensor:fp16", kFlops),
     Method::wgmma,
     "8.0",
     "sm_90a",
     2,
     128,
     8192,
     DType::fp16,
     {"f16", "f32", 64, 256, 16, 0, 0, 128, "-"}},
    {wgmma("wgmma_bf16", "tensor:bf16", kFlops),
     Method::wgmma,
     "8.0",
     "sm_90a",
     2,
     128,
     8192,
     DType::bf16,
     {"bf16", "f32", 64, 256, 16, 0, 0, 128, "-"}},
    {wgmma("wgmma_tf32", "tensor:tf32", kFlops),
     Method::wgmma,
     "8.0",
     "sm_90a",
     2,
     128,
     8192,
     DType::tf32,
     {"tf32", "f32", 64, 256, 8, 0, 0, 128, "-"}},
    {wgmma("wgmma_fp8", "tensor:fp8", kFlops),
     Method::wgmma,
     "8.0",
     "sm_90a",
     2,
     128,
     8192,
     DType::fp8_e4m3,
     {"e4m3", "f32", 64, 256, 32, 0, 0, 128, "-"}},
    {wgmma("wgmma_int8", "tensor:int8", kOps),
     Method::wgmma,
     "8.0",
     "sm_90a",
     2,
     128,
     8192,
     DType::int8,
     {"s8", "s32", 64, 256, 32, 0, 0, 128}},
    {tcgen05("tcgen05_fp16", "tensor:fp16", kFlops),
     Method::tcgen05,
     "8.8",
     "sm_100f",
     2,
     128,
     8192,
     DType::fp16,
     {"f16", "f32", 128, 256, 16, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_bf16", "tensor:bf16", kFlops),
     Method::tcgen05,
     "8.8",
     "sm_100f",
     2,
     128,
     8192,
     DType::bf16,
     {"bf16", "f32", 128, 256, 16, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_tf32", "tensor:tf32", kFlops),
     Method::tcgen05,
     "8.8",
     "sm_100f",
     2,
     128,
     8192,
     DType::tf32,
     {"tf32", "f32", 128, 256, 8, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_fp8", "tensor:fp8", kFlops),
     Method::tcgen05,
     "8.8",
     "sm_100f",
     2,
     128,
     8192,
     DType::fp8_e4m3,
     {"e4m3", "f32", 128, 256, 32, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_fp6", "tensor:fp6", kFlops),
     Method::tcgen05,
     "8.8",
     "sm_100f",
     2,
     128,
     8192,
     DType::fp6_e2m3,
     {"e2m3", "f32", 128, 256, 32, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_fp4", "tensor:fp4", kFlops, 100),
     Method::tcgen05,
     "8.6",
     "sm_100a",
     1,
     128,
     8192,
     DType::fp4_e2m1,
     {"e2m1", "f32", 128, 256, 64, 0, 0, 256, "-"}},
    {tcgen05("tcgen05_int8", "tensor:int8", kOps, 100),
     Method::tcgen05,
     "8.6",
     "sm_100a",
     2,
     128,
     8192,
     DType::int8,
     {"s8", "s32", 128, 256, 32, 0, 0, 256, "-"}},
    {{"launch_stream", "launch:stream", kTime, "empty kernels on one stream, from one to the next"},
     Method::stream_launch,
     "7.0",
     "sm_70",
     1,
     32},
    {{"launch_graph", "launch:graph", kTime, "empty kernels of one graph, from one to the next"},
     Method::graph_launch,
     "7.0",
     "sm_70",
     1,
     32},
    {{"copy_to_device", "link:pcie", kBytes, "256 MiB from pinned memory"},
     Method::copy_to_device,
     {},
     {}},
    {{"copy_to_host", "link:pcie", kBytes, "256 MiB to pinned memory"},
     Method::copy_to_host,
     {},
     {}},
};

const std::vector<CeilingTest>& tests() {
  static const std::vector<CeilingTest> list = [] {
    std::vector<CeilingTest> all;
    for (const auto& row : kRows) all.push_back(row.test);
    return all;
  }();
  return list;
}

}  // namespace

std::span<const CeilingRow> ceiling_rows() { return kRows; }

const CeilingRow& row_of(const CeilingTest& test) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const CeilingRow& row) { return row.test.name == test.name; });
}

std::span<const CeilingTest> ceiling_tests() { return tests(); }

const CeilingTest* find_ceiling_test(std::string_view name) {
  const auto found = std::find_if(tests().begin(), tests().end(),
                                  [&](const CeilingTest& test) { return test.name == name; });
  return found == tests().end() ? nullptr : &*found;
}

unsigned blocks_per_sm(const CeilingRow& row, int capability) {
  if (row.blocks_per_sm > 0) return row.blocks_per_sm;
  // Threads that an SM holds: "Technical Specifications per Compute Capability" of the CUDA guide.
  const bool small = capability == 86 || capability == 87 || capability == 89 || capability >= 120;
  const unsigned resident = capability == 75 ? 1024 : small ? 1536 : 2048;
  return resident / row.threads;
}

unsigned chains_of(const CeilingRow& row) {
  return row.dtype == DType::fp64 || row.method == Method::exponential ? 8 : 16;
}

std::string kernel_name(const CeilingRow& row) {
  return std::string(kOwnKernelPrefix) + std::string(row.test.name);
}

}  // namespace roofline::profile
