#include "base/json.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace roofline {
namespace {

constexpr const char* kOpenBracket = "this bracket is never closed";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class JsonReader {
 public:
  JsonReader(std::string_view text, const YamlLimits& limits) : text_(text), limits_(limits) {}

  JsonOutcome read() {
    YamlNode root;
    skip_blank();
    const bool whole =
        value(root, 0) &&
        (skip_blank(), at_ == text_.size() || refuse("text after the end of the document"));
    if (whole) outcome_.root = std::move(root);
    return std::move(outcome_);
  }

 private:
  bool refuse(std::string what, Code code = Code::yaml_syntax) {
    outcome_.offset = at_;
    outcome_.code = code;
    outcome_.what = std::move(what);
    return false;
  }

  /// What is still open at the end of the text is reported where it opens.
  bool refuse_open(std::size_t start, std::string what) {
    at_ = start;
    return refuse(std::move(what));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void skip_blank() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  void place(YamlNode& node) {
    node.line = line_;
    node.column = static_cast<int>(at_ - line_start_) + 1;
  }

  bool value(YamlNode& node, int depth) {
    place(node);
    if (++nodes_ > limits_.nodes) return refuse("more values than are read", Code::limit_exceeded);
    switch (peek()) {
      case '{': return map(node, depth + 1);
      case '[': return list(node, depth + 1);
      case '"': return string(node);
      default: return word(node);
    }
  }

  bool deeper(int depth) {
    return depth <= limits_.depth || refuse("nested too deeply", Code::limit_exceeded);
  }

  bool list(YamlNode& node, int depth) {
    node.kind = YamlNode::Kind::list;
    if (!deeper(depth)) return false;
    const auto start = at_++;
    skip_blank();
    if (accept(']')) return true;
    for (;;) {
      if (at_ == text_.size()) return refuse_open(start, kOpenBracket);
      if (!value(node.items.emplace_back(), depth)) return false;
      skip_blank();
      if (accept(']')) return true;
      if (at_ == text_.size()) return refuse_open(start, kOpenBracket);
      if (!accept(',')) return refuse("expected \",\" or \"]\"");
      skip_blank();
    }
  }

  bool map(YamlNode& node, int depth) {
    node.kind = YamlNode::Kind::map;
    if (!deeper(depth)) return false;
    const auto start = at_++;
    skip_blank();
    if (accept('}')) return true;
    for (;;) {
      if (at_ == text_.size()) return refuse_open(start, kOpenBracket);
      if (peek() != '"') return refuse("expected a key in double quotes");
      if (!value(node.keys.emplace_back(), depth)) return false;
      skip_blank();
      if (!accept(':')) return refuse("expected \":\"");
      skip_blank();
      if (!value(node.items.emplace_back(), depth)) return false;
      skip_blank();
      if (accept('}')) return true;
      if (at_ == text_.size()) return refuse_open(start, kOpenBracket);
      if (!accept(',')) return refuse("expected \",\" or \"}\"");
      skip_blank();
    }
  }

  bool string(YamlNode& node) {
    node.kind = YamlNode::Kind::scalar;
    node.quoted = true;
    const auto start = at_++;
    for (;;) {
      auto end = at_;
      while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
             !is_control(text_[end]))
        ++end;
      node.text.append(text_, at_, end - at_);
      at_ = end;
      if (at_ == text_.size()) return refuse_open(start, "a quote is never closed");
      if (accept('"')) return true;
      const auto backslash = at_;
      if (!accept('\\')) return refuse("a line break or control character in a string");
      if (!escape(node.text)) {
        outcome_.offset = backslash;
        return false;
      }
    }
  }

  static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char c = peek();
    if (c == 'u') return unicode_escape(out);
    const auto found = kNames.find(c);
    if (c == '\0' || found == std::string_view::npos) return refuse("unknown escape in a string");
    out += kMeanings[found];
    ++at_;
    return true;
  }

  /// At the "u" of \uXXXX; two of them make one character when the first is a high surrogate.
  bool unicode_escape(std::string& out) {
    constexpr char32_t kHigh = 0xD800, kLow = 0xDC00, kPast = 0xE000;
    char32_t code = 0, low = 0;
    if (!hex4(code)) return false;
    if (code >= kHigh && code < kLow && accept('\\')) {
      if (peek() != 'u' || !hex4(low) || low < kLow || low >= kPast)
        return refuse("half of a surrogate pair");
      code = 0x10000 + ((code - kHigh) << 10) + (low - kLow);
    }
    if (code >= kHigh && code < kPast) return refuse("half of a surrogate pair");
    append_utf8(out, code);
    return true;
  }

  bool hex4(char32_t& code) {
    ++at_;
    code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const char c = peek();
      const auto digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (c == '\0' || digit == std::string_view::npos)
        return refuse("\\u needs four hexadecimal digits");
      code = code << 4 | static_cast<char32_t>(digit);
    }
    return true;
  }

  bool word(YamlNode& node) {
    const auto start = at_;
    while (at_ < text_.size() &&
           std::string_view("{}[],:\" \t\r\n").find(text_[at_]) == std::string_view::npos)
      ++at_;
    const auto word = text_.substr(start, at_ - start);
    if (word == "null") return true;
    if (word != "true" && word != "false" && !is_number(word)) {
      at_ = start;
      return refuse("expected a value");
    }
    node.kind = YamlNode::Kind::scalar;
    node.text = word;
    return true;
  }

  static bool is_number(std::string_view word) {
    std::size_t i = 0;
    const auto digits = [&] {
      const auto start = i;
      while (i < word.size() && is_digit(word[i])) ++i;
      return i - start;
    };
    const auto next_is = [&](std::string_view set) {
      return i < word.size() && set.find(word[i]) != set.npos;
    };
    if (next_is("-")) ++i;
    const auto whole = i;
    if (digits() == 0 || (word[whole] == '0' && i - whole > 1)) return false;
    if (next_is(".") && (++i, digits() == 0)) return false;
    if (next_is("eE")) {
      ++i;
      if (next_is("+-")) ++i;
      if (digits() == 0) return false;
    }
    return i == word.size();
  }

  std::string_view text_;
  const YamlLimits& limits_;
  std::size_t at_ = 0, line_start_ = 0, nodes_ = 0;
  int line_ = 1;
  JsonOutcome outcome_;
};

}  // namespace

bool looks_like_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

JsonOutcome read_json(std::string_view text, const YamlLimits& limits) {
  return JsonReader(text, limits).read();
}

std::string without_tabs(std::string_view text) {
  std::string result(text);
  char quote = '\0';
  for (std::size_t i = 0; i < result.size(); ++i) {
    const char c = result[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '\t') {
      result[i] = ' ';
    }
  }
  return result;
}

}  // namespace roofline
