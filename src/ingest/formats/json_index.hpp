#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roofline {

/// Where strings and brackets lie in a piece of JSON, as bits found 64 bytes at a time, so that
/// whoever walks it passes over strings and nested values without looking at their bytes. It
/// believes quotes and backslashes and nothing else: what is wrong in other ways does not stop it.
class JsonIndex {
 public:
  /// Extends the index to the first `size` bytes at `text`, which begin outside of a string the
  /// first time. Only whole blocks of 64 bytes are indexed, so that `text` may grow; the rest too
  /// when `last`. Bytes that were indexed may not change.
  void extend(const char* text, std::size_t size, bool last);
  /// Forgets all.
  void clear();
  /// Forgets the text and not whether it ended inside of a string: the next one goes on behind it.
  void continue_elsewhere();
  std::size_t size() const { return size_; }  ///< bytes that are indexed

  /// The next quote that opens or closes a string at or after `at`, size() where there is none.
  std::size_t next_quote(std::size_t at) const { return next(quotes_, at); }
  /// The next of []{} outside of strings.
  std::size_t next_bracket(std::size_t at) const { return next(brackets_, at); }
  /// Behind the bracket that closes the one at `at`, npos where that is not indexed yet.
  std::size_t end_of(const char* text, std::size_t at) const {
    constexpr auto kNone = ~std::size_t{0};
    if (at >= size_) return kNone;
    int depth = 0;
    auto word = at / 64;
    auto rest = brackets_[word] & ~std::uint64_t{0} << at % 64;
    for (;;) {
      for (const char* block = text + word * 64; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<std::size_t>(__builtin_ctzll(rest));
        depth += (block[bit] & 2) - 1;  // set in '{' and '[', not in '}' and ']'
        if (depth <= 0) return word * 64 + bit + 1;
      }
      if (++word >= brackets_.size()) return kNone;
      rest = brackets_[word];
    }
  }
  /// The first byte below a space inside of a string in [from, to), which JSON does not allow, or
  /// `to`.
  std::size_t raw_control(std::size_t from, std::size_t to) const;

 private:
  struct Marks;
  template <class MarksOf>
  void index_blocks(const char* text, std::size_t blocks, MarksOf marks_of);
  void index_blocks_baseline(const char* text, std::size_t blocks);
  void index_blocks_avx2(const char* text, std::size_t blocks);
  std::size_t next(const std::vector<std::uint64_t>& bits, std::size_t at) const {
    auto word = at / 64;
    if (at >= size_) return size_;
    auto rest = bits[word] & ~std::uint64_t{0} << at % 64;
    while (rest == 0) {
      if (++word >= bits.size()) return size_;
      rest = bits[word];
    }
    const auto found = word * 64 + static_cast<std::size_t>(__builtin_ctzll(rest));
    return found < size_ ? found : size_;
  }

  std::vector<std::uint64_t> quotes_, brackets_, controls_;
  std::size_t size_ = 0;
  std::uint64_t in_string_ = 0;  // all ones or none
  bool escaped_ = false;         // the next byte is behind a backslash
  bool any_control_ = false;
};

}  // namespace roofline
