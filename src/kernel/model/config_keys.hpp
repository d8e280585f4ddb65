#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/model/family.hpp"
#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/quantities/count.hpp"

namespace roofline::model {

/// The keys of one map of a config, read as what they must be. Every getter takes several spellings
/// of a key, separated by spaces; the first one present and not null counts, and others that say
/// something else are a contradiction. What is wrong is collected with its place.
class ConfigKeys {
 public:
  /// `outer`: the map around it (the config of a multimodal model), asked where this one is silent.
  ConfigKeys(const YamlDocument& document, const YamlNode& map, Errors& errors,
             const YamlNode* outer = nullptr)
      : document_(document), map_(map), outer_(outer), errors_(errors) {}

  const YamlNode& map() const { return map_; }
  const YamlDocument& document() const { return document_; }
  const YamlNode* find(std::string_view keys);  ///< nullptr when absent or null
  /// The first of several keys that mean nearly the same: none contradicts another.
  std::string_view first_of(std::string_view keys);
  bool states(std::string_view keys) { return find(keys) != nullptr; }

  std::optional<Count> count(std::string_view keys,
                             Count minimum = 1);  ///< nullopt: absent, or wrong and reported
  Count need(std::string_view keys, std::string_view what);  ///< 1 after a report
  Count count_or(std::string_view keys, Count otherwise, Count minimum = 0);
  double number_or(std::string_view keys, double otherwise);
  bool flag(Choice choice);
  bool flag_or(std::string_view keys, bool otherwise) { return flag({keys, otherwise}); }
  std::optional<std::string> text(std::string_view keys);
  std::vector<std::string> names(std::string_view key);  ///< a list of texts; empty when absent
  std::vector<Count> counts(std::string_view key);  ///< a list of whole numbers; empty when absent

  Location where(std::string_view keys) const;  ///< of the first spelling present, else of the map
  void fail(Code code, std::string_view keys, std::string what, std::string hint = {});
  bool failed() const { return !errors_.empty(); }
  Errors& errors() { return errors_; }

  /// Keys of the map that nobody asked for.
  std::vector<const YamlNode*> unasked() const;
  void know(std::string_view keys);  ///< asked for, without reading

 private:
  const YamlNode* lookup(std::string_view key) const;
  const YamlDocument& document_;
  const YamlNode& map_;
  const YamlNode* outer_;
  Errors& errors_;
  std::vector<std::string_view> asked_;
};

/// Calls `visit` with every word of a list separated by spaces, until it returns true.
template <class Visit>
void each_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const auto space = words.find(' ');
    if (visit(words.substr(0, space))) return;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
}

}  // namespace roofline::model
