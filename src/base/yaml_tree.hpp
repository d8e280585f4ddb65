#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// A text whose places can be named: what the readers of YAML and of JSON share.
class SourceText {
 public:
  SourceText(std::string_view text, const std::string& file);
  /// Marks found before, for a text that was seen before.
  SourceText(std::string_view text, const std::string& file, const std::vector<std::size_t>& marks);

  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }

  Location at(std::size_t offset, int length = 1) const;
  Location at(int line, int column, int length = 1) const;
  Location of(const YamlNode& node) const;  ///< the caret spans the scalar's text

 private:
  std::string_view text_;
  const std::string& file_;
  std::vector<std::size_t> owned_;
  const std::vector<std::size_t>& marks_;
};

/// The byte after the quote that closes the one at `start`; text.size() + 1 when none does.
std::size_t after_quote(std::string_view text, std::size_t start);

/// Where every 1024th line starts: a place in a long text is found without counting from its
/// beginning.
std::vector<std::size_t> mark_lines(std::string_view text);

/// Reports keys that are repeated, not scalars, or the merge key. At most kMostErrors, since more
/// help nobody.
void check_keys(const YamlNode& root, const SourceText& source, Errors& errors);
inline constexpr std::size_t kMostErrors = 20;

/// A node with an anchor, or an alias to one, by its number in document order (keys count).
struct AnchoredNode {
  std::size_t number;
  std::size_t anchor;
};
/// Replaces every alias by a copy of what it names. Both lists are in document order.
/// Errors: limit_exceeded when the copies pass a limit; unsupported_yaml for a node that contains
/// itself.
void expand_aliases(YamlNode& root, const std::vector<AnchoredNode>& anchors,
                    const std::vector<AnchoredNode>& aliases, const YamlLimits& limits,
                    const SourceText& source, Errors& errors);

}  // namespace roofline
