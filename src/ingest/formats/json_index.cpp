#include "ingest/formats/json_index.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace roofline {

/// A bit for each of 64 bytes. '[' and '{', ']' and '}' differ by 0x20 alone.
struct JsonIndex::Marks {
  std::uint64_t quotes = 0, backslashes = 0, brackets = 0, controls = 0;
};

namespace {

constexpr std::size_t kBlock = 64;

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

template <class MarksOf>
[[gnu::always_inline]] inline void JsonIndex::index_blocks(const char* text, std::size_t blocks,
                                                           MarksOf marks_of) {
  const auto first = quotes_.size();
  quotes_.resize(first + blocks);
  brackets_.resize(first + blocks);
  controls_.resize(first + blocks);
  auto* quotes_out = quotes_.data() + first;
  auto* brackets_out = brackets_.data() + first;
  auto* controls_out = controls_.data() + first;
  auto in_string = in_string_;
  bool carried = escaped_;
  std::uint64_t any_control = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    Marks marks;
    marks_of(text + block * kBlock, marks);
    if (marks.backslashes != 0 || carried) {
      // A backslash that is itself behind one escapes nothing.
      std::uint64_t escaped = carried ? 1 : 0;
      carried = false;
      for (auto rest = marks.backslashes & ~escaped; rest != 0;) {
        const auto at = static_cast<unsigned>(__builtin_ctzll(rest));
        rest &= rest - 1;
        if (at == kBlock - 1) {
          carried = true;
        } else {
          escaped |= std::uint64_t{2} << at;
          rest &= ~(std::uint64_t{2} << at);
        }
      }
      marks.quotes &= ~escaped;
    }
    const auto strings = running_xor(marks.quotes) ^ in_string;
    in_string = (strings >> 63) != 0 ? ~std::uint64_t{0} : 0;
    quotes_out[block] = marks.quotes;
    brackets_out[block] = marks.brackets & ~strings;
    controls_out[block] = marks.controls & strings;
    any_control |= controls_out[block];
  }
  in_string_ = in_string;
  escaped_ = carried;
  any_control_ = any_control_ || any_control != 0;
}

#if defined(__SSE2__)

void JsonIndex::index_blocks_baseline(const char* text, std::size_t blocks) {
  index_blocks(text, blocks, [](const char* block, Marks& marks) {
    const auto quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
               open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), fold = _mm_set1_epi8(0x20),
               least = _mm_set1_epi8(0x1f);
    for (int i = 0; i < 4; ++i) {
      const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
      const auto add = [&](std::uint64_t& bits, __m128i mask) {
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(mask))} << (16 * i);
      };
      const auto folded = _mm_or_si128(bytes, fold);
      add(marks.quotes, _mm_cmpeq_epi8(bytes, quote));
      add(marks.backslashes, _mm_cmpeq_epi8(bytes, backslash));
      add(marks.brackets,
          _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
      add(marks.controls, _mm_cmpeq_epi8(_mm_max_epu8(bytes, least), least));
    }
  });
}

namespace {

/// The marks of half a block.
struct Half {
  std::uint64_t quotes, backslashes, brackets, controls;
};
__attribute__((target("avx2"))) inline Half half_of(const char* half) {
  const auto bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half));
  const auto folded = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
  const auto least = _mm256_set1_epi8(0x1f);
  const auto quotes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
  const auto backslashes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
  const auto brackets = _mm256_or_si256(_mm256_cmpeq_epi8(folded, _mm256_set1_epi8('{')),
                                        _mm256_cmpeq_epi8(folded, _mm256_set1_epi8('}')));
  const auto controls = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, least), least);
  return {static_cast<std::uint32_t>(_mm256_movemask_epi8(quotes)),
          static_cast<std::uint32_t>(_mm256_movemask_epi8(backslashes)),
          static_cast<std::uint32_t>(_mm256_movemask_epi8(brackets)),
          static_cast<std::uint32_t>(_mm256_movemask_epi8(controls))};
}
/// Of so many blocks at once: a call of what is compiled for other processors is no loop's body.
constexpr std::size_t kBatch = 64;
__attribute__((target("avx2"))) void halves_of(const char* text, std::size_t halves, Half* out) {
  for (std::size_t i = 0; i < halves; ++i) out[i] = half_of(text + i * kBlock / 2);
}

}  // namespace

void JsonIndex::index_blocks_avx2(const char* text, std::size_t blocks) {
  std::array<Half, 2 * kBatch> halves;
  for (std::size_t done = 0; done < blocks; done += kBatch) {
    const auto count = std::min(kBatch, blocks - done);
    halves_of(text + done * kBlock, 2 * count, halves.data());
    const auto* half = halves.data();
    index_blocks(text + done * kBlock, count, [&](const char*, Marks& marks) {
      marks = {
          half[0].quotes | half[1].quotes << 32, half[0].backslashes | half[1].backslashes << 32,
          half[0].brackets | half[1].brackets << 32, half[0].controls | half[1].controls << 32};
      half += 2;
    });
  }
}

#else

void JsonIndex::index_blocks_baseline(const char* text, std::size_t blocks) {
  index_blocks(text, blocks, [](const char* block, Marks& marks) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      const auto byte = static_cast<unsigned char>(block[i]);
      const auto bit = std::uint64_t{1} << i;
      if (byte == '"') marks.quotes |= bit;
      if (byte == '\\') marks.backslashes |= bit;
      if ((byte | 0x20) == '{' || (byte | 0x20) == '}') marks.brackets |= bit;
      if (byte < 0x20) marks.controls |= bit;
    }
  });
}
void JsonIndex::index_blocks_avx2(const char* text, std::size_t blocks) {
  index_blocks_baseline(text, blocks);
}

#endif

void JsonIndex::extend(const char* text, std::size_t size, bool last) {
#if defined(__SSE2__)
  static const bool kWide = __builtin_cpu_supports("avx2") != 0;
#else
  constexpr bool kWide = false;
#endif
  const auto index = [&](const char* from, std::size_t blocks) {
    kWide&& blocks > 4 ? index_blocks_avx2(from, blocks) : index_blocks_baseline(from, blocks);
  };
  if (size >= size_ + kBlock) {
    const auto blocks = (size - size_) / kBlock;
    index(text + size_, blocks);
    size_ += blocks * kBlock;
  }
  if (!last || size_ == size) return;
  std::array<char, kBlock> rest;
  rest.fill(' ');
  std::memcpy(rest.data(), text + size_, size - size_);
  index(rest.data(), 1);
  size_ = size;
}

std::size_t JsonIndex::raw_control(std::size_t from, std::size_t to) const {
  return any_control_ ? std::min(next(controls_, from), to) : to;
}

}  // namespace roofline
