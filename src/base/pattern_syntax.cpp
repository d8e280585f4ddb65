#include "base/pattern_syntax.hpp"

#include <optional>
#include <string>

#include "roofline/base/pattern.hpp"

namespace roofline {
namespace {

using Kind = PatternNode::Kind;

std::size_t as_byte(char c) { return static_cast<unsigned char>(c); }

ByteSet range(char from, char to) {
  ByteSet set;
  for (auto i = as_byte(from); i <= as_byte(to); ++i) set.set(i);
  return set;
}
ByteSet single(char c) { return range(c, c); }
ByteSet digit_bytes() { return range('0', '9'); }
ByteSet space_bytes() {
  ByteSet set;
  for (const char c : std::string_view(" \t\n\r\f\v")) set.set(as_byte(c));
  return set;
}

/// \d, \w, \s and their opposites.
std::optional<ByteSet> named_set(char c) {
  switch (c) {
    case 'd': return digit_bytes();
    case 'D': return ~digit_bytes();
    case 'w': return word_bytes();
    case 'W': return ~word_bytes();
    case 's': return space_bytes();
    case 'S': return ~space_bytes();
    default: return std::nullopt;
  }
}

Error at(std::size_t offset, std::string what, std::string hint = {}, std::size_t length = 1) {
  Location where;
  where.column = static_cast<int>(offset) + 1;
  where.length = static_cast<int>(length);
  return {Code::bad_expression, std::move(where), std::move(what), std::move(hint), {}};
}

/// Recursive descent: either -> sequence -> repeated -> atom.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<PatternTree> parse() {
    const int root = either(0);
    if (!error_ && at_ < text_.size()) refuse(at_, "this ) closes nothing", "write \\)");
    if (error_) return tl::unexpected(std::move(*error_));
    tree_.root = root;
    return std::move(tree_);
  }

 private:
  static constexpr int kDeepest = 100, kMostRepeats = 1000;

