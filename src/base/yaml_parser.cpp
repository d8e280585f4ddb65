#include "base/yaml_parser.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include "base/yaml_faults.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

/// Leaves yaml-cpp's parser, which has no other way out; caught in this file. The reasons are in
/// the builder's errors.
struct Stop {};

/// Builds our tree from yaml-cpp's events: its own tree would take twice the time and memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, const YamlLimits& limits, Errors& errors)
      : source_(source),
        limits_(limits),
        errors_(errors),
        has_tabs_(source.text().find('\t') != std::string_view::npos) {}

  YamlNode root;
  std::vector<AnchoredNode> anchors, aliases;
  /// Mistakes only when nothing worse is found: within a bracket that is never closed any word
  /// looks like a key.
  Errors doubts;

  /// The innermost collection that is not closed yet.
  const YamlNode* open() const { return open_.empty() ? nullptr : open_.back(); }
  /// Where the last node starts.
  std::size_t reached() const { return reached_; }
  /// Where the last text in quotes opens; past the end when there is none.
  std::size_t last_quote() const { return last_quote_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!started_) {
      started_ = true;
      return;
    }
    if (rest(mark).starts_with("---"))
      stop(mark, Code::unsupported_yaml, "a second document starts here",
           "put each document into a file of its own", 3);
    stop(mark, Code::yaml_syntax, "this does not belong to the document, which ended before it",
         "is the indentation right?");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_indentation(mark);
    const auto before = reached_;
    auto& node = add(mark, "?", anchor);
    const bool written =
        rest(mark).starts_with('~') || lower_case(rest(mark).substr(0, 4)) == "null";
    if (!written && anchor == 0) check_empty(node, before, mark);
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    // Half of the readers end the name before it.
    if (name.find(':') != std::string::npos)
      stop(mark, Code::unsupported_yaml, "a \":\" in the name of an anchor",
           "write a space after the name");
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_indentation(mark);
    aliases.push_back({nodes_, anchor});
    add(mark, "?", 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_indentation(mark);
    auto& node = add(mark, tag, anchor);
    node.kind = YamlNode::Kind::scalar;
    node.quoted = tag == "!";
    node.text = value;
    const auto token = value_at(mark);  // | and > make a text as well
    if (node.quoted && (token.starts_with('"') || token.starts_with('\'')))
      last_quote_ = source_.text().size() - token.size();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    start(mark, tag, anchor, style, YamlNode::Kind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    start(mark, tag, anchor, style, YamlNode::Kind::map);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

 private:
  std::string_view rest(const YAML::Mark& mark) const {
    return source_.text().substr(
        std::min(static_cast<std::size_t>(std::max(0, mark.pos)), source_.text().size()));
  }

  [[noreturn]] void stop(const YAML::Mark& mark, Code code, std::string what, std::string hint,
                         int length = 1) {
    errors_.push_back({code,
                       source_.at(mark.line + 1, mark.column + 1, length),
                       std::move(what),
                       std::move(hint),
                       {}});
    throw Stop{};
  }

  /// A value that is not there. It has no place of its own: yaml-cpp gives that of the token after
  /// it.
  void check_empty(YamlNode& node, std::size_t before, const YAML::Mark& mark) {
    if (open_.empty()) return;
    const auto& parent = *open_.back();
    if (parent.is_list() && flow_depth_ > 0)
      stop(mark, Code::yaml_syntax, "a value is missing before this", {});
    if (parent.is_list() || parent.items.empty() || &node != &parent.items.back()) return;
    const auto& key = parent.keys.back();
    const auto key_end =
        std::min(source_.text().size(), before + key.text.size() + (key.quoted ? 2 : 0));
    const auto end = std::max(key_end, source_.text().size() - rest(mark).size());
    if (key.is_scalar() &&
        source_.text().substr(key_end, end - key_end).find(':') == std::string_view::npos) {
      const bool glued = !key.quoted && key.text.find(':') != std::string::npos;
      if (doubts.size() < kMostErrors)
        doubts.push_back({Code::yaml_syntax,
                          source_.of(key),
                          "a \":\" is missing after this key",
                          glued ? "write a space after \":\"" : "",
                          {}});
    }
    node.line = key.line;
    node.column = key.column;
  }

  /// The text from a node's value on; an anchor may stand before it.
  std::string_view value_at(const YAML::Mark& mark) const {
    auto token = rest(mark);
    if (token.starts_with('&'))
      token.remove_prefix(std::min(token.find_first_of(" \t\n"), token.size()));
    token.remove_prefix(std::min(token.find_first_not_of(" \t\n"), token.size()));
    return token;
  }

  void start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YAML::EmitterStyle::value style, YamlNode::Kind kind) {
    check_indentation(mark);
    auto& node = add(mark, tag, anchor);
    node.kind = kind;
    if (open_.size() >= static_cast<std::size_t>(limits_.depth))
      stop(mark, Code::limit_exceeded,
           "nested more than " + std::to_string(limits_.depth) + " deep", {});
    if (flow_depth_ > 0 || style == YAML::EmitterStyle::Flow) ++flow_depth_;
    open_.push_back(&node);
  }

  void end() {
    open_.pop_back();
    if (flow_depth_ > 0) --flow_depth_;
  }

  /// A new node, in its place. It stays there while it is open: its parent grows only after it is
  /// closed.
  YamlNode& add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (nodes_ >= limits_.nodes)
      stop(mark, Code::limit_exceeded,
           "more than " + std::to_string(limits_.nodes) + " keys and values", {});
    refuse_tag(mark, tag);
    reached_ = std::max(reached_, static_cast<std::size_t>(std::max(0, mark.pos)));
    if (anchor != 0) anchors.push_back({nodes_, anchor});
    ++nodes_;
    auto& node = slot();
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  YamlNode& slot() {
    if (open_.empty()) return root;
    auto& parent = *open_.back();
    const bool is_key = parent.is_map() && parent.keys.size() == parent.items.size();
    return is_key ? parent.keys.emplace_back() : parent.items.emplace_back();
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" is a plain node without a tag; "!" a quoted one, or one with the tag "!".
    if (tag.empty() || tag == "?" || (tag == "!" && !value_at(mark).starts_with('!'))) return;
    errors_.push_back({Code::unsupported_yaml,
                       source_.at(mark.line + 1, mark.column + 1),
                       "tags are not supported",
                       "leave the tag out; quotes make a text of any value",
                       {}});
    if (errors_.size() >= kMostErrors) throw Stop{};
  }

  /// yaml-cpp takes some tabs in the indentation; other readers refuse them or count them
  /// differently.
  void check_indentation(const YAML::Mark& mark) {
    if (!has_tabs_ || flow_depth_ > 0 || mark.line == last_line_) return;
    last_line_ = mark.line;
    const auto text = source_.text();
    const auto end = std::min(static_cast<std::size_t>(std::max(0, mark.pos)), text.size());
    for (auto i = end - std::min(end, static_cast<std::size_t>(mark.column)); i < end; ++i) {
      if (text[i] == '\t') {
        errors_.push_back(tab_in_indentation(source_.at(i)));
        throw Stop{};
      }
      if (text[i] != ' ') return;
    }
  }

 private:
  const SourceText& source_;
  const YamlLimits& limits_;
  Errors& errors_;
  std::vector<YamlNode*> open_;
  std::size_t nodes_ = 0, reached_ = 0, last_quote_ = std::string_view::npos;
  int flow_depth_ = 0, last_line_ = -1;
  bool has_tabs_, started_ = false;
};

