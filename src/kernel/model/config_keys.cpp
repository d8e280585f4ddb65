#include "kernel/model/config_keys.hpp"

#include <algorithm>

#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::model {
namespace {

/// More than any size of a model; keeps every product of two or three of them far from 2^127.
constexpr Count kMost = Count(1LL << 40);

std::string_view kind_of(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "null";
    case YamlNode::Kind::scalar: return node.quoted ? "text" : "a value";
    case YamlNode::Kind::list: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "null";
}

std::string shown(const YamlNode& node) {
  return node.is_scalar() ? quoted(node.text) : std::string(kind_of(node));
}

/// Keys of a multimodal config that hold for its language model unless that says otherwise.
bool is_shared(std::string_view key) {
  return key == "tie_word_embeddings" || key == "torch_dtype" || key == "dtype" ||
         key == "quantization_config";
}

bool same(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind) return false;
  return !a.is_scalar() || a.text == b.text;
}

}  // namespace

const YamlNode* ConfigKeys::lookup(std::string_view key) const {
  if (const auto* node = map_.find(key); node != nullptr && !node->is_null()) return node;
  if (outer_ == nullptr || !is_shared(key)) return nullptr;
  const auto* node = outer_->find(key);
  return node != nullptr && !node->is_null() ? node : nullptr;
}

const YamlNode* ConfigKeys::find(std::string_view keys) {
  const YamlNode* found = nullptr;
  std::string_view first;
  each_word(keys, [&](std::string_view key) {
    const bool known = std::find(asked_.begin(), asked_.end(), key) != asked_.end();
    if (!known) asked_.push_back(key);
    const auto* node = lookup(key);
    if (node == nullptr) return false;
    if (found == nullptr) {
      found = node;
      first = key;
    } else if (!known && !same(*found, *node)) {
      errors_.push_back({Code::contradiction,
                         document_.where(*node),
                         std::string(key) + " is " + shown(*node) + ", but " + std::string(first) +
                             " is " + shown(*found),
                         "they are two names of one thing",
                         {}});
    }
    return false;
  });
  return found;
}

std::string_view ConfigKeys::first_of(std::string_view keys) {
  std::string_view first = keys.substr(0, keys.find(' '));
  know(keys);
  each_word(keys, [&](std::string_view key) {
    if (lookup(key) == nullptr) return false;
    first = key;
    return true;
  });
  return first;
}

std::optional<Count> ConfigKeys::count(std::string_view keys, Count minimum) {
  const auto* node = find(keys);
  if (node == nullptr) return std::nullopt;
  const auto name = std::string(keys.substr(0, keys.find(' ')));
  if (!node->is_scalar() || node->quoted) {
    errors_.push_back({Code::wrong_type,
                       document_.where(*node),
                       name + " must be a whole number, not " + shown(*node),
                       {},
                       {}});
    return std::nullopt;
  }
  if (minimum < Count(0) && node->text == "-1") return Count(-1);
  const auto value = parse_count(node->text);
  if (!value) {
    errors_.push_back({Code::bad_number,
                       document_.where(*node),
                       name + " must be a whole number, not " + shown(*node),
                       value.error().hint,
                       {}});
    return std::nullopt;
  }
  if (value->overflowed() || *value < minimum || *value > kMost) {
    errors_.push_back(
        {Code::out_of_range,
         document_.where(*node),
         name + " is " + node->text,
         *value < minimum ? "it is at least " + minimum.to_string() : "it is at most 2^40",
         {}});
    return std::nullopt;
  }
  return *value;
}

Count ConfigKeys::need(std::string_view keys, std::string_view what) {
  const auto before = errors_.size();
  if (const auto value = count(keys)) return *value;
  if (errors_.size() == before) {
    const auto first = std::string(keys.substr(0, keys.find(' ')));
    errors_.push_back({Code::missing_key,
                       document_.where(map_),
                       "the config does not say " + std::string(what),
                       "it needs the key \"" + first + '"',
                       {}});
  }
  return 1;
}

Count ConfigKeys::count_or(std::string_view keys, Count otherwise, Count minimum) {
  if (keys.empty()) return otherwise;
  return count(keys, minimum).value_or(otherwise);
}

double ConfigKeys::number_or(std::string_view keys, double otherwise) {
  const auto* node = find(keys);
  if (node == nullptr) return otherwise;
  const auto value = node->is_scalar() && !node->quoted ? parse_number(node->text)
                                                        : Result<double>(tl::unexpected(Error{}));
  if (value) return *value;
  errors_.push_back(
      {Code::wrong_type,
       document_.where(*node),
       std::string(keys.substr(0, keys.find(' '))) + " must be a number, not " + shown(*node),
       {},
       {}});
  return otherwise;
}

bool ConfigKeys::flag(Choice choice) {
  if (choice.keys.empty()) return choice.otherwise;
  const auto* node = find(choice.keys);
  if (node == nullptr) return choice.otherwise;
  return read_flag(document_, *node, choice.keys.substr(0, choice.keys.find(' ')), errors_)
      .value_or(choice.otherwise);
}

std::optional<std::string> ConfigKeys::text(std::string_view keys) {
  const auto* node = find(keys);
  if (node == nullptr) return std::nullopt;
  return read_text(document_, *node, keys.substr(0, keys.find(' ')), errors_);
}

std::vector<std::string> ConfigKeys::names(std::string_view key) {
  const auto* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_list()) {
    errors_.push_back({Code::wrong_type,
                       document_.where(*node),
                       std::string(key) + " must be a list of names, not " + shown(*node),
                       {},
                       {}});
    return {};
  }
  return read_names(document_, *node, key, errors_).value_or(std::vector<std::string>{});
}

std::vector<Count> ConfigKeys::counts(std::string_view key) {
  const auto* node = find(key);
  if (node == nullptr) return {};
  std::vector<Count> list;
  if (node->is_list())
    for (const auto& item : node->items) {
      const auto value =
          item.is_scalar() ? parse_count(item.text) : Result<Count>(tl::unexpected(Error{}));
      if (!value) {
        errors_.push_back(
            {Code::bad_number,
             document_.where(item),
             std::string(key) + " must be a list of whole numbers; this is " + shown(item),
             {},
             {}});
        return {};
      }
      list.push_back(*value);
    }
  else
    errors_.push_back({Code::wrong_type,
                       document_.where(*node),
                       std::string(key) + " must be a list of whole numbers, not " + shown(*node),
                       {},
                       {}});
  return list;
}

Location ConfigKeys::where(std::string_view keys) const {
  const YamlNode* node = nullptr;
  each_word(keys, [&](std::string_view key) {
    node = lookup(key);
    return node != nullptr;
  });
  return document_.where(node != nullptr ? *node : map_);
}

void ConfigKeys::fail(Code code, std::string_view keys, std::string what, std::string hint) {
  errors_.push_back({code, where(keys), std::move(what), std::move(hint), {}});
}

std::vector<const YamlNode*> ConfigKeys::unasked() const {
  std::vector<const YamlNode*> list;
  for (std::size_t i = 0; i < map_.keys.size(); ++i)
    if (std::find(asked_.begin(), asked_.end(), map_.keys[i].text) == asked_.end())
      list.push_back(&map_.keys[i]);
  return list;
}

void ConfigKeys::know(std::string_view keys) {
  each_word(keys, [&](std::string_view key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
    return false;
  });
}

}  // namespace roofline::model