  bool more() const { return !error_ && at_ < text_.size(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  int refuse(std::size_t offset, std::string what, std::string hint = {}, std::size_t length = 1) {
    if (!error_) error_ = at(offset, std::move(what), std::move(hint), length);
    return 0;
  }
  int add(PatternNode node) {
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  int add_set(const ByteSet& set) { return add({.kind = Kind::set, .set = set}); }

  int either(int depth) {
    if (depth > kDeepest) return refuse(at_, "groups nested too deeply");
    PatternNode node{.kind = Kind::either};
    do node.parts.push_back(sequence(depth));
    while (accept('|'));
    return node.parts.size() == 1 ? node.parts.front() : add(std::move(node));
  }

  int sequence(int depth) {
    PatternNode node{.kind = Kind::sequence};
    while (more() && peek() != '|' && peek() != ')') node.parts.push_back(repeated(depth));
    return add(std::move(node));
  }

  int repeated(int depth) {
    int node = atom(depth);
    int times = 0;
    while (more()) {
      const auto start = at_;
      int least = 0, most = -1;
      if (accept('*')) {
      } else if (accept('+')) {
        least = 1;
      } else if (accept('?')) {
        most = 1;
      } else if (!counted(least, most)) {
        break;
      }
      if (++times > 1) return refuse(start, "nothing to repeat", "put the part before it in ( )");
      accept('?');  // lazy: which match is found does not matter, only whether there is one
      node = add({.kind = Kind::repeat, .parts = {node}, .least = least, .most = most});
    }
    return node;
  }

  /// {n}, {n,} or {n,m}; false where the brace is none of them and stands for itself.
  bool counted(int& least, int& most) {
    const auto start = at_;
    if (!accept('{')) return false;
    const auto from = number();
    std::optional<int> to = from;
    bool open = false;
    if (from && accept(',')) {
      to = number();
      open = !to;
    }
    if (!from || !accept('}')) {
      at_ = start;
      return false;
    }
    if (*from > kMostRepeats || (to && *to > kMostRepeats))
      refuse(start, "more than 1000 repetitions", {}, at_ - start);
    if (!open && *to < *from) refuse(start, "the most is less than the least", {}, at_ - start);
    least = *from;
    most = open ? -1 : *to;
    return true;
  }

  std::optional<int> number() {
    std::optional<int> value;
    while (more() && peek() >= '0' && peek() <= '9') {
      const int next = value.value_or(0) * 10 + (text_[at_++] - '0');
      value = next > kMostRepeats ? kMostRepeats + 1 : next;
    }
    return value;
  }

  int atom(int depth) {
    const auto start = at_;
    const char c = text_[at_++];
    switch (c) {
      case '(': return group(start, depth);
      case '[': return bracket(start);
      case '.': return add_set(~single('\n'));
      case '^': return add({.kind = Kind::begin});
      case '$': return add({.kind = Kind::end});
      case '*':
      case '+':
      case '?': return refuse(start, "nothing to repeat", std::string("write \\") + c);
      case '\\': return escape(start);
      default: return add_set(single(c));
    }
  }

  int group(std::size_t start, int depth) {
    if (accept('?') && !accept(':'))
      return refuse(start, "look-around and named groups are not supported",
                    "only ( ) and (?: ) group", 3);
    const int inside = either(depth + 1);
    if (!error_ && !accept(')')) refuse(start, "this ( is never closed", "write \\(");
    return inside;
  }

  int escape(std::size_t start) {
    if (!more()) return refuse(start, "a \\ at the end escapes nothing", "write \\\\");
    const char c = text_[at_];
    if (c == 'b' || c == 'B') {
      ++at_;
      return add({.kind = c == 'b' ? Kind::word_edge : Kind::not_word_edge});
    }
    if (c >= '1' && c <= '9') return refuse(start, "back-references are not supported", {}, 2);
    const auto set = escaped_set(start);
    return set ? add_set(*set) : 0;
  }

  /// What a backslash makes of the characters behind it, in or outside of brackets.
  std::optional<ByteSet> escaped_set(std::size_t start) {
    const char c = text_[at_++];
    if (const auto set = named_set(c)) return set;
    constexpr std::string_view kNames = "tnrfv0", kMeanings("\t\n\r\f\v\0", 6);
    if (const auto found = kNames.find(c); found != kNames.npos) return single(kMeanings[found]);
    if (c == 'x') return hexadecimal(start);
    if (word_bytes().test(as_byte(c))) {
      refuse(start, std::string("unknown escape \\") + c, {}, 2);
      return std::nullopt;
    }
    return single(c);
  }

  std::optional<ByteSet> hexadecimal(std::size_t start) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    int code = 0;
    for (int i = 0; i < 2; ++i) {
      const char c = peek();
      const auto digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (c == '\0' || digit == kDigits.npos) {
        refuse(start, "\\x needs two hexadecimal digits", {}, 2);
        return std::nullopt;
      }
      code = code * 16 + static_cast<int>(digit);
      ++at_;
    }
    return single(static_cast<char>(code));
  }

  int bracket(std::size_t start) {
    const bool negated = accept('^');
    ByteSet set;
    for (bool first = true;; first = false) {
      if (!more()) return refuse(start, "this [ is never closed", "write \\[");
      if (!first && accept(']')) break;
      const auto from = at_;
      const auto low = member();
      if (!low) return 0;
      const bool ranged = peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
      if (!ranged) {
        set |= *low;
        continue;
      }
      ++at_;
      const auto high = member();
      if (!high) return 0;
      if (low->count() != 1 || high->count() != 1 || first_of(*low) > first_of(*high))
        return refuse(from, "no such range of characters", {}, at_ - from);
      for (auto i = first_of(*low); i <= first_of(*high); ++i) set.set(i);
    }
    return add_set(negated ? ~set : set);
  }

  std::optional<ByteSet> member() {
    const auto start = at_;
    if (!accept('\\')) return single(text_[at_++]);
    if (at_ < text_.size()) {
      if (accept('b')) return single('\b');
      return escaped_set(start);
    }
    refuse(start, "a \\ at the end escapes nothing", "write \\\\");
    return std::nullopt;
  }

  static std::size_t first_of(const ByteSet& set) { return set._Find_first(); }

  std::string_view text_;
  std::size_t at_ = 0;
  PatternTree tree_;
  std::optional<Error> error_;
};

std::optional<Error> too_long(std::string_view text) {
  if (text.size() <= kMostPatternBytes) return std::nullopt;
  auto error = at(kMostPatternBytes, "a pattern of more than 4096 bytes");
  error.code = Code::limit_exceeded;
  return error;
}

/// [abc], [a-z], [!a] of a glob. `offset` stands behind the bracket. nullopt: it is never closed.
std::optional<ByteSet> glob_set(std::string_view text, std::size_t& offset) {
  const bool negated = offset < text.size() && (text[offset] == '!' || text[offset] == '^');
  if (negated) ++offset;
  ByteSet set;
  for (const auto start = offset; offset < text.size(); ++offset) {
    if (text[offset] == ']' && offset > start) {
      ++offset;
      return negated ? ~set : set;
    }
    if (offset + 2 < text.size() && text[offset + 1] == '-' && text[offset + 2] != ']') {
      set |= range(text[offset], text[offset + 2]);
      offset += 2;
    } else {
      set.set(as_byte(text[offset]));
    }
  }
  return std::nullopt;
}

}  // namespace

ByteSet word_bytes() { return range('a', 'z') | range('A', 'Z') | range('0', '9') | single('_'); }

Result<PatternTree> parse_regex(std::string_view text) {
  if (auto error = too_long(text)) return tl::unexpected(std::move(*error));
  return Parser(text).parse();
}

Result<PatternTree> parse_glob(std::string_view text) {
  if (auto error = too_long(text)) return tl::unexpected(std::move(*error));
  PatternTree tree;
  PatternNode whole{.kind = Kind::sequence};
  const auto add = [&](PatternNode node) {
    tree.nodes.push_back(std::move(node));
    return static_cast<int>(tree.nodes.size()) - 1;
  };
  whole.parts.push_back(add({.kind = Kind::begin}));
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i++];
    ByteSet set = c == '*' || c == '?' ? ~ByteSet() : single(c);
    if (c == '[') {
      const auto start = i - 1;
      const auto members = glob_set(text, i);
      if (!members) return tl::unexpected(at(start, "this [ is never closed", "write [[]"));
      set = *members;
    }
    int part = add({.kind = Kind::set, .set = set});
    if (c == '*') part = add({.kind = Kind::repeat, .parts = {part}, .least = 0, .most = -1});
    whole.parts.push_back(part);
  }
  whole.parts.push_back(add({.kind = Kind::end}));
  tree.root = add(std::move(whole));
  return tree;
}

}  // namespace roofline
