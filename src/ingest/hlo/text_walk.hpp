#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/base/text.hpp"

/// The words of HLO's text.
namespace roofline::hlo {

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '$';
}

/// A walk over one line.
class TextWalk {
 public:
  explicit TextWalk(std::string_view text) : rest_(text) {}
  std::string_view rest() const { return rest_; }
  bool done() {
    blanks();
    return rest_.empty();
  }
  bool take(std::string_view token) {
    blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  /// A name, without its "%".
  std::string_view word() {
    take("%");
    std::size_t size = 0;
    while (size < rest_.size() && is_word(rest_[size])) ++size;
    const auto found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  std::optional<std::uint64_t> whole() {
    blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// What stands between a bracket here and its partner, quoted texts being passed over.
  std::optional<std::string_view> bracketed() {
    blanks();
    if (rest_.empty() || !opens(rest_.front())) return std::nullopt;
    const auto end = find([](char, std::size_t depth) { return depth == 0; });
    if (end == std::string_view::npos) return std::nullopt;
    const auto inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  /// Up to the next comma that stands in no bracket and no quotes, which is passed over.
  std::string_view piece() {
    blanks();
    const auto end = find([](char c, std::size_t depth) { return c == ',' && depth == 0; });
    const auto found = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return found;
  }

 private:
  static bool opens(char c) { return c == '(' || c == '{' || c == '['; }
  static bool closes(char c) { return c == ')' || c == '}' || c == ']'; }
  /// The first character outside of quotes for which `is_end(character, brackets that are open
  /// behind it)` holds; npos: none.
  template <class IsEnd>
  std::size_t find(IsEnd is_end) const {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') quoted = !quoted;
      if (quoted) {
        if (c == '\\') ++i;
        continue;
      }
      if (opens(c)) ++depth;
      if (closes(c) && depth > 0) --depth;
      if (is_end(c, depth)) return i;
    }
    return std::string_view::npos;
  }
  /// Spaces and remarks: /*index=5*/.
  void blanks() {
    for (;;) {
      while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
        rest_.remove_prefix(1);
      if (!rest_.starts_with("/*")) return;
      const auto end = rest_.find("*/");
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    }
  }
  std::string_view rest_;
};

}  // namespace roofline::hlo
