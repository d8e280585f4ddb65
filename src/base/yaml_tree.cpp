#include "base/yaml_tree.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "base/utf8.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
std::size_t after_quote(std::string_view text, std::size_t start) {
  const char quote = text[start];
  for (auto at = start + 1; at < text.size(); ++at) {
    const bool escaped = quote == '"' ? text[at] == '\\' : text.substr(at).starts_with("''");
    if (!escaped && text[at] == quote) return at + 1;
    if (escaped) ++at;
  }
  return text.size() + 1;
}

namespace {

constexpr std::size_t kLinesPerMark = 1024;
constexpr std::size_t kBytesAround = 512;  ///< of a long line, on each side of the place

/// Where the line after `offset` starts; text.size() when there is none.
std::size_t next_line(std::string_view text, std::size_t offset) {
  const auto* found = std::memchr(text.data() + offset, '\n', text.size() - offset);
  if (found == nullptr) return text.size();
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
}

std::size_t byte_offset(std::string_view text, const std::vector<std::size_t>& marks, int line,
                        int column) {
  const auto wanted = static_cast<std::size_t>(std::max(1, line) - 1);
  const auto mark = std::min(wanted / kLinesPerMark, marks.size() - 1);
  std::size_t at = marks[mark];
  for (std::size_t i = mark * kLinesPerMark; i < wanted && at < text.size(); ++i)
    at = next_line(text, at);
  return std::min(text.size(), at + static_cast<std::size_t>(std::max(1, column) - 1));
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Bytes of `line` that the token of `node` takes.
std::size_t token_length(std::string_view line, const YamlNode& node) {
  if (line.empty() || node.is_list() || node.is_map()) return 1;
  if (line[0] == '"' || line[0] == '\'') return std::min(line.size(), after_quote(line, 0));
  if (line[0] == '|' || line[0] == '>') return 1;
  if (line[0] != '*' && !node.text.empty() && line.starts_with(node.text)) return node.text.size();
  std::size_t end = 0;
  while (end < line.size() && !is_blank(line[end]) &&
         std::string_view(",:]}").find(line[end]) == std::string_view::npos)
    ++end;
  return std::max<std::size_t>(1, end);
}

}  // namespace

std::vector<std::size_t> mark_lines(std::string_view text) {
  std::vector<std::size_t> marks{0};
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    at = next_line(text, at);
    if (++lines % kLinesPerMark == 0) marks.push_back(at);
  }
  return marks;
}

SourceText::SourceText(std::string_view text, const std::string& file)
    : text_(text), file_(file), owned_(mark_lines(text)), marks_(owned_) {}

SourceText::SourceText(std::string_view text, const std::string& file,
                       const std::vector<std::size_t>& marks)
    : text_(text), file_(file), marks_(marks) {}

Location SourceText::at(std::size_t offset, int length) const {
  offset = std::min(offset, text_.size());
  const auto mark = std::prev(std::upper_bound(marks_.begin(), marks_.end(), offset));
  auto line = static_cast<std::size_t>(mark - marks_.begin()) * kLinesPerMark;
  auto start = *mark;
  for (auto next = next_line(text_, start);
       next <= offset && next > start && text_[next - 1] == '\n'; next = next_line(text_, next)) {
    start = next;
    ++line;
    if (next == text_.size()) break;
  }
  return at(static_cast<int>(line) + 1, static_cast<int>(offset - start) + 1, length);
}

Location SourceText::at(int line, int column, int length) const {
  Location where{file_, line, column, length, {}, 0};
  const auto offset = byte_offset(text_, marks_, line, column);
  const auto line_start =
      offset - std::min(offset, static_cast<std::size_t>(std::max(1, column) - 1));
  auto first = std::max(line_start, offset - std::min(offset, kBytesAround));
  while (first > line_start && first < offset && is_continuation(text_[first])) ++first;
  auto quoted = text_.substr(first, offset - first + kBytesAround);
  quoted = quoted.substr(0, quoted.find('\n'));
  if (quoted.ends_with('\r')) quoted.remove_suffix(1);
  where.source_line = quoted;
  where.source_offset = static_cast<int>(first - line_start);
  return where;
}

