#include <algorithm>
#include <cmath>
#include <cstring>

#include "profile/calibrate/buffers.hpp"
#include "roofline/profile/kernel_launch.hpp"

namespace roofline::profile {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 20;  // of random bytes; repeated
constexpr std::size_t kLeastSweep = std::size_t{256} << 20;
constexpr double kSweptBytes = 8e9;  // of one launch: a few milliseconds, so that events add little
constexpr std::size_t kUnknownL2 = std::size_t{64} << 20;

std::vector<unsigned char> random_bytes(std::size_t bytes, DType dtype) {
  std::vector<unsigned char> data(bytes);
  fill_random(data, dtype, 1);
  // tf32 reads the upper 19 bits: what a tensor core drops is not there to begin with.
  if (dtype == DType::tf32)
    for (std::size_t at = 0; at + 4 <= bytes; at += 4) data[at] = 0, data[at + 1] &= 0xe0;
  // 16 numbers of 6 bits, then nothing: every pattern is finite.
  if (dtype == DType::fp6_e2m3)
    for (std::size_t at = 0; at < bytes; ++at)
      if (at % 16 >= 12) data[at] = 0;
  return data;
}

/// Bytes of one operand of a sweep: far beyond the L2, a whole number of turns of the grid, two
/// buffers (three) within half of what is free.
std::size_t sweep_bytes(const CeilingRow& row, const cuda::DeviceInfo& device, unsigned threads,
                        std::size_t free_bytes) {
  const std::size_t turn = std::size_t{threads} * 16 * kLoads;
  const std::size_t l2 = device.l2_bytes > 0 ? device.l2_bytes : kUnknownL2;
  if (row.method == Method::l2_read) return std::max<std::size_t>(l2 / 3 / turn, 1) * turn;
  const std::size_t wanted = std::max<std::size_t>(8 * l2, kLeastSweep);
  return std::max<std::size_t>(std::min(wanted, free_bytes / 6) / turn, 1) * turn;
}

void sweep(TestData& data, const CeilingRow& row, const cuda::DeviceInfo& device,
           std::size_t free_bytes) {
  const unsigned threads = data.blocks * row.threads;
  const std::size_t bytes = sweep_bytes(row, device, threads, free_bytes);
  const bool cached = row.method == Method::l2_read, triad = row.method == Method::triad;
  const double operands = row.method == Method::copy ? 2 : triad ? 3 : 1;
  data.count = bytes / 16;
  data.input_bytes = triad ? 2 * bytes : bytes;
  data.output_bytes = row.method == Method::copy || triad ? bytes : std::size_t{4} * threads;
  data.input = random_bytes(std::min(kBlock, data.input_bytes), triad ? DType::fp32 : DType::int4);
  if (cached) {
    data.iterations = row.iterations;
    data.work = 16.0 * kLoads * threads * row.iterations;
  } else {
    data.iterations = static_cast<unsigned>(
        std::max(1.0, std::round(kSweptBytes / (operands * static_cast<double>(bytes)))));
    data.work = operands * static_cast<double>(bytes) * data.iterations;
  }
}

unsigned chain_bytes(const CeilingRow& row) { return row.dtype == DType::fp64 ? 8 : 4; }

void chains(TestData& data, const CeilingRow& row) {
  const unsigned count = chains_of(row);
  data.input_bytes = data.output_bytes = std::size_t{row.threads} * count * chain_bytes(row);
  const bool exponential = row.method == Method::exponential;
  data.input = random_bytes(data.input_bytes, row.dtype == DType::int32 ? DType::int4 : row.dtype);
  const bool packed = row.dtype == DType::fp16 || row.dtype == DType::bf16;
  const double per_step = exponential ? 1 : packed ? 4 : 2;
  data.work = per_step * kSteps * count * row.threads * data.blocks * row.iterations;
}

void tensor(TestData& data, const CeilingRow& row) {
  const auto& t = row.tensor;
  const double product = 2.0 * t.m * t.n * t.k;
  const std::size_t places = t.sums == "s32" ? 1 : 2;  // floats: what the loop left stands behind
  if (row.method == Method::wgmma || row.method == Method::tcgen05) {
    data.input_bytes = std::size_t{kTileRow} * (t.m + t.n);
    data.output_bytes = places * 4 * t.c_words * row.threads;
    if (row.method == Method::tcgen05) data.output_bytes /= places;  // the loop's are not written
    data.work = product * kBatch * data.blocks * row.iterations;
  } else {
    const std::size_t word = t.operands == "f64" ? 8 : 4;
    data.input_bytes = 32 * word * (kSets * t.a_words + t.b_words);
    data.output_bytes = places * word * kSets * t.c_words * row.threads;
    data.work = product * 2 * kSets * (row.threads / 32) * data.blocks * row.iterations;
  }
  data.input = random_bytes(data.input_bytes, row.dtype);
}

}  // namespace

TestData test_data(const CeilingRow& row, const cuda::DeviceInfo& device, std::size_t free_bytes) {
  TestData data;
  data.blocks = static_cast<unsigned>(std::max<std::uint64_t>(device.sm_count, 1)) *
                blocks_per_sm(row, 10 * device.capability_major + device.capability_minor);
  data.iterations = row.iterations;
  switch (row.method) {
    case Method::read:
    case Method::copy:
    case Method::triad:
    case Method::l2_read: sweep(data, row, device, free_bytes); break;
    case Method::shared_read:
      data.input_bytes = std::size_t{16} * kSharedSlots;
      data.output_bytes = std::size_t{4} * row.threads * data.blocks;
      data.input = random_bytes(data.input_bytes, DType::int4);
      data.work = 16.0 * kSharedReads * row.threads * data.blocks * row.iterations;
      break;
    case Method::fma:
    case Method::exponential: chains(data, row); break;
    case Method::mma:
    case Method::wgmma:
    case Method::tcgen05: tensor(data, row); break;
    case Method::stream_launch:
    case Method::graph_launch:
    case Method::copy_to_device:
    case Method::copy_to_host: break;
  }
  return data;
}

}  // namespace roofline::profile
