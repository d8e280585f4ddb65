#include "machine/embed/spec_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "machine/architecture_file.hpp"
#include "machine/gpu_file.hpp"
#include "machine/name_index.hpp"
#include "roofline/base/archive.hpp"
#include "roofline/base/input.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kFileLimit = std::size_t{4} << 20;

void append(Errors& errors, const Errors& more) { errors.insert(errors.end(), more.begin(), more.end()); }

std::vector<fs::path> files_below(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == extension) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class TreeReader {
 public:
  explicit TreeReader(const std::string& folder) : folder_(folder) {}

  Checked<SpecTree> read() {
    read_all_sources();
    read_all_defaults();
    read_architectures();
    read_gpus();
    index_names();
    read_verbatim();
    if (!errors_.empty()) return tl::unexpected(errors_);
    return std::move(tree_);
  }

 private:
  void error(const fs::path& file, std::string what) {
    errors_.push_back({Code::contradiction, {file.string(), 0, 0, 1, {}}, std::move(what), {}, {}});
  }

  std::optional<YamlDocument> document(const fs::path& path) {
    auto text = read_input(path.string(), kFileLimit);
    if (!text) {
      errors_.push_back(text.error());
      return std::nullopt;
    }
    auto parsed = read_yaml(std::move(*text), path.string());
    if (!parsed) {
      append(errors_, parsed.error());
      return std::nullopt;
    }
    return std::move(*parsed);
  }

  std::vector<std::string_view> source_keys() const { return {source_keys_.begin(), source_keys_.end()}; }

  void read_all_sources() {
    const auto file = document(folder_ / "sources.yaml");
    if (!file) return;
    const auto sources = read_sources(*file);
    if (!sources) return append(errors_, sources.error());
    const YamlNode* table = file->root().find("sources");
    for (const Source& source : *sources) {
      source_keys_.push_back(source.key);
      tree_.sources.push_back({source.key, pack(*table->find(source.key))});
    }
  }

  void read_all_defaults() {
    const auto file = document(folder_ / "defaults.yaml");
    if (!file) return;
    auto defaults = read_defaults(*file, source_keys());
    if (!defaults) return append(errors_, defaults.error());
    defaults_ = std::move(*defaults);
    tree_.revision = defaults_.revision;
    tree_.defaults = pack(file->root());
  }

  void read_architectures() {
    const auto keys = source_keys();
    for (const fs::path& path : files_below(folder_ / "architectures", ".yaml")) {
      const auto file = document(path);
      if (!file) continue;
      auto chip = read_architecture(*file, keys);
      if (!chip) {
        append(errors_, chip.error());
        continue;
      }
      if (chip->id != path.stem()) error(path, fmt::format("the id is {}, the file is not named so", chip->id));
      tree_.architectures.push_back({chip->id, pack(file->root())});
      chips_.emplace(chip->id, std::move(*chip));
    }
  }

  SpecReferences references(const std::vector<std::string_view>& keys, const std::vector<std::string_view>& chips) {
    return {keys, chips, [this](std::string_view id) -> Checked<Architecture> { return chips_.at(std::string(id)); }};
  }

  std::optional<Gpu> checked_gpu(const fs::path& path, std::string& bytes) {
    const auto keys = source_keys();
    std::vector<std::string_view> chips;
    for (const PackedSpec& chip : tree_.architectures) chips.push_back(chip.id);
    const auto file = document(path);
    if (!file) return std::nullopt;
    auto gpu = read_gpu(*file, references(keys, chips));
    if (!gpu) {
      append(errors_, gpu.error());
      return std::nullopt;
    }
    for (const std::string& failure : verify(*gpu).failures) error(path, failure);
    bytes = pack(file->root());
    return std::move(*gpu);
  }

  void read_gpus() {
    for (const std::string& id : defaults_.order) {
      const fs::path path = folder_ / "gpus" / (id + ".yaml");
      std::string bytes;
      auto gpu = checked_gpu(path, bytes);
      if (!gpu) continue;
      if (gpu->id != id) error(path, fmt::format("the id is {}, the file is not named so", gpu->id));
      tree_.gpus.push_back({id, std::move(bytes)});
      gpus_.push_back(std::move(*gpu));
    }
    for (const fs::path& path : files_below(folder_ / "gpus", ".yaml")) {
      const auto& order = defaults_.order;
      if (std::find(order.begin(), order.end(), path.stem().string()) != order.end()) continue;
      error(path, "defaults.yaml does not list this entry under order");
    }
  }

  /// Ids and aliases name one entry each; a driver name or PCI id that two entries share is ambiguous at run time.
  void index_names() {
    std::map<std::string, std::size_t> owners;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      std::vector<std::string> spelled = gpus_[i].aliases;
      spelled.push_back(gpus_[i].id);
      for (const std::string& name : spelled) {
        const auto [owner, is_new] = owners.emplace(name_key(name), i);
        if (!is_new && owner->second != i) {
          error(folder_ / "gpus", fmt::format("\"{}\" names both {} and {}", name, gpus_[owner->second].id, gpus_[i].id));
        }
        tree_.spelled.push_back(name);
      }
      for (std::string& key : name_keys(gpus_[i])) tree_.names.push_back({std::move(key), i});
    }
    std::sort(tree_.spelled.begin(), tree_.spelled.end());
    std::sort(tree_.names.begin(), tree_.names.end(), [](const PackedName& a, const PackedName& b) {
      return a.key != b.key ? a.key < b.key : a.gpu < b.gpu;
    });
  }

  void read_verbatim() {
    std::vector<fs::path> files = files_below(folder_ / "schemas", ".json");
    files.insert(files.begin(), folder_ / "rules.yaml");
    files.push_back(folder_ / "template.yaml");
    files.push_back(folder_ / "names.yaml");
    for (const fs::path& path : files) {
      auto text = read_input(path.string(), kFileLimit);
      if (!text) {
        errors_.push_back(text.error());
        continue;
      }
      tree_.files.push_back({path.lexically_relative(folder_).generic_string(), std::move(*text)});
    }
    std::string unused;
    checked_gpu(folder_ / "template.yaml", unused);  // what we tell users to start from must itself be right
  }

  const fs::path folder_;
  Errors errors_;
  SpecTree tree_;
  TableDefaults defaults_;
  std::vector<std::string> source_keys_;
  std::map<std::string, Architecture> chips_;
  std::vector<Gpu> gpus_;
};

}  // namespace

Checked<SpecTree> read_spec_tree(const std::string& folder) { return TreeReader(folder).read(); }

}  // namespace roofline