Location SourceText::of(const YamlNode& node) const {
  if (node.line <= 0) return {file_, 0, 0, 1, {}, 0};
  auto where = at(node.line, node.column);
  // As in at(): what is quoted holds kBytesAround bytes after the place, or the rest of the line.
  auto skipped = static_cast<std::size_t>(node.column - 1 - where.source_offset);
  const std::string_view line = where.source_line;
  skipped = std::min(skipped, line.size());
  // The place of a node with an anchor is that of the anchor; the reader looks for the value.
  if (line.substr(skipped).starts_with('&')) {
    const auto name_end = std::min(line.find_first_of(" \t", skipped), line.size());
    const auto value = line.find_first_not_of(" \t", name_end);
    if (value != std::string_view::npos) {
      where.column += static_cast<int>(value - skipped);
      skipped = value;
    }
  }
  where.length = static_cast<int>(token_length(line.substr(skipped), node));
  return where;
}

namespace {

/// Positions in a map's keys: one, and the first of the same text before it.
struct Repeated {
  std::size_t second, first;
};

std::vector<Repeated> repeated_keys(const std::vector<YamlNode>& keys) {
  constexpr std::size_t kFew = 8;
  std::vector<Repeated> found;
  if (keys.size() <= kFew) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const auto same = [&](const YamlNode& key) { return key.text == keys[i].text; };
      const auto end = keys.begin() + static_cast<std::ptrdiff_t>(i);
      const auto first = std::find_if(keys.begin(), end, same);
      if (first != end) found.push_back({i, static_cast<std::size_t>(first - keys.begin())});
    }
    return found;
  }
  // Sorting and not hashing: no choice of keys makes it slow.
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int by_text = keys[a].text.compare(keys[b].text);
    return by_text != 0 ? by_text < 0 : a < b;
  });
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (keys[order[i]].text != keys[order[first]].text) {
      first = i;
    } else {
      found.push_back({order[i], order[first]});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  return found;
}

class KeyCheck {
 public:
  KeyCheck(const SourceText& source, Errors& errors)
      : source_(source), errors_(errors), most_(errors.size() + kMostErrors) {}

  void visit(const YamlNode& node) {
    if (errors_.size() >= most_) return;
    if (node.is_map()) check(node);
    for (const auto& item : node.items)
      if (item.is_list() || item.is_map()) visit(item);
  }

 private:
  void check(const YamlNode& map) {
    for (const auto& key : map.keys) {
      if (!key.is_scalar()) {
        report(key, Code::unsupported_yaml, "a key must be a single name, written out",
               "lists, maps, aliases and empty keys are not read as keys");
      } else if (key.text == "<<" && !key.quoted) {
        report(key, Code::unsupported_yaml, "merge keys (<<) are not supported",
               "write the keys out");
      }
    }
    for (const auto& repeated : repeated_keys(map.keys)) {
      const auto& key = map.keys[repeated.second];
      const auto& first = map.keys[repeated.first];
      if (!key.is_scalar() || !first.is_scalar()) continue;
      report(key, Code::duplicate_key, "the key \"" + shortened(key.text, 60) + "\" is given twice",
             {},
             "it is first given at " + source_.file() + ':' + std::to_string(first.line) + ':' +
                 std::to_string(first.column));
    }
  }

  void report(const YamlNode& key, Code code, std::string what, std::string hint,
              std::string note = {}) {
    if (errors_.size() >= most_) return;
    errors_.push_back({code, source_.of(key), std::move(what), std::move(hint), std::move(note)});
  }

  const SourceText& source_;
  Errors& errors_;
  std::size_t most_;
};

struct Extent {
  std::size_t nodes = 0, bytes = 0;
  int height = 0;
};

