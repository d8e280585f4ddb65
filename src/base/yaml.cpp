#include "roofline/base/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <new>
#include <streambuf>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "base/yaml_tree.hpp"
#include "roofline/base/text.hpp"

namespace roofline {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

YamlDocument::YamlDocument(std::string file, std::string text, YamlNode root)
    : file_(std::move(file)), text_(std::move(text)), root_(std::move(root)), line_marks_(mark_lines(text_)) {}

Location YamlDocument::where(const YamlNode& node) const {
  if (line_marks_.empty()) return {file_, 0, 0, 1, {}, 0};
  return SourceText(text_, file_, line_marks_).of(node);
}

Location YamlDocument::where(int line, int column, int length) const {
  if (line_marks_.empty() || line <= 0) return {file_, 0, 0, 1, {}, 0};
  return SourceText(text_, file_, line_marks_).at(line, column, length);
}

namespace {

/// Leaves yaml-cpp's parser, which has no other way out; caught in this file. The reasons are in the builder's errors.
struct Stop {};

struct Complaint {
  std::string_view what, hint;
};
constexpr Complaint kTab = {"a tab in the indentation", "indent with spaces"};

/// Builds our tree from yaml-cpp's events: its own tree would take twice the time and memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, const YamlLimits& limits, Errors& errors)
      : source_(source), limits_(limits), errors_(errors),
        has_tabs_(source.text().find('\t') != std::string_view::npos) {}

  YamlNode root;
  std::vector<AnchoredNode> anchors, aliases;
  /// Mistakes only when nothing worse is found: within a bracket that is never closed any word looks like a key.
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
      stop(mark, Code::unsupported_yaml, "a second document starts here", "put each document into a file of its own", 3);
    stop(mark, Code::yaml_syntax, "this does not belong to the document, which ended before it",
         "is the indentation right?");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_indentation(mark);
    const auto before = reached_;
    auto& node = add(mark, "?", anchor);
    const bool written = rest(mark).starts_with('~') || lower_case(rest(mark).substr(0, 4)) == "null";
    if (!written && anchor == 0) check_empty(node, before, mark);
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    // Half of the readers end the name before it.
    if (name.find(':') != std::string::npos)
      stop(mark, Code::unsupported_yaml, "a \":\" in the name of an anchor", "write a space after the name");
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
    return source_.text().substr(std::min(static_cast<std::size_t>(std::max(0, mark.pos)), source_.text().size()));
  }

  [[noreturn]] void stop(const YAML::Mark& mark, Code code, std::string what, std::string hint, int length = 1) {
    errors_.push_back({code, source_.at(mark.line + 1, mark.column + 1, length), std::move(what), std::move(hint), {}});
    throw Stop{};
  }

  /// A value that is not there. It has no place of its own: yaml-cpp gives that of the token after it.
  void check_empty(YamlNode& node, std::size_t before, const YAML::Mark& mark) {
    if (open_.empty()) return;
    const auto& parent = *open_.back();
    if (parent.is_list() && flow_depth_ > 0) stop(mark, Code::yaml_syntax, "a value is missing before this", {});
    if (parent.is_list() || parent.items.empty() || &node != &parent.items.back()) return;
    const auto& key = parent.keys.back();
    const auto key_end = std::min(source_.text().size(), before + key.text.size() + (key.quoted ? 2 : 0));
    const auto end = std::max(key_end, source_.text().size() - rest(mark).size());
    if (key.is_scalar() && source_.text().substr(key_end, end - key_end).find(':') == std::string_view::npos) {
      const bool glued = !key.quoted && key.text.find(':') != std::string::npos;
      if (doubts.size() < kMostErrors)
        doubts.push_back({Code::yaml_syntax, source_.of(key), "a \":\" is missing after this key",
                          glued ? "write a space after \":\"" : "", {}});
    }
    node.line = key.line;
    node.column = key.column;
  }

  /// The text from a node's value on; an anchor may stand before it.
  std::string_view value_at(const YAML::Mark& mark) const {
    auto token = rest(mark);
    if (token.starts_with('&')) token.remove_prefix(std::min(token.find_first_of(" \t\n"), token.size()));
    token.remove_prefix(std::min(token.find_first_not_of(" \t\n"), token.size()));
    return token;
  }

