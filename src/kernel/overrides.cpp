#include "roofline/kernel/overrides.hpp"

#include <algorithm>
#include <vector>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

YamlNode scalar(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

/// "1,8,64" is a list; everything else stands as it is.
YamlNode value_node(const std::string& text) {
  if (text.find(',') == std::string::npos || text.find('(') != std::string::npos) return scalar(text);
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (std::size_t from = 0; from <= text.size();) {
    const auto to = std::min(text.find(',', from), text.size());
    list.items.push_back(scalar(std::string(trimmed(std::string_view(text).substr(from, to - from)))));
    from = to + 1;
  }
  return list;
}

YamlNode* find(YamlNode& map, std::string_view key) {
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (map.keys[i].text == key) return &map.items[i];
  return nullptr;
}

void put(YamlNode& map, const std::string& key, YamlNode value) {
  if (auto* known = find(map, key)) {
    // The place of what was replaced stays: an error about the new value points at the line that it overrules.
    value.line = known->line;
    value.column = known->column;
    *known = std::move(value);
    return;
  }
  map.keys.push_back(scalar(key));
  map.items.push_back(std::move(value));
}

/// A description in its general form, whatever short form the file used.
YamlNode general_form(YamlNode root) {
  const bool lone = root.is_map() && root.find("kernels") == nullptr && root.find("op") != nullptr;
  if (!root.is_list() && !lone) return root;
  YamlNode whole;
  whole.kind = YamlNode::Kind::map;
  if (root.is_list()) {
    put(whole, "kernels", std::move(root));
    return whole;
  }
  YamlNode kernels;
  kernels.kind = YamlNode::Kind::list;
  YamlNode entry;
  entry.kind = YamlNode::Kind::map;
  entry.line = root.line;
  entry.column = root.column;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    auto& target = root.keys[i].text == "schema" || root.keys[i].text == "gpu" ? whole : entry;
    target.keys.push_back(std::move(root.keys[i]));
    target.items.push_back(std::move(root.items[i]));
  }
  kernels.items.push_back(std::move(entry));
  put(whole, "kernels", std::move(kernels));
  return whole;
}

/// Keys of kernel entries that a variable may stand for: scalar sizes, not the entry's own words.
bool may_vary(const YamlNode& key, const YamlNode& value) {
  constexpr std::string_view kWords[] = {"name", "op", "dtype", "timing", "time", "path", "link", "launch_cost", "phase",
                                         "kind", "impl", "mask", "format", "note", "description", "match", "activation"};
  return value.is_scalar() && std::find(std::begin(kWords), std::end(kWords), key.text) == std::end(kWords);
}

class Editor {
 public:
  explicit Editor(const YamlDocument& document) : document_(document), root_(general_form(document.root())) {}

  std::optional<Error> set(const std::string& name, const YamlNode& value) {
    if (auto* params = find(root_, "params"); params && params->is_map() && find(*params, name)) {
      put(*params, name, value);
      return std::nullopt;
    }
    const auto entries = entries_with(name);
    if (entries.empty()) return unknown(name);
    for (auto* entry : entries) put(*entry, name, scalar(name));
    put(params_map(), name, value);
    return std::nullopt;
  }

  std::optional<Error> promote(const std::string& name) {
    if (auto* params = find(root_, "params"); params && params->is_map() && find(*params, name)) return std::nullopt;
    const auto entries = entries_with(name);
    if (entries.empty()) return unknown(name);
    const YamlNode value = *find(*entries.front(), name);
    for (auto* entry : entries)
      if (find(*entry, name)->text != value.text)
        return Error{Code::contradiction, document_.where(*find(*entry, name)),
                     "the kernels give '" + name + "' different values, so it is no one variable",
                     "name it in params: and use it in the kernels that shall follow it", {}};
    if (value.text == name) return unknown(name);
    for (auto* entry : entries) put(*entry, name, scalar(name));
    put(params_map(), name, value);
    return std::nullopt;
  }

  void set_dtype(const std::string& dtype) {
    const auto replace = [&](YamlNode* map) {
      if (map && map->is_map() && find(*map, "dtype")) put(*map, "dtype", scalar(dtype));
    };
    replace(find(root_, "defaults"));
    if (auto* kernels = find(root_, "kernels"))
      for (auto& entry : kernels->items) replace(&entry);
  }

  YamlDocument take(std::string file) && { return document_.with_root(std::move(root_), std::move(file)); }

 private:
  YamlNode& params_map() {
    if (auto* params = find(root_, "params"); params && params->is_map()) return *params;
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    put(root_, "params", std::move(map));
    return *find(root_, "params");
  }

  std::vector<YamlNode*> entries_with(const std::string& name) {
    std::vector<YamlNode*> found;
    auto* kernels = find(root_, "kernels");
    if (!kernels) return found;
    for (auto& entry : kernels->items)
      for (std::size_t i = 0; entry.is_map() && i < entry.keys.size(); ++i)
        if (entry.keys[i].text == name && may_vary(entry.keys[i], entry.items[i])) found.push_back(&entry);
    return found;
  }

  Error unknown(const std::string& name) {
    std::vector<std::string_view> names;
    if (auto* params = find(root_, "params"))
      for (const auto& key : params->keys) names.push_back(key.text);
    if (auto* kernels = find(root_, "kernels"))
      for (const auto& entry : kernels->items)
        for (std::size_t i = 0; entry.is_map() && i < entry.keys.size(); ++i)
          if (may_vary(entry.keys[i], entry.items[i]) && std::find(names.begin(), names.end(), entry.keys[i].text) == names.end())
            names.push_back(entry.keys[i].text);
    auto hint = did_you_mean(name, names);
    if (hint.empty() && !names.empty()) hint = "it has: " + joined(std::vector<std::string>(names.begin(), names.end()));
    Location where;
    where.file = document_.file();
    return {Code::unknown_name, std::move(where), "no variable '" + printable(name) + "' in this description", std::move(hint), {}};
  }

  const YamlDocument& document_;
  YamlNode root_;
};

}  // namespace

Checked<YamlDocument> with_overrides(const YamlDocument& document, std::span<const Override> overrides,
                                     const std::optional<std::string>& dtype) {
  Editor editor(document);
  Errors errors;
  for (const auto& item : overrides)
    if (auto error = editor.set(item.name, value_node(item.value))) errors.push_back(std::move(*error));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (dtype) editor.set_dtype(*dtype);
  return std::move(editor).take(dtype ? document.file() + " (dtype " + *dtype + ")" : document.file());
}

Checked<YamlDocument> with_variable(const YamlDocument& document, const std::string& name) {
  Editor editor(document);
  if (auto error = editor.promote(name)) return tl::unexpected(Errors{std::move(*error)});
  return std::move(editor).take(document.file());
}

}  // namespace roofline
