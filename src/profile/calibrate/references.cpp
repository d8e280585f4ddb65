// What the kernels of the tests must leave, computed on the host.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "profile/calibrate/buffers.hpp"
#include "profile/launch/small_float.hpp"

namespace roofline::profile {
namespace {

using Bytes = std::vector<unsigned char>;

template <class T>
T load(const Bytes& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at % bytes.size(), sizeof value);
  return value;
}

std::uint32_t sum_of(const Bytes& bytes, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < count; at += 4) sum += load<std::uint32_t>(bytes, at);
  return sum;
}

/// The input's block, repeated over `bytes` of memory, summed up in words.
std::uint32_t repeated_sum(const TestData& data, std::size_t bytes) {
  const auto whole = static_cast<std::uint32_t>(bytes / data.input.size());
  return whole * sum_of(data.input, data.input.size()) +
         sum_of(data.input, bytes % data.input.size());
}

std::string compare_sums(std::uint32_t expected, std::uint32_t seen) {
  return expected == seen
             ? std::string()
             : fmt::format("what it read sums up to {:08x} instead of {:08x}", seen, expected);
}

std::string check_sweep(const CeilingRow& row, const TestData& data, const Bytes& output) {
  const auto seen = sum_of(output, output.size());
  const std::size_t bytes = data.count * 16;
  if (row.method == Method::read)
    return compare_sums(repeated_sum(data, bytes) * data.iterations, seen);
  // A thread goes around its elements: after whole rounds, some of them once more.
  const std::size_t turn = std::size_t{data.blocks} * row.threads * 16 * kLoads;
  const auto turns = static_cast<std::uint32_t>(bytes / turn);
  return compare_sums(repeated_sum(data, bytes) * (data.iterations / turns) +
                          repeated_sum(data, turn * (data.iterations % turns)),
                      seen);
}

std::string check_copy(const CeilingRow& row, const TestData& data, const Bytes& output) {
  for (std::size_t at = 0; at < output.size(); at += 4) {
    auto expected = load<std::uint32_t>(data.input, at);
    if (row.method == Method::triad)
      expected =
          std::bit_cast<std::uint32_t>(std::fma(load<float>(data.input, data.count * 16 + at),
                                                kTriadFactor, load<float>(data.input, at)));
    if (load<std::uint32_t>(output, at) != expected)
      return fmt::format("word {} of its output is {:08x} instead of {:08x}", at / 4,
                         load<std::uint32_t>(output, at), expected);
  }
  return {};
}

std::string check_shared(const CeilingRow& row, const TestData& data, const Bytes& output) {
  for (unsigned thread = 0; thread < row.threads; ++thread) {
    std::uint32_t expected = 0;
    for (unsigned read = 0; read < kSharedReads; ++read)
      for (unsigned word = 0; word < 4; ++word)
        expected +=
            load<std::uint32_t>(data.input, 16 * ((thread + 32 * read) % kSharedSlots) + 4 * word);
    const auto seen = load<std::uint32_t>(output, std::size_t{4} * thread);
    if (auto fault = compare_sums(expected * data.iterations, seen); !fault.empty()) return fault;
  }
  return {};
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, digits = bits & 0x3ff;
  const double size =
      exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
double bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// A chain after all its steps. x * x + c of 11 digits is exact in fp64, so rounding it once is
/// what a fused multiply-add does.
std::uint16_t small_chain(std::uint16_t x, bool half, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double value = half ? half_value(x) : bfloat16_value(x);
    const double next = value * value + kChaos;
    x = half ? half_bits(next) : bfloat16_bits(next);
  }
  return x;
}

