#include "base/yaml_faults.hpp"

#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace roofline {

namespace {

Error syntax_error(Location where, std::string_view what, std::string_view hint = {}) {
  return {Code::yaml_syntax, std::move(where), std::string(what), std::string(hint), {}};
}

/// Where a quote opens, after `from`, that is never closed; text.size() when there is none.
std::size_t unclosed_quote(std::string_view text, std::size_t from) {
  for (auto at = text.find_first_of("\"'", from); at < text.size();
       at = text.find_first_of("\"'", at)) {
    // Within a word it is an apostrophe.
    const bool opens =
        at == from || std::string_view(" \t\n[{,:").find(text[at - 1]) != std::string_view::npos;
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
      {YAML::ErrorMsg::END_OF_MAP, "a key was expected here",
       "check the indentation, and that nothing follows a value on its line"},
      {YAML::ErrorMsg::END_OF_SEQ, "\"- \" was expected here",
       "check the indentation, and that nothing follows a value on its line"},
      {YAML::ErrorMsg::MAP_VALUE, "a \":\" where no value can start",
       "quote a text that holds \": \""},
      {YAML::ErrorMsg::MAP_KEY, "a key cannot start here", "is the indentation right?"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list cannot start here",
       "put \"- \" on a line of its own; inside [ ] use commas"},
      {YAML::ErrorMsg::FLOW_END, "this bracket was not opened, or by another kind of bracket", {}},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is never closed", {}},
      {YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed before this line", {}},
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation", "indent with spaces"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "no value can start with this character", "quote the text"},
      {YAML::ErrorMsg::INVALID_ESCAPE, "unknown escape in double quotes",
       "single quotes take a text as it is", true},
      {YAML::ErrorMsg::INVALID_UNICODE, "no character has this code", {}, true},
      {YAML::ErrorMsg::INVALID_HEX, "not a hexadecimal digit", {}, true},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "no anchor of this name stands before it",
       "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::ALIAS_NOT_FOUND, "a name must follow \"*\"",
       "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::CHAR_IN_ALIAS, "this character cannot be in a name after \"*\"",
       "quote a text that starts with \"*\""},
      {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "a name must follow \"&\"",
       "quote a text that starts with \"&\""},
      {YAML::ErrorMsg::CHAR_IN_ANCHOR, "this character cannot be in a name after \"&\"",
       "quote a text that starts with \"&\""},
      {YAML::ErrorMsg::CHAR_IN_BLOCK, "nothing may follow \"|\" or \">\" on its line",
       "quote a text that starts with one of them"},
  };
  const auto* found =
      std::find_if(std::begin(kPhrases), std::end(kPhrases),
                   [&](const Phrase& phrase) { return theirs.starts_with(phrase.theirs); });
  return found == std::end(kPhrases) ? nullptr : found;
}

/// A ":" at `pos` came as a surprise. When it is the first of its line, the fault is in how this
/// line goes on from the one before it, which may lack a ":" of its own.
std::optional<Error> unexpected_colon(const SourceText& source, std::size_t pos) {
  const auto before = source.text().substr(0, pos);
  const auto line = before.rfind('\n') + 1;
  if (line == 0 || before.find(':', line) != std::string_view::npos) return std::nullopt;
  const auto last = before.find_last_not_of(" \r\n", line - 1);
  if (last == std::string_view::npos) return std::nullopt;
  const auto start = before.find_first_not_of(' ', before.rfind('\n', last) + 1);
  const auto previous = before.substr(start, last + 1 - start);
  if (previous.find(':') == std::string_view::npos && previous.find_first_of("-#\"'") != 0)
    return syntax_error(source.at(start, static_cast<int>(previous.size())),
                        "a \":\" is missing in this line");
  return syntax_error(source.at(pos), "a \":\" where no value can start",
                      "is the indentation right? This line goes on with the value before it");
}

}  // namespace

Error tab_in_indentation(Location where) {
  return syntax_error(std::move(where), "a tab in the indentation", "indent with spaces");
}

Error open_quote(Location where) {
  return syntax_error(std::move(where), "a quote is never closed");
}

Error describe_fault(const YamlFault& fault, const SourceText& source) {
  const auto text = source.text();
  const auto where = source.at(fault.line, fault.column);
  const std::string_view line = where.source_line;
  const auto indentation = std::min(line.find_first_not_of(' '), line.size());
  if (where.source_offset == 0 && line.substr(indentation).starts_with('\t'))
    return tab_in_indentation(source.at(where.line, static_cast<int>(indentation) + 1));

  const bool at_end = text.find_first_not_of(" \t\r\n", fault.offset) == std::string_view::npos;
  const auto quote = at_end ? unclosed_quote(text, fault.reached) : text.size();
  if (quote < text.size()) return open_quote(source.at(quote));
  const bool in_flow = fault.message == YAML::ErrorMsg::END_OF_MAP_FLOW ||
                       fault.message == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (in_flow && at_end && fault.open != nullptr)
    return syntax_error(source.of(*fault.open), "this bracket is never closed");
  if (fault.message == YAML::ErrorMsg::MAP_VALUE)
    if (auto better = unexpected_colon(source, fault.offset)) return std::move(*better);
  const auto* phrase = find_phrase(fault.message);
  if (phrase == nullptr) return syntax_error(where, fault.message);
  const auto before = std::max<std::size_t>(1, fault.offset) - 1;
  const auto backslash = phrase->escape ? text.rfind('\\', before) : std::string_view::npos;
  return syntax_error(backslash < text.size() ? source.at(backslash) : where, phrase->ours,
                      phrase->hint);
}

}  // namespace roofline
