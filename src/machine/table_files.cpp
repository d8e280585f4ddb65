#include "machine/table_files.hpp"

#include <algorithm>

#include "machine/gpu_file.hpp"
#include "machine/spec_reader.hpp"

namespace roofline {

Checked<std::vector<Source>> read_sources(const YamlDocument& document) {
  Errors errors;
  SpecReader reader(document, {}, errors);
  YamlMap file(document, document.root(), "the list of sources", errors);
  if (!file.ok()) return tl::unexpected(errors);
  reader.schema(file, "roofline.sources/1");
  if (const YamlNode* node = file.need("sources")) reader.add_own_sources(*node);
  file.close();
  if (!errors.empty()) return tl::unexpected(errors);
  std::vector<Source> sources = reader.own_sources();
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.key < b.key; });
  return sources;
}

Checked<Source> read_one_source(const YamlDocument& document, std::string_view key) {
  Errors errors;
  SpecReader reader(document, {}, errors);
  auto source = read_source(reader, key, document.root());
  if (!source || !errors.empty()) return tl::unexpected(errors);
  return *source;
}

Checked<TableDefaults> read_defaults(const YamlDocument& document, std::span<const std::string_view> source_keys) {
  Errors errors;
  SpecReader reader(document, source_keys, errors);
  YamlMap file(document, document.root(), "the defaults", errors);
  if (!file.ok()) return tl::unexpected(errors);
  TableDefaults defaults;
  reader.schema(file, "roofline.defaults/1");
  if (const YamlNode* node = file.need("revision")) {
    defaults.revision = read_text(document, *node, "revision", errors).value_or(std::string{});
  }
  if (const YamlNode* node = file.need("order")) {
    defaults.order = read_names(document, *node, "order", errors).value_or(std::vector<std::string>{});
  }
  file.need("launch_floor");
  if (const auto floor = read_launch_floor(reader, file)) defaults.launch_floor = *floor;
  file.close();
  if (!errors.empty()) return tl::unexpected(errors);
  return defaults;
}

}  // namespace roofline
