#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

/// A node of a YAML (or JSON) document that knows where it stands. Scalars keep the text as written; nothing is
/// converted before a reader asks, so `010`, `0x10`, `no` and `1_000` are text until somebody wants a number.
struct YamlNode {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  ///< a quoted scalar is text whatever it looks like
  int line = 0, column = 0;
  std::string text;
  std::vector<YamlNode> keys;   ///< of a map: scalars, as long as `items`
  std::vector<YamlNode> items;  ///< of a list, or the values of a map

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  const YamlNode* find(std::string_view key) const;  ///< value of a map's key, or nullptr
};

/// What a hostile file may cost.
struct YamlLimits {
  std::size_t bytes = std::size_t{64} << 20;
  int depth = 64;
  std::size_t alias_nodes = 1'000'000;  ///< nodes that aliases may add by expansion, in total
  std::size_t nodes = 10'000'000;       ///< keys and values as written; each takes about 100 bytes of memory
};

class YamlDocument {
 public:
  YamlDocument() = default;
  YamlDocument(std::string file, std::string text, YamlNode root);
  const std::string& file() const { return file_; }
  const YamlNode& root() const { return root_; }
  /// Where a node stands, with its source line; the caret spans the scalar's text.
  Location where(const YamlNode& node) const;
  /// The same of `length` bytes from a place, for what keeps places and no nodes.
  Location where(int line, int column, int length) const;
  /// This text without its tree: enough to say where something stands.
  /// This text under another name and with another tree: nodes that were put in have no place of their own (line 0).
  YamlDocument with_root(YamlNode root, std::string file) const {
    return YamlDocument(std::move(file), text_, std::move(root));
  }
  YamlDocument without_tree() const { return YamlDocument(file_, text_, {}); }

 private:
  std::string file_, text_;
  YamlNode root_;
  std::vector<std::size_t> line_marks_;  ///< where every 1024th line starts: a place in a long file is found fast
};

/// Parses one document. Refuses, each with its place: syntax errors, tab indentation, duplicate keys (both places),
/// keys that are not scalars, merge keys (<<), custom tags, a second document, invalid UTF-8 and NUL bytes, an empty
/// file, and whatever passes the limits, or a single text or outermost list in brackets of more than 4 MiB that is not
/// JSON. The anchors and aliases of YAML are expanded within the limit. At most some twenty errors.
Checked<YamlDocument> read_yaml(std::string text, std::string file, const YamlLimits& limits = {});

/// Reads the keys of one map: what nobody asked for is an error with the nearest key that was.
class YamlMap {
 public:
  /// `what` names the thing in messages ("a kernel"). A node that is not a map is reported once.
  YamlMap(const YamlDocument& document, const YamlNode& node, std::string_view what, Errors& errors);

  bool ok() const { return node_ != nullptr; }
  const YamlNode* find(std::string_view key);  ///< nullptr when absent
  const YamlNode* need(std::string_view key);  ///< absent: reported as missing_key
  void close();                                ///< reports the keys nobody asked for

 private:
  const YamlDocument& document_;
  const YamlNode* node_ = nullptr;
  std::string what_;
  Errors& errors_;
  std::vector<std::string> asked_;
};

// Scalars as what they must be; a wrong one is reported and gives nullopt. `what` names it in the message.
std::optional<std::string> read_text(const YamlDocument&, const YamlNode&, std::string_view what, Errors&);
std::optional<bool> read_flag(const YamlDocument&, const YamlNode&, std::string_view what, Errors&);  ///< true, false
/// One name or a list of names.
std::optional<std::vector<std::string>> read_names(const YamlDocument&, const YamlNode&, std::string_view what, Errors&);

}  // namespace roofline