  void start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style,
             YamlNode::Kind kind) {
    check_indentation(mark);
    auto& node = add(mark, tag, anchor);
    node.kind = kind;
    if (open_.size() >= static_cast<std::size_t>(limits_.depth))
      stop(mark, Code::limit_exceeded, "nested more than " + std::to_string(limits_.depth) + " deep", {});
    if (flow_depth_ > 0 || style == YAML::EmitterStyle::Flow) ++flow_depth_;
    open_.push_back(&node);
  }

  void end() {
    open_.pop_back();
    if (flow_depth_ > 0) --flow_depth_;
  }

  /// A new node, in its place. It stays there while it is open: its parent grows only after it is closed.
  YamlNode& add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (nodes_ >= limits_.nodes)
      stop(mark, Code::limit_exceeded, "more than " + std::to_string(limits_.nodes) + " keys and values", {});
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
    errors_.push_back({Code::unsupported_yaml, source_.at(mark.line + 1, mark.column + 1),
                       "tags are not supported", "leave the tag out; quotes make a text of any value", {}});
    if (errors_.size() >= kMostErrors) throw Stop{};
  }

  /// yaml-cpp takes some tabs in the indentation; other readers refuse them or count them differently.
  void check_indentation(const YAML::Mark& mark) {
    if (!has_tabs_ || flow_depth_ > 0 || mark.line == last_line_) return;
    last_line_ = mark.line;
    const auto text = source_.text();
    const auto end = std::min(static_cast<std::size_t>(std::max(0, mark.pos)), text.size());
    for (auto i = end - std::min(end, static_cast<std::size_t>(mark.column)); i < end; ++i) {
      if (text[i] == '\t') {
        errors_.push_back({Code::yaml_syntax, source_.at(i), std::string(kTab.what), std::string(kTab.hint), {}});
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

/// Feeds yaml-cpp from memory that is there already. Before yaml-cpp reports a collection in brackets it reads on to its
/// end, at up to 250 bytes of memory a character; so it is given no more than kLookAhead bytes past the last node.
class TextBuffer : public std::streambuf {
 public:
  static constexpr std::size_t kLookAhead = std::size_t{4} << 20;

  TextBuffer(std::string_view text, const TreeBuilder& builder) : text_(text), builder_(builder) { give(0, 0); }
  bool stopped() const { return stopped_; }

 protected:
  int_type underflow() override {
    constexpr std::size_t kBlock = 64 * 1024;
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
    char* begin = const_cast<char*>(text_.data());  // a streambuf's type cannot say that it only reads
    setg(begin, begin + used, begin + end);
    given_ = end;
  }

  std::string_view text_;
  const TreeBuilder& builder_;
  std::size_t given_ = 0;
  bool stopped_ = false;
};

/// The byte after the quote that closes the one at `start`; text.size() + 1 when none does.
std::size_t after_quote(std::string_view text, std::size_t start) {
  const char quote = text[start];
  for (auto at = start + 1; at < text.size(); ++at) {
    const bool escaped = quote == '"' ? text[at] == '\\' : text.substr(at).starts_with("''");
    if (escaped) ++at;
    else if (text[at] == quote) return at + 1;
  }
  return text.size() + 1;
}

/// Where a quote opens, after `from`, that is never closed; text.size() when there is none.
std::size_t unclosed_quote(std::string_view text, std::size_t from) {
  for (auto at = text.find_first_of("\"'", from); at < text.size(); at = text.find_first_of("\"'", at)) {
    // Within a word it is an apostrophe.
    const bool opens = at == from || std::string_view(" \t\n[{,:").find(text[at - 1]) != std::string_view::npos;
    const auto end = opens ? after_quote(text, at) : at + 1;
    if (end > text.size()) return at;
    at = end;
  }
  return text.size();
}

struct Phrase {
  std::string_view theirs;  ///< start of yaml-cpp's message
  std::string_view ours, hint;
  bool escape = false;  ///< thrown after an escape, and meant for its backslash
};

/// Our words for `theirs`; nullptr for what is rare.
const Phrase* find_phrase(std::string_view theirs) {
  static const Phrase kPhrases[] = {
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "expected \",\" or \"}\"", {}},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "expected \",\" or \"]\"", {}},
      {YAML::ErrorMsg::END_OF_MAP, "a key was expected here", "check the indentation, and that nothing follows a value on its line"},
      {YAML::ErrorMsg::END_OF_SEQ, "\"- \" was expected here", "check the indentation, and that nothing follows a value on its line"},
      {YAML::ErrorMsg::MAP_VALUE, "a \":\" where no value can start", "quote a text that holds \": \""},
      {YAML::ErrorMsg::MAP_KEY, "a key cannot start here", "is the indentation right?"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list cannot start here", "put \"- \" on a line of its own; inside [ ] use commas"},
      {YAML::ErrorMsg::FLOW_END, "this bracket was not opened, or by another kind of bracket", {}},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is never closed", {}},
      {YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed before this line", {}},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, kTab.what, kTab.hint},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "no value can start with this character", "quote the text"},
      {YAML::ErrorMsg::INVALID_ESCAPE, "unknown escape in double quotes", "single quotes take a text as it is", true},
      {YAML::ErrorMsg::INVALID_UNICODE, "no character has this code", {}, true},
      {YAML::ErrorMsg::INVALID_HEX, "not a hexadecimal digit", {}, true},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "no anchor of this name stands before it", "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::ALIAS_NOT_FOUND, "a name must follow \"*\"", "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::CHAR_IN_ALIAS, "this character cannot be in a name after \"*\"", "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "a name must follow \"&\"", "quote a text that starts with \"&\""},
      {YAML::ErrorMsg::CHAR_IN_ANCHOR, "this character cannot be in a name after \"&\"", "quote a text that starts with \"&\""},
      {YAML::ErrorMsg::CHAR_IN_BLOCK, "nothing may follow \"|\" or \">\" on its line", "quote a text that starts with one of them"},
  };
  const auto* found = std::find_if(std::begin(kPhrases), std::end(kPhrases),
                                   [&](const Phrase& phrase) { return theirs.starts_with(phrase.theirs); });
  return found == std::end(kPhrases) ? nullptr : found;
}

/// A ":" at `pos` came as a surprise. When it is the first of its line, the fault is in how this line goes on from the one
/// before it, which may lack a ":" of its own.
std::optional<Error> unexpected_colon(const SourceText& source, std::size_t pos) {
  const auto before = source.text().substr(0, pos);
  const auto line = before.rfind('\n') + 1;
  if (line == 0 || before.find(':', line) != std::string_view::npos) return std::nullopt;
  const auto last = before.find_last_not_of(" \r\n", line - 1);
  if (last == std::string_view::npos) return std::nullopt;
  const auto start = before.find_first_not_of(' ', before.rfind('\n', last) + 1);
  const auto previous = before.substr(start, last + 1 - start);
  if (previous.find(':') == std::string_view::npos && previous.find_first_of("-#\"'") != 0)
    return Error{Code::yaml_syntax, source.at(start, static_cast<int>(previous.size())),
                 "a \":\" is missing in this line", {}, {}};
  return Error{Code::yaml_syntax, source.at(pos), "a \":\" where no value can start",
               "is the indentation right? This line goes on with the value before it", {}};
}

/// yaml-cpp's complaint in our words, at the place where a reader will find the mistake.
Error syntax_error(const YAML::ParserException& thrown, const TreeBuilder& builder, const SourceText& source) {
  const auto text = source.text();
  const auto mark = source.at(std::max(0, thrown.mark.line) + 1, std::max(0, thrown.mark.column) + 1);
  const auto error = [](Location where, std::string_view what, std::string_view hint = {}) {
    return Error{Code::yaml_syntax, std::move(where), std::string(what), std::string(hint), {}};
  };
  const std::string_view line = mark.source_line;
  const auto indentation = std::min(line.find_first_not_of(' '), line.size());
  if (mark.source_offset == 0 && line.substr(indentation).starts_with('\t'))
    return error(source.at(mark.line, static_cast<int>(indentation) + 1), kTab.what, kTab.hint);

  const auto pos = std::min(static_cast<std::size_t>(std::max(0, thrown.mark.pos)), text.size());
  const bool at_end = text.find_first_not_of(" \t\r\n", pos) == std::string_view::npos;
  const auto quote = at_end ? unclosed_quote(text, builder.reached()) : text.size();
  if (quote < text.size()) return error(source.at(quote), "a quote is never closed");
  const bool in_flow = thrown.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || thrown.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (in_flow && at_end && builder.open() != nullptr)
    return error(source.of(*builder.open()), "this bracket is never closed");
  if (thrown.msg == YAML::ErrorMsg::MAP_VALUE)
    if (auto better = unexpected_colon(source, pos)) return std::move(*better);
  if (const auto* phrase = find_phrase(thrown.msg)) {
    const auto backslash = phrase->escape ? text.rfind('\\', std::max<std::size_t>(1, pos) - 1) : std::string_view::npos;
    return error(backslash < text.size() ? source.at(backslash) : mark, phrase->ours, phrase->hint);
  }
  return error(mark, thrown.msg);
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
    if (!buffer.stopped()) report(syntax_error(thrown, builder, source));
  }
  const bool complete = errors.empty() && !buffer.stopped();
  if (buffer.stopped()) {
    // What yaml-cpp said after it was cut short does not count.
    errors.assign(1, {Code::limit_exceeded, source.at(builder.reached()), "no value ends within 4 MiB from here",
                      "write long lists in lines that start with \"- \", or the file as JSON", {}});
  } else if (complete) {
    // yaml-cpp takes the end of the file for the end of the last quoted text.
    const auto quote = builder.last_quote();
    if (quote < text.size() && after_quote(text, quote) > text.size()) {
      report({Code::yaml_syntax, source.at(quote), "a quote is never closed", {}, {}});
    } else {
      errors = std::move(builder.doubts);
    }
  }
  return complete;
}