std::uint64_t chain_end(const CeilingRow& row, std::uint64_t bits, std::uint64_t steps) {
  const auto low = static_cast<std::uint32_t>(bits);
  switch (row.dtype) {
    case DType::fp64: {
      auto x = std::bit_cast<double>(bits);
      for (std::uint64_t i = 0; i < steps; ++i) x = std::fma(x, x, kChaos);
      return std::bit_cast<std::uint64_t>(x);
    }
    case DType::fp16:
    case DType::bf16: {
      const bool half = row.dtype == DType::fp16;
      return small_chain(static_cast<std::uint16_t>(low), half, steps) |
             static_cast<std::uint32_t>(
                 small_chain(static_cast<std::uint16_t>(low >> 16), half, steps))
                 << 16;
    }
    case DType::int32: {
      std::uint32_t x = low;
      for (std::uint64_t i = 0; i < steps; ++i) x = x * x + 2654435769U;
      return x;
    }
    default: {
      auto x = std::bit_cast<float>(low);
      for (std::uint64_t i = 0; i < steps; ++i) x = std::fma(x, x, static_cast<float>(kChaos));
      return std::bit_cast<std::uint32_t>(x);
    }
  }
}

std::string check_chains(const CeilingRow& row, const TestData& data, const Bytes& output) {
  const std::size_t word = row.dtype == DType::fp64 ? 8 : 4;
  for (std::size_t at = 0; at < output.size(); at += word) {
    const auto read = [&](const Bytes& bytes) {
      return word == 8 ? load<std::uint64_t>(bytes, at)
                       : std::uint64_t{load<std::uint32_t>(bytes, at)};
    };
    const auto seen = read(output);
    if (row.method == Method::exponential) {
      // 2^-x = x has one solution, and every start comes near it.
      constexpr double kFixed = 0.6411857445, kWithin = 1e-4;
      const double value = std::bit_cast<float>(static_cast<std::uint32_t>(seen));
      if (!(std::abs(value - kFixed) < kWithin))
        return fmt::format("a chain of 2^-x ends at {} instead of {}", value, kFixed);
      continue;
    }
    const auto expected = chain_end(row, read(data.input), std::uint64_t{kSteps} * data.iterations);
    if (seen != expected)
      return fmt::format("chain {} ends at {:x} instead of {:x}", at / word, seen, expected);
  }
  return {};
}

/// An element of a packed operand.
double element(const Bytes& bytes, std::size_t at, std::string_view type, unsigned index) {
  if (type == "f64") return load<double>(bytes, at);
  if (type == "tf32") return load<float>(bytes, at);
  if (type == "f16") return half_value(load<std::uint16_t>(bytes, at + 2 * index));
  if (type == "bf16") return bfloat16_value(load<std::uint16_t>(bytes, at + 2 * index));
  const auto byte = load<unsigned char>(bytes, at + index);
  if (type == "s8") return static_cast<signed char>(byte);
  const int exponent = byte >> 3 & 15, digits = byte & 7;  // e4m3
  const double size =
      exponent == 0 ? std::ldexp(digits, -9) : std::ldexp(8 + digits, exponent - 10);
  return byte & 0x80 ? -size : size;
}

unsigned per_word(std::string_view type) {
  return type == "f64" || type == "tf32" ? 1 : type == "f16" || type == "bf16" ? 2 : 4;
}

/// Products are exact in fp64 here; a tensor core adds them up with as few as 14 bits (fp8).
struct Expected {
  double value = 0, size = 0;  ///< sum, and sum of magnitudes
  bool close_to(double seen, double tolerance) const {
    return std::abs(seen - value) <= tolerance * size;
  }
};
double tolerance_of(std::string_view type) {
  return type == "s8"                                         ? 0
         : type == "f64"                                      ? 1e-14
         : type == "e4m3" || type == "e2m3" || type == "e2m1" ? 2e-3
                                                              : 1e-5;
}

std::string wrong_product(unsigned row, unsigned column, double seen, double expected) {
  return fmt::format("C[{},{}] is {} instead of {}", row, column, seen, expected);
}

double sum_at(const Bytes& output, std::string_view sums, std::size_t index) {
  if (sums == "f64") return load<double>(output, 8 * index);
  if (sums == "s32") return load<std::int32_t>(output, 4 * index);
  return load<float>(output, 4 * index);
}

/// Fragments as the PTX manual lays them out over a warp ("Matrix Fragments for mma.m16n8k16" and
/// its relatives): lane = 4 g + t holds A[g, k], A[g + 8, k] and B[k, g] for its k, and C[g, 2 t],
/// C[g, 2 t + 1] and those of row g + 8. Both rows of A only where m is 16.
class Fragments {
 public:
  Fragments(const CeilingRow& row, const TestData& data) : t_(row.tensor), data_(data) {}

