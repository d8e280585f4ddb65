#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline::hand_made {

/// Why `xml` is not well-formed, as far as what our writers write goes: tags that pair up, quoted
/// attributes that stand once, entities, no control characters. Empty: it is.
inline std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t i = 0;
  const auto text_fault = [&](std::string_view text) -> std::string {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c < 0x20 && c != '\n' && c != '\t') return "a control character";
      if (c != '&') continue;
      const auto end = text.find(';', at);
      const auto entity =
          end == std::string_view::npos ? std::string_view() : text.substr(at, end - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" &&
          entity != "&#39;")
        return "a bare &";
    }
    return {};
  };
  while (i < xml.size()) {
    const auto tag = xml.find('<', i);
    if (const auto fault = text_fault(xml.substr(i, tag == std::string_view::npos ? tag : tag - i));
        !fault.empty())
      return fault;
    if (tag == std::string_view::npos) break;
    const auto end = xml.find('>', tag);
    if (end == std::string_view::npos) return "an open tag";
    auto inside = xml.substr(tag + 1, end - tag - 1);
    i = end + 1;
    if (inside.starts_with('/')) {
      if (open.empty() || open.back() != inside.substr(1))
        return "</" + std::string(inside.substr(1)) + "> closes nothing";
      open.pop_back();
      continue;
    }
    const bool empty = inside.ends_with('/');
    if (empty) inside.remove_suffix(1);
    auto name = std::string(inside.substr(0, inside.find(' ')));
    std::vector<std::string> names;
    for (std::size_t at = name.size(); at < inside.size();) {
      if (inside[at] != ' ') return "no blank before an attribute of " + name;
      const auto equals = inside.find("=\"", at);
      if (equals == std::string_view::npos) return "an attribute of " + name + " without quotes";
      names.emplace_back(inside.substr(at + 1, equals - at - 1));
      const auto quote = inside.find('"', equals + 2);
      if (quote == std::string_view::npos) return "an open quote in " + name;
      const auto value = inside.substr(equals + 2, quote - equals - 2);
      if (const auto fault = text_fault(value);
          !fault.empty() || value.find('<') != std::string_view::npos)
        return "a bad value in " + name;
      at = quote + 1;
    }
    for (std::size_t a = 0; a < names.size(); ++a)
      for (std::size_t b = a + 1; b < names.size(); ++b)
        if (names[a] == names[b]) return names[a] + " stands twice in " + name;
    if (!empty) open.push_back(name);
  }
  return open.empty() ? std::string() : open.back() + " is never closed";
}

}  // namespace roofline::hand_made
