#include "kernel/brackets.hpp"

#include <string>

#include "roofline/base/text.hpp"

namespace roofline {

std::size_t after_bracket(std::string_view text, std::size_t at) {
  std::string open;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool in_parentheses = !open.empty() && open.back() != '<';
    if (c == '(' || c == '{' || c == '[' || (c == '<' && !in_parentheses)) {
      open.push_back(c);
      continue;
    }
    const bool closes = c == ')' || c == '}' || c == ']' || (c == '>' && !in_parentheses);
    if (!closes) continue;
    if (c != '>')  // a comparison in a template list left its bracket open
      while (open.size() > 1 && open.back() == '<') open.pop_back();
    open.pop_back();
    if (open.empty()) return at + 1;
  }
  return text.size();
}

std::vector<std::string_view> list_items(std::string_view list) {
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < list.size();) {
    const char c = list[at];
    if (c == '<' || c == '(' || c == '{' || c == '[') {
      at = after_bracket(list, at);
      continue;
    }
    if (c == ',') {
      items.push_back(trimmed(list.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  items.push_back(trimmed(list.substr(begin)));
  return items;
}

}  // namespace roofline
