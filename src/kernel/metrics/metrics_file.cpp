#include "kernel/metrics/metrics_file.hpp"

#include <algorithm>
#include <charconv>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr int kMostPasses = 64;

class MetricsReader {
 public:
  explicit MetricsReader(const YamlDocument& document) : document_(document) {}

  Checked<MetricsFile> read() {
    YamlMap file(document_, document_.root(), "the file of metric sets", errors_);
    if (text(file, "schema") != "roofline.metrics/1")
      error(document_.root(), "the schema must be roofline.metrics/1");
    if (const auto* node = file.need("source")) read_source(*node);
    if (const auto* node = file.need("roles")) read_roles(*node);
    if (const auto* node = file.need("tensor_roles")) read_tensor_roles(*node);
    sass_lists_ = file.need("sass_lists");
    if (const auto* node = file.need("families")) read_families(*node);
    file.close();
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(result_);
  }

 private:
  void error(const YamlNode& node, std::string what, std::string hint = {}) {
    errors_.push_back(
        {Code::contradiction, document_.where(node), std::move(what), std::move(hint), {}});
  }

  std::string text(YamlMap& map, std::string_view key) {
    const auto* node = map.need(key);
    if (!node) return {};
    return read_text(document_, *node, key, errors_).value_or(std::string{});
  }
  std::vector<std::string> names(const YamlNode& node, std::string_view what) {
    return read_names(document_, node, what, errors_).value_or(std::vector<std::string>{});
  }
  std::vector<std::string> names(YamlMap& map, std::string_view key, bool needed) {
    const auto* node = needed ? map.need(key) : map.find(key);
    return node ? names(*node, key) : std::vector<std::string>{};
  }

  void read_source(const YamlNode& node) {
    YamlMap source(document_, node, "source", errors_);
    result_.toolkit = text(source, "toolkit");
    text(source, "cupti_api_version");
    text(source, "method");
    source.close();
  }

  void read_roles(const YamlNode& node) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      const auto& key = node.keys[i];
      const auto found = std::find(kRoleNames.begin(), kRoleNames.end(), key.text);
      if (found == kRoleNames.end()) {
        error(key, "no figure is computed from \"" + key.text + '"',
              did_you_mean(key.text, kRoleNames));
        continue;
      }
      const auto role = static_cast<Role>(found - kRoleNames.begin());
      for (auto& metric : names(node.items[i], key.text))
        result_.roles.emplace_back(std::move(metric), role);
    }
  }

  void read_tensor_roles(const YamlNode& node) {
    for (std::size_t i = 0; i < node.keys.size(); ++i)
      for (auto& metric : names(node.items[i], node.keys[i].text))
        result_.tensor_pipes.emplace_back(std::move(metric), node.keys[i].text);
  }

  void check_meanings(const YamlNode& node, const std::vector<std::string>& metrics) {
    for (const auto& metric : metrics) {
      if (metric.find("__ops_path_tensor") == std::string::npos) continue;
      const bool known = std::any_of(result_.tensor_pipes.begin(), result_.tensor_pipes.end(),
                                     [&](const auto& row) { return row.first == metric; });
      if (!known) error(node, metric + " has no row under tensor_roles");
    }
  }

  MetricsFile::Set read_set(YamlMap& map, const YamlNode& node) {
    MetricsFile::Set set;
    set.hw = names(map, "hw", true);
    check_meanings(node, set.hw);
    const std::string passes = text(map, "hw_passes");
    const auto [end, failed] =
        std::from_chars(passes.data(), passes.data() + passes.size(), set.hw_passes);
    const bool whole = failed == std::errc() && end == passes.data() + passes.size();
    if (!whole || set.hw_passes < 1 || set.hw_passes > kMostPasses)
      error(node, "hw_passes must be a number of passes, from 1");
    return set;
  }
  MetricsFile::Set read_set(YamlMap& family, std::string_view key, bool needed) {
    const auto* node = needed ? family.need(key) : family.find(key);
    if (!node) return {};
    YamlMap map(document_, *node, key, errors_);
    auto set = read_set(map, *node);
    map.close();
    return set;
  }

  std::uint32_t read_types(YamlMap& map, const YamlNode& node) {
    std::uint32_t types = 0;
    for (const auto& name : names(map, "types", true)) {
      const auto* found = std::find_if(std::begin(kTensorTypes), std::end(kTensorTypes),
                                       [&](const auto& row) { return row.name == name; });
      if (found == std::end(kTensorTypes))
        error(node, '"' + name + "\" is no tensor type");
      else
        types |= found->bit;
    }
    return types;
  }

  void read_tensor(const YamlNode& node, MetricsFile::Family& family) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      YamlMap map(document_, node.items[i], "a tensor set", errors_);
      MetricsFile::TensorSet set;
      set.name = node.keys[i].text;
      set.types = read_types(map, node.items[i]);
      if (map.find("path")) set.path = text(map, "path");
      set.set = read_set(map, node.items[i]);
      map.close();
      family.tensor.push_back(std::move(set));
    }
  }

  void read_families(const YamlNode& node) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      YamlMap map(document_, node.items[i], "a family", errors_);
      MetricsFile::Family family;
      family.name = node.keys[i].text;
      family.chips = names(map, "chips", true);
      family.compute_capability = text(map, "compute_capability");
      const std::string sass = text(map, "sass");
      const auto* list = sass_lists_ ? sass_lists_->find(sass) : nullptr;
      if (list)
        family.sass = names(*list, "a list of instrumented counters");
      else
        error(node.items[i], "there is no list \"" + sass + "\" under sass_lists");
      family.core = read_set(map, "core", true);
      if (const auto* tensor = map.find("tensor")) read_tensor(*tensor, family);
      family.tensor_all = read_set(map, "tensor_all", !family.tensor.empty());
      family.memory = read_set(map, "memory", false);
      family.peaks = names(map, "peaks", true);
      family.sampling = names(map, "sampling", false);
      map.close();
      result_.families.push_back(std::move(family));
    }
  }

  const YamlDocument& document_;
  const YamlNode* sass_lists_ = nullptr;
  Errors errors_;
  MetricsFile result_;
};

}  // namespace

Checked<MetricsFile> read_metrics(const YamlDocument& document) {
  return MetricsReader(document).read();
}

}  // namespace roofline