/// Feeds yaml-cpp from memory that is there already. Before yaml-cpp reports a collection in
/// brackets it reads on to its end, at up to 250 bytes of memory a character; so it is given no
/// more than kLookAhead bytes past the last node.
class TextBuffer : public std::streambuf {
 public:
  static constexpr std::size_t kLookAhead = std::size_t{4} << 20;

  TextBuffer(std::string_view text, const TreeBuilder& builder) : text_(text), builder_(builder) {
    give(0, 0);
  }
  bool stopped() const { return stopped_; }

 protected:
  int_type underflow() override {
    constexpr std::size_t kBlock = 65536;
    const auto used = static_cast<std::size_t>(gptr() - eback());
    if (used < given_) return traits_type::to_int_type(*gptr());
    if (used == text_.size()) return traits_type::eof();
    stopped_ = stopped_ || used - std::min(used, builder_.reached()) > kLookAhead;
    if (stopped_) return traits_type::eof();
    give(used, std::min(text_.size(), used + kBlock));
    return traits_type::to_int_type(*gptr());
  }

 private:
  void give(std::size_t used, std::size_t end) {
    char* begin =
        const_cast<char*>(text_.data());  // a streambuf's type cannot say that it only reads
    setg(begin, begin + used, begin + end);
    given_ = end;
  }

  std::string_view text_;
  const TreeBuilder& builder_;
  std::size_t given_ = 0;
  bool stopped_ = false;
};

YamlFault fault_of(const YAML::ParserException& thrown, const TreeBuilder& builder,
                   std::string_view text) {
  const auto& mark = thrown.mark;  // counted from 0; all -1 when not known
  const auto offset = std::min(static_cast<std::size_t>(std::max(0, mark.pos)), text.size());
  return {thrown.msg, std::max(0, mark.line) + 1, std::max(0, mark.column) + 1,
          offset,     builder.reached(),          builder.open()};
}

/// Runs yaml-cpp over one document. False when it did not come to its end.
bool run_parser(TreeBuilder& builder, const SourceText& source, Errors& errors) {
  const auto text = source.text();
  TextBuffer buffer(text, builder);
  const auto report = [&](Error error) { errors.push_back(std::move(error)); };
  try {
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
  } catch (const Stop&) {
  } catch (const YAML::DeepRecursion&) {
    report({Code::limit_exceeded, source.at(builder.reached()), "nested too deeply", {}, {}});
  } catch (const YAML::ParserException& thrown) {
    if (!buffer.stopped()) report(describe_fault(fault_of(thrown, builder, text), source));
  }
  const bool complete = errors.empty() && !buffer.stopped();
  if (buffer.stopped()) {
    // What yaml-cpp said after it was cut short does not count.
    errors.assign(1, {Code::limit_exceeded,
                      source.at(builder.reached()),
                      "no value ends within 4 MiB from here",
                      "write long lists in lines that start with \"- \", or the file as JSON",
                      {}});
  } else if (complete) {
    // yaml-cpp takes the end of the file for the end of the last quoted text.
    const auto quote = builder.last_quote();
    if (quote < text.size() && after_quote(text, quote) > text.size()) {
      report(open_quote(source.at(quote)));
    } else {
      errors = std::move(builder.doubts);
    }
  }
  return complete;
}

}  // namespace

ParsedYaml parse_yaml(const SourceText& source, const YamlLimits& limits, Errors& errors) {
  TreeBuilder builder(source, limits, errors);
  const bool complete = run_parser(builder, source, errors);
  if (errors.empty()) check_keys(builder.root, source, errors);
  if (errors.empty())
    expand_aliases(builder.root, builder.anchors, builder.aliases, limits, source, errors);
  return {std::move(builder.root), complete};
}

}  // namespace roofline
