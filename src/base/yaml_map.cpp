#include <algorithm>

#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline {
namespace {

constexpr std::size_t kQuoted = 60;    ///< columns of a value that a message repeats
constexpr std::size_t kMostKeys = 20;  ///< unknown keys of one map that are reported

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "a single value";
    case YamlNode::Kind::list: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "nothing";
}

std::string in_quotes(std::string_view text) {
  return '"' + shortened(printable(text.substr(0, 1000)), kQuoted) + '"';
}

void report(const YamlDocument& document, const YamlNode& node, Errors& errors, std::string what,
            std::string hint = {}) {
  errors.push_back({Code::wrong_type, document.where(node), std::move(what), std::move(hint), {}});
}

}  // namespace

YamlMap::YamlMap(const YamlDocument& document, const YamlNode& node, std::string_view what,
                 Errors& errors)
    : document_(document), what_(what), errors_(errors) {
  if (node.is_map()) {
    node_ = &node;
    constexpr std::size_t kUsual =
        16;  // keys that a reader asks for; a spec entry opens some sixty maps
    asked_.reserve(kUsual);
    return;
  }
  report(document, node, errors,
         what_ + " must be a map of keys and values, not " + std::string(kind_name(node)));
}

const YamlNode* YamlMap::find(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  return node_ == nullptr ? nullptr : node_->find(key);
}

const YamlNode* YamlMap::need(std::string_view key) {
  const auto* found = find(key);
  if (found == nullptr && node_ != nullptr)
    errors_.push_back({Code::missing_key,
                       document_.where(*node_),
                       what_ + " needs the key \"" + std::string(key) + '"',
                       {},
                       {}});
  return found;
}

void YamlMap::close() {
  if (node_ == nullptr) return;
  const auto is_asked = [&](const YamlNode& key) {
    return std::find(asked_.begin(), asked_.end(), key.text) != asked_.end();
  };
  const auto unknown = static_cast<std::size_t>(
      std::count_if(node_->keys.begin(), node_->keys.end(), std::not_fn(is_asked)));
  if (unknown == 0) return;
  // A key that is given cannot be what another one was meant to be.
  std::vector<std::string_view> absent;
  for (const auto& key : asked_)
    if (node_->find(key) == nullptr) absent.emplace_back(key);
  std::size_t shown = 0;
  for (const auto& key : node_->keys) {
    if (is_asked(key)) continue;
    Error error{Code::unknown_key,
                document_.where(key),
                "unknown key " + in_quotes(key.text),
                did_you_mean(key.text, absent),
                {}};
    if (error.hint.empty()) error.hint = what_ + " has the keys " + joined(asked_);
    if (++shown == kMostKeys && unknown > shown)
      error.note = std::to_string(unknown - shown) + " more keys of this map are unknown";
    errors_.push_back(std::move(error));
    if (shown == kMostKeys) break;
  }
}

std::optional<std::string> read_text(const YamlDocument& document, const YamlNode& node,
                                     std::string_view what, Errors& errors) {
  if (node.is_scalar()) return node.text;
  report(document, node, errors,
         std::string(what) + " must be a text, not " + std::string(kind_name(node)));
  return std::nullopt;
}

std::optional<bool> read_flag(const YamlDocument& document, const YamlNode& node,
                              std::string_view what, Errors& errors) {
  if (node.is_scalar() && !node.quoted && (node.text == "true" || node.text == "false"))
    return node.text == "true";
  const auto given = node.is_scalar() ? in_quotes(node.text) : std::string(kind_name(node));
  report(document, node, errors, std::string(what) + " must be true or false, not " + given,
         "write true or false");
  return std::nullopt;
}

std::optional<std::vector<std::string>> read_names(const YamlDocument& document,
                                                   const YamlNode& node, std::string_view what,
                                                   Errors& errors) {
  if (node.is_scalar()) return std::vector<std::string>{node.text};
  if (!node.is_list()) {
    report(document, node, errors,
           std::string(what) + " must be a name or a list of names, not " +
               std::string(kind_name(node)));
    return std::nullopt;
  }
  std::vector<std::string> names;
  const auto before = errors.size();
  for (const auto& item : node.items) {
    if (item.is_scalar()) {
      names.push_back(item.text);
    } else {
      report(
          document, item, errors,
          std::string(what) + " must be a list of names; this is " + std::string(kind_name(item)));
      break;
    }
  }
  if (errors.size() != before) return std::nullopt;
  return names;
}

}  // namespace roofline