class AliasExpander {
 public:
  AliasExpander(const std::vector<AnchoredNode>& anchors, const std::vector<AnchoredNode>& aliases,
                const YamlLimits& limits, const SourceText& source, Errors& errors)
      : anchors_(anchors), aliases_(aliases), limits_(limits), source_(source), errors_(errors) {}

  bool visit(YamlNode& node, int depth) {
    const auto number = number_++;
    if (next_alias_ < aliases_.size() && aliases_[next_alias_].number == number)
      return expand(node, aliases_[next_alias_++].anchor, depth);
    std::size_t anchor = 0;
    if (next_anchor_ < anchors_.size() && anchors_[next_anchor_].number == number)
      anchor = anchors_[next_anchor_++].anchor;
    // Nodes were numbered as they were written: a key, its value, the next key.
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (node.is_map()) ++number_;  // keys are not aliases; an anchor on a key names the key
      if (node.is_map() && next_anchor_ < anchors_.size() &&
          anchors_[next_anchor_].number == number_ - 1)
        complete_[anchors_[next_anchor_++].anchor] = &node.keys[i];
      if (!visit(node.items[i], depth + 1)) return false;
    }
    if (anchor != 0) complete_[anchor] = &node;
    return true;
  }

 private:
  bool expand(YamlNode& alias, std::size_t anchor, int depth) {
    const auto found = complete_.find(anchor);
    if (found == complete_.end())
      return refuse(alias, Code::unsupported_yaml,
                    "this alias stands inside the node that it names");
    Extent extent;
    if (!measure(*found->second, 0, extent) || depth + extent.height > limits_.depth)
      return refuse(alias, Code::limit_exceeded, "aliases expand to more than is read");
    nodes_ += extent.nodes;
    bytes_ += extent.bytes;
    const int line = alias.line, column = alias.column;
    alias = *found->second;
    alias.line = line;
    alias.column = column;
    return true;
  }

  /// Stops at the limits: what is measured may have been expanded before, over and over.
  bool measure(const YamlNode& node, int depth, Extent& extent) const {
    extent.nodes += 1 + node.keys.size();
    extent.bytes += node.text.size();
    if (!node.is_scalar()) extent.height = std::max(extent.height, depth + 1);
    if (nodes_ + extent.nodes > limits_.alias_nodes || bytes_ + extent.bytes > limits_.bytes)
      return false;
    for (const auto& key : node.keys) extent.bytes += key.text.size();
    return std::all_of(node.items.begin(), node.items.end(),
                       [&](const YamlNode& item) { return measure(item, depth + 1, extent); });
  }

  bool refuse(const YamlNode& node, Code code, std::string what) {
    std::string hint = code == Code::limit_exceeded
                           ? "at most " + std::to_string(limits_.alias_nodes) + " nodes, " +
                                 std::to_string(limits_.depth) + " deep"
                           : "";
    errors_.push_back({code, source_.of(node), std::move(what), std::move(hint), {}});
    return false;
  }

  const std::vector<AnchoredNode>& anchors_;
  const std::vector<AnchoredNode>& aliases_;
  const YamlLimits& limits_;
  const SourceText& source_;
  Errors& errors_;
  std::unordered_map<std::size_t, const YamlNode*> complete_;
  std::size_t number_ = 0, next_anchor_ = 0, next_alias_ = 0, nodes_ = 0, bytes_ = 0;
};

}  // namespace

void check_keys(const YamlNode& root, const SourceText& source, Errors& errors) {
  KeyCheck(source, errors).visit(root);
}

void expand_aliases(YamlNode& root, const std::vector<AnchoredNode>& anchors,
                    const std::vector<AnchoredNode>& aliases, const YamlLimits& limits,
                    const SourceText& source, Errors& errors) {
  if (!aliases.empty()) AliasExpander(anchors, aliases, limits, source, errors).visit(root, 0);
}

}  // namespace roofline
