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
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quoted) {
        if (c == '\\') ++i;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '(' || c == '{' || c == '[') {
        ++depth;
      } else if ((c == ')' || c == '}' || c == ']') && --depth == 0) {
        const auto inside = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        return inside;
      }
      if (depth == 0 && !quoted) return std::nullopt;
    }
    return std::nullopt;
  }
  /// Up to the next comma that stands in no bracket and no quotes, which is passed over.
  std::string_view piece() {
    blanks();
    std::size_t depth = 0, i = 0;
    bool quoted = false;
    for (; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quoted) {
        if (c == '\\') ++i;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '(' || c == '{' || c == '[') {
        ++depth;
      } else if (c == ')' || c == '}' || c == ']') {
        if (depth > 0) --depth;
      } else if (c == ',' && depth == 0) {
        break;
      }
    }
    const auto size = std::min(i, rest_.size());
    const auto found = trimmed(rest_.substr(0, size));
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
    return found;
  }

 private:
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
