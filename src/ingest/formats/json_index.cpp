#include "ingest/formats/json_index.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace roofline {
namespace {

constexpr std::size_t kBlock = 64;

/// A bit for each of 64 bytes. '[' and '{', ']' and '}' differ by 0x20 alone.
struct Marks {
  std::uint64_t quotes = 0, backslashes = 0, brackets = 0, controls = 0;
};

#if defined(__SSE2__)
inline Marks marks_of(const char* block) {
  Marks marks;
  const auto quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), open = _mm_set1_epi8('{'),
             close = _mm_set1_epi8('}'), fold = _mm_set1_epi8(0x20), least = _mm_set1_epi8(0x1f);
  for (int i = 0; i < 4; ++i) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    const auto bits = [&](__m128i mask) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(mask))} << (16 * i);
    };
    const auto folded = _mm_or_si128(bytes, fold);
    marks.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
    marks.backslashes |= bits(_mm_cmpeq_epi8(bytes, backslash));
    marks.brackets |=
        bits(_mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
    marks.controls |= bits(_mm_cmpeq_epi8(_mm_max_epu8(bytes, least), least));
  }
  return marks;
}
#else
inline Marks marks_of(const char* block) {
  Marks marks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const auto byte = static_cast<unsigned char>(block[i]);
    const auto bit = std::uint64_t{1} << i;
    if (byte == '"') marks.quotes |= bit;
    if (byte == '\\') marks.backslashes |= bit;
    if ((byte | 0x20) == '{' || (byte | 0x20) == '}') marks.brackets |= bit;
    if (byte < 0x20) marks.controls |= bit;
  }
  return marks;
}
#endif

/// Each bit the exclusive or of itself and all below: with quotes, the bytes of strings.
inline std::uint64_t running_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

void JsonIndex::continue_elsewhere() {
  quotes_.clear();
  brackets_.clear();
  controls_.clear();
  size_ = 0;
  any_control_ = false;
}

void JsonIndex::clear() {
  continue_elsewhere();
  in_string_ = 0;
  escaped_ = false;
}

void JsonIndex::index_block(const char* block) {
  auto marks = marks_of(block);
  std::uint64_t escaped = 0;
  if (marks.backslashes != 0 || escaped_) {
    // A backslash that is itself behind one escapes nothing.
    escaped = escaped_ ? 1 : 0;
    escaped_ = false;
    for (auto rest = marks.backslashes & ~escaped; rest != 0;) {
      const auto at = static_cast<unsigned>(__builtin_ctzll(rest));
      rest &= rest - 1;
      if (at == kBlock - 1) {
        escaped_ = true;
      } else {
        escaped |= std::uint64_t{2} << at;
        rest &= ~(std::uint64_t{2} << at);
      }
    }
  }
  const auto quotes = marks.quotes & ~escaped;
  const auto strings = running_xor(quotes) ^ in_string_;
  in_string_ = (strings >> 63) != 0 ? ~std::uint64_t{0} : 0;
  quotes_.push_back(quotes);
  brackets_.push_back(marks.brackets & ~strings);
  controls_.push_back(marks.controls & strings);
  any_control_ = any_control_ || controls_.back() != 0;
}

void JsonIndex::extend(const char* text, std::size_t size, bool last) {
  while (size_ + kBlock <= size) {
    index_block(text + size_);
    size_ += kBlock;
  }
  if (!last || size_ == size) return;
  std::array<char, kBlock> rest;
  rest.fill(' ');
  std::memcpy(rest.data(), text + size_, size - size_);
  index_block(rest.data());
  size_ = size;
}

std::size_t JsonIndex::raw_control(std::size_t from, std::size_t to) const {
  return any_control_ ? std::min(next(controls_, from), to) : to;
}

}  // namespace roofline
