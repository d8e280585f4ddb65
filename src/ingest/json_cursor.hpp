#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roofline {

/// A walk over a JSON text in the order of its bytes, without a tree: for files of hundreds of
/// megabytes of which a part is wanted. Whoever meets a value reads it or skips it. The first fault
/// ends everything: all later calls are false, and failed() says so; at_end() then tells a text
/// that was cut from one that is wrong. What is skipped is not checked beyond its brackets. A text
/// is an object or a list: a number that ends with the text counts as cut.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ >= text_.size(); }
  std::size_t offset() const { return at_; }

  /// The keys of an object one by one; `on_key(key)` must consume the value. Keys come as written:
  /// the names that are looked for have no escapes.
  template <class OnKey>
  bool object(OnKey on_key) {
    if (!open('{')) return false;
    for (bool first = true; !failed_; first = false) {
      if (close('}')) return true;
      if (!first && !take(',')) return false;
      std::string_view key;
      if (!raw_text(key) || !take(':')) return false;
      on_key(key);
    }
    return false;
  }
  template <class OnItem>
  bool array(OnItem on_item) {
    if (!open('[')) return false;
    for (bool first = true; !failed_; first = false) {
      if (close(']')) return true;
      if (!first && !take(',')) return false;
      on_item();
    }
    return false;
  }

  char peek();                    ///< the first character of the next value; 0: the end
  bool text(std::string& value);  ///< of a string, its escapes undone
  /// A whole number; one that is none (a text, 1.5) is skipped and reads as 0.
  std::uint64_t whole();
  std::optional<double> real();  ///< nothing: no number, and it is skipped
  bool skip();                   ///< any value, however deep
  /// The text of the next value, which is skipped.
  std::string_view value();

 private:
  void blanks();
  bool fail() {
    failed_ = true;
    return false;
  }
  bool take(char c);
  bool open(char c);
  bool close(char c);
  bool raw_text(std::string_view& value);
  std::string_view scalar();

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace roofline