  Expected product(unsigned set, unsigned i, unsigned j) const {
    Expected sum;
    for (unsigned k = 0; k < t_.k; ++k) {
      const double term = a(set, i, k) * b(k, j);
      sum.value += term;
      sum.size += std::abs(term);
    }
    return sum;
  }

 private:
  std::size_t word_at(unsigned lane, unsigned word) const {
    const std::size_t bytes = t_.operands == "f64" ? 8 : 4;
    return bytes * (lane * (kSets * t_.a_words + t_.b_words) + word);
  }
  double a(unsigned set, unsigned i, unsigned k) const {
    const unsigned e = per_word(t_.operands), lane = 4 * (i % 8) + k / e % 4;
    const unsigned rows = t_.m / 8, word = rows * (k / (4 * e)) + i / 8;
    return element(data_.input, word_at(lane, set * t_.a_words + word), t_.operands, k % e);
  }
  double b(unsigned k, unsigned j) const {
    const unsigned e = per_word(t_.operands), lane = 4 * j + k / e % 4;
    return element(data_.input, word_at(lane, kSets * t_.a_words + k / (4 * e)), t_.operands,
                   k % e);
  }
  const TensorShape& t_;
  const TestData& data_;
};

std::string check_mma(const CeilingRow& row, const TestData& data, const Bytes& output) {
  const auto& t = row.tensor;
  const Fragments fragments(row, data);
  const double times = t.sums == "s32" ? 2.0 * data.iterations + 1 : 1;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned set = 0; set < kSets; ++set)
      for (unsigned c = 0; c < t.c_words; ++c) {
        const unsigned i = lane / 4 + 8 * (c / 2), j = 2 * (lane % 4) + c % 2;
        auto expected = fragments.product(set, i, j);
        expected.value *= times, expected.size *= times;
        const double seen = sum_at(output, t.sums, (lane * kSets + set) * t.c_words + c);
        if (!expected.close_to(seen, tolerance_of(t.operands)))
          return wrong_product(i, j, seen, expected.value);
      }
  return {};
}

/// A number of few bits: sign, `exponent_bits`, `digit_bits`; no infinities, no NaN.
double tiny_float(unsigned bits, int exponent_bits, int digit_bits) {
  const int exponent = static_cast<int>(bits >> digit_bits & ((1U << exponent_bits) - 1)),
            digits = static_cast<int>(bits & ((1U << digit_bits) - 1)),
            bias = (1 << (exponent_bits - 1)) - 1;
  const double size = exponent == 0
                          ? std::ldexp(digits, 1 - bias - digit_bits)
                          : std::ldexp((1 << digit_bits) + digits, exponent - bias - digit_bits);
  return bits >> (exponent_bits + digit_bits) & 1 ? -size : size;
}

/// Element `index` of the 16 bytes at `at`: 16 of 6 bits and 4 bytes of nothing (PTX ISA, "Packing
/// formats"), 32 of 4 bits, or whole bytes and more.
double chunk_element(const Bytes& bytes, std::size_t at, std::string_view type, unsigned index) {
  if (type == "e2m1") {
    const auto byte = load<unsigned char>(bytes, at + index / 2);
    return tiny_float(index % 2 ? byte >> 4 : byte & 15, 2, 1);
  }
  if (type == "e2m3") {
    const std::size_t bit = std::size_t{6} * index;
    unsigned word = load<unsigned char>(bytes, at + bit / 8);
    word |= static_cast<unsigned>(load<unsigned char>(bytes, at + bit / 8 + 1)) << 8;
    return tiny_float(word >> (bit % 8) & 63, 2, 3);
  }
  return element(bytes, at + std::size_t{4} * index / per_word(type), type, 0);
}