struct Parsed {
  YamlNode root;  ///< not to be used when there are errors
  bool complete;  ///< the text has the form of YAML, whatever else is wrong with it
};

/// One document of YAML proper.
Parsed parse_yaml(const SourceText& source, const YamlLimits& limits, Errors& errors) {
  TreeBuilder builder(source, limits, errors);
  const bool complete = run_parser(builder, source, errors);
  if (errors.empty()) check_keys(builder.root, source, errors);
  if (errors.empty()) expand_aliases(builder.root, builder.anchors, builder.aliases, limits, source, errors);
  return {std::move(builder.root), complete};
}

/// JSON by our own reader; what starts like JSON and is not may still be YAML in brackets.
YamlNode parse_json(const SourceText& source, const YamlLimits& limits, Errors& errors) {
  auto json = read_json(source.text(), limits);
  if (json.root) {
    check_keys(*json.root, source, errors);
    return std::move(*json.root);
  }
  const auto fault = source.at(json.offset);
  if (json.code != Code::limit_exceeded) {
    const auto text = without_tabs(source.text());
    auto parsed = parse_yaml(SourceText(text, source.file()), limits, errors);
    if (parsed.complete) return std::move(parsed.root);
    // Of two complaints about the form, the one further on is by the reader that understood more.
    const auto& first = errors.front();
    const bool about_form = first.code == Code::yaml_syntax || first.code == Code::limit_exceeded;
    const auto place = [](const Location& where) { return std::pair(where.line, where.column); };
    if (!about_form || place(first.where) > place(fault)) return {};
    errors.clear();
  }
  errors.push_back({json.code, fault, json.what, {}, {}});
  return {};
}

