#include <bit>
#include <cstring>

#include "profile/launch/small_float.hpp"
#include "roofline/profile/kernel_launch.hpp"

namespace roofline::profile {
namespace {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): a state of one word, good enough for data, the
/// same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// In [-1, 1).
  double unit() { return static_cast<double>(static_cast<std::int64_t>(next()) >> 10) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

template <class T, class Make>
void fill(std::span<unsigned char> bytes, Make make) {
  std::size_t at = 0;
  for (; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = make();
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  for (; at < bytes.size(); ++at) bytes[at] = 0;
}

constexpr std::uint64_t kSmall = 16;  // integers from -8 to 7

template <class T>
void fill_small(std::span<unsigned char> bytes, Random& random) {
  fill<T>(bytes,
          [&] { return static_cast<T>(static_cast<std::int64_t>(random.next() % kSmall) - 8); });
}

/// Bytes whose value is never NaN or infinite. fp8_e4m3: S.1111.111 is NaN; fp8_e5m2: exponent
/// 11111 is NaN or infinity. Clearing the highest exponent bit keeps magnitudes below 2 in both.
constexpr unsigned char kFp8Mask = 0xbf;

}  // namespace

void fill_random(std::span<unsigned char> bytes, DType dtype, std::uint64_t seed) {
  Random random(seed);
  switch (dtype) {
    case DType::fp64:
    case DType::complex128: return fill<double>(bytes, [&] { return random.unit(); });
    case DType::fp32:
    case DType::tf32:
    case DType::complex64:
      return fill<float>(bytes, [&] { return static_cast<float>(random.unit()); });
    case DType::fp16: return fill<std::uint16_t>(bytes, [&] { return half_bits(random.unit()); });
    case DType::bf16:
      return fill<std::uint16_t>(bytes, [&] { return bfloat16_bits(random.unit()); });
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
      return fill<unsigned char>(
          bytes, [&] { return static_cast<unsigned char>(random.next() & kFp8Mask); });
    case DType::ue8m0:  // 127 is 1: scales from 1/4 to 2
      return fill<unsigned char>(
          bytes, [&] { return static_cast<unsigned char>(125 + random.next() % 4); });
    case DType::boolean:
      return fill<unsigned char>(bytes,
                                 [&] { return static_cast<unsigned char>(random.next() & 1U); });
    case DType::int64: return fill_small<std::int64_t>(bytes, random);
    case DType::int32: return fill_small<std::int32_t>(bytes, random);
    case DType::int16: return fill_small<std::int16_t>(bytes, random);
    case DType::int8: return fill_small<std::int8_t>(bytes, random);
    case DType::uint8:
      return fill<unsigned char>(
          bytes, [&] { return static_cast<unsigned char>(random.next() % kSmall); });
    case DType::fp6_e3m2:  // every pattern of these is finite
    case DType::fp6_e2m3:
    case DType::fp4_e2m1:
    case DType::int4: break;
  }
  fill<unsigned char>(bytes, [&] { return static_cast<unsigned char>(random.next()); });
}

void fill_indices(std::span<unsigned char> bytes, DType dtype, std::uint64_t below,
                  std::uint64_t seed) {
  Random random(seed);
  const auto next = [&] { return below > 0 ? random.next() % below : 0; };
  switch (describe(dtype).bits) {
    case 64: return fill<std::uint64_t>(bytes, next);
    case 16: return fill<std::uint16_t>(bytes, [&] { return static_cast<std::uint16_t>(next()); });
    case 8: return fill<unsigned char>(bytes, [&] { return static_cast<unsigned char>(next()); });
    default: return fill<std::uint32_t>(bytes, [&] { return static_cast<std::uint32_t>(next()); });
  }
}

ArgumentBytes argument_bytes(const LaunchArgument& argument, cuda::Address address) {
  ArgumentBytes result;
  const auto put = [&](auto value) {
    result.size = sizeof value;
    std::memcpy(result.bytes, &value, sizeof value);
  };
  const auto integer = static_cast<std::uint64_t>(argument.integer.value());
  switch (argument.type) {
    case ArgumentType::tensor: put(address); break;
    case ArgumentType::i32:
    case ArgumentType::u32: put(static_cast<std::uint32_t>(integer)); break;
    case ArgumentType::i64:
    case ArgumentType::u64: put(integer); break;
    case ArgumentType::f16: put(half_bits(argument.real)); break;
    case ArgumentType::bf16: put(bfloat16_bits(argument.real)); break;
    case ArgumentType::f32: put(static_cast<float>(argument.real)); break;
    case ArgumentType::f64: put(argument.real); break;
  }
  return result;
}

}  // namespace roofline::profile