/// A and B^T lie row after row, in core matrices of 8 rows and 16 bytes, two of them along k.
double tile_element(const CeilingRow& row, const TestData& data, std::size_t base, unsigned line,
                    unsigned k) {
  const unsigned chunk = row.tensor.k / 2;  // elements
  const std::size_t place =
      base + std::size_t{256} * (line / 8) + std::size_t{128} * (k / chunk) + 16 * (line % 8);
  return chunk_element(data.input, place, row.tensor.operands, k % chunk);
}

Expected tile_product(const CeilingRow& row, const TestData& data, unsigned i, unsigned j) {
  Expected sum;
  for (unsigned k = 0; k < row.tensor.k; ++k) {
    const double term = tile_element(row, data, 0, i, k) *
                        tile_element(row, data, std::size_t{kTileRow} * row.tensor.m, j, k);
    sum.value += term;
    sum.size += std::abs(term);
  }
  return sum;
}

/// Products that the kernel added up before the one that is checked, and that one.
double products_of(const CeilingRow& row, const TestData& data) {
  return row.tensor.sums == "s32" ? double{kBatch} * data.iterations + 1 : 1;
}

std::string check_wgmma(const CeilingRow& row, const TestData& data, const Bytes& output) {
  const auto& t = row.tensor;
  const double times = products_of(row, data);
  for (unsigned thread = 0; thread < row.threads; ++thread)
    for (unsigned c = 0; c < t.c_words; ++c) {
      const unsigned i = 16 * (thread / 32) + thread % 32 / 4 + 8 * (c / 2 % 2);
      const unsigned j = 8 * (c / 4) + 2 * (thread % 4) + c % 2;
      auto sum = tile_product(row, data, i, j);
      sum.value *= times, sum.size *= times;
      const double seen = sum_at(output, t.sums, std::size_t{thread} * t.c_words + c);
      if (!sum.close_to(seen, tolerance_of(t.operands)))
        return wrong_product(i, j, seen, sum.value);
    }
  return {};
}

/// Row i of C is lane i of tensor memory, and thread i wrote it.
std::string check_tcgen05(const CeilingRow& row, const TestData& data, const Bytes& output) {
  const auto& t = row.tensor;
  const double times = products_of(row, data);
  for (unsigned i = 0; i < t.m; ++i)
    for (unsigned j = 0; j < t.n; ++j) {
      auto sum = tile_product(row, data, i, j);
      sum.value *= times, sum.size *= times;
      const double seen = sum_at(output, t.sums, std::size_t{i} * t.n + j);
      if (!sum.close_to(seen, tolerance_of(t.operands)))
        return wrong_product(i, j, seen, sum.value);
    }
  return {};
}

}  // namespace

std::size_t checked_bytes(const CeilingRow& row, const TestData& data) {
  constexpr std::size_t kLooked = std::size_t{16} << 20;  // of a copy
  switch (row.method) {
    case Method::copy:
    case Method::triad: return std::min(data.output_bytes, kLooked);
    case Method::shared_read: return std::size_t{4} * row.threads;  // of the first block
    case Method::fma:
    case Method::exponential:  // of one thread: a chain has tens of thousands of steps
      return data.output_bytes / row.threads;
    case Method::mma:  // of one warp
      return std::size_t{row.tensor.operands == "f64" ? 8U : 4U} * kSets * row.tensor.c_words * 32;
    case Method::wgmma:
    case Method::tcgen05: return std::size_t{4} * row.tensor.c_words * row.threads;
    default: return data.output_bytes;
  }
}

std::string output_fault(const CeilingRow& row, const TestData& data, const Bytes& output) {
  switch (row.method) {
    case Method::read:
    case Method::l2_read: return check_sweep(row, data, output);
    case Method::copy:
    case Method::triad: return check_copy(row, data, output);
    case Method::shared_read: return check_shared(row, data, output);
    case Method::fma:
    case Method::exponential: return check_chains(row, data, output);
    case Method::mma: return check_mma(row, data, output);
    case Method::wgmma: return check_wgmma(row, data, output);
    case Method::tcgen05: return check_tcgen05(row, data, output);
    case Method::stream_launch:
    case Method::graph_launch:
    case Method::copy_to_device:
    case Method::copy_to_host: break;
  }
  return {};
}

}  // namespace roofline::profile