std::optional<Error> refuse_bytes(const SourceText& source, const YamlLimits& limits) {
  const auto text = source.text();
  const auto error = [&](Code code, Location where, std::string what, std::string hint) {
    return Error{code, std::move(where), std::move(what), std::move(hint), {}};
  };
  const Location file{source.file(), 0, 0, 1, {}, 0};
  if (text.size() > std::min<std::size_t>(limits.bytes, std::numeric_limits<int>::max()))
    return error(Code::limit_exceeded, file, "the file is longer than " + std::to_string(limits.bytes) + " bytes", {});
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return error(Code::unsupported_yaml, file, "the file is in UTF-16", "save it as UTF-8");
  const auto zero = text.find('\0');
  if (zero != std::string_view::npos)
    return error(Code::yaml_syntax, source.at(zero), "the file holds a zero byte: it is not text", "is it UTF-16, or a binary file?");
  const auto invalid = valid_utf8_prefix(text);
  if (invalid != text.size())
    return error(Code::yaml_syntax, source.at(invalid), "not valid UTF-8", "save the file as UTF-8");
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
    if (!text.substr(at + 1).starts_with('\n'))
      return error(Code::yaml_syntax, source.at(at), "a carriage return that does not end a line",
                   "end lines with a line feed, or with both");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F;
  });
  if (control != text.end())
    return error(Code::yaml_syntax, source.at(static_cast<std::size_t>(control - text.begin())),
                 "a control character", "write it as an escape in double quotes");
  return std::nullopt;
}

YamlNode parse(const SourceText& source, const YamlLimits& limits, Errors& errors) {
  // yaml-cpp may throw whatever its parts throw; nothing of it leaves this function.
  const auto failed = [&](Code code, std::string what) {
    errors.push_back({code, {source.file(), 0, 0, 1, {}, 0}, std::move(what), {}, {}});
  };
  try {
    return looks_like_json(source.text()) ? parse_json(source, limits, errors)
                                          : parse_yaml(source, limits, errors).root;
  } catch (const std::bad_alloc&) {
    failed(Code::limit_exceeded, "not enough memory to read the file");
  } catch (const std::exception& thrown) {
    failed(Code::yaml_syntax, std::string("the file could not be read: ") + thrown.what());
  } catch (...) {
    failed(Code::yaml_syntax, "the file could not be read");
  }
  return {};
}

}  // namespace

Checked<YamlDocument> read_yaml(std::string text, std::string file, const YamlLimits& limits) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  Errors errors;
  YamlNode root;
  {
    const SourceText source(text, file);
    if (auto error = refuse_bytes(source, limits)) return tl::unexpected(Errors{std::move(*error)});
    root = parse(source, limits, errors);
  }
  if (errors.empty() && root.is_null())
    errors.push_back({Code::empty_input, {file, 0, 0, 1, {}, 0}, "the file is empty", {}, {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return YamlDocument(std::move(file), std::move(text), std::move(root));
}

}  // namespace roofline
