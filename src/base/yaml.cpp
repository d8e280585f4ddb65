#include "roofline/base/yaml.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "base/yaml_parser.hpp"
#include "base/yaml_tree.hpp"

namespace roofline {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

YamlDocument::YamlDocument(std::string file, std::string text, YamlNode root)
    : file_(std::move(file)),
      text_(std::move(text)),
      root_(std::move(root)),
      line_marks_(mark_lines(text_)) {}

Location YamlDocument::where(const YamlNode& node) const {
  if (line_marks_.empty()) return {file_, 0, 0, 1, {}, 0};
  return SourceText(text_, file_, line_marks_).of(node);
}

Location YamlDocument::where(int line, int column, int length) const {
  if (line_marks_.empty() || line <= 0) return {file_, 0, 0, 1, {}, 0};
  return SourceText(text_, file_, line_marks_).at(line, column, length);
}

namespace {

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
    return error(Code::limit_exceeded, file,
                 "the file is longer than " + std::to_string(limits.bytes) + " bytes", {});
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return error(Code::unsupported_yaml, file, "the file is in UTF-16", "save it as UTF-8");
  const auto zero = text.find('\0');
  if (zero != std::string_view::npos)
    return error(Code::yaml_syntax, source.at(zero), "the file holds a zero byte: it is not text",
                 "is it UTF-16, or a binary file?");
  const auto invalid = valid_utf8_prefix(text);
  if (invalid != text.size())
    return error(Code::yaml_syntax, source.at(invalid), "not valid UTF-8",
                 "save the file as UTF-8");
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
    if (!text.substr(at + 1).starts_with('\n'))
      return error(Code::yaml_syntax, source.at(at), "a carriage return that does not end a line",
                   "end lines with a line feed, or with both");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') ||
           c == 0x7F;
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
