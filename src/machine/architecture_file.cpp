#include "machine/architecture_file.hpp"

#include "machine/spec_reader.hpp"

namespace roofline {
namespace {

using Rates = std::array<std::optional<double>, kRateTypes>;

/// `key: {fma_per_clock_per_sm: {fp16: 512, ...}, source: ...}`; absent means that nothing is known.
void read_rates(SpecReader& reader, YamlMap& file, std::string_view key, Rates& rates, Origin& origin) {
  const YamlNode* node = file.find(key);
  if (!node) return;
  YamlMap map(reader.document(), *node, key, reader.errors());
  if (!map.ok()) return;
  const YamlNode* table = map.need("fma_per_clock_per_sm");
  origin = reader.origin(map);
  map.close();
  if (!table) return;
  if (!table->is_map()) {
    reader.error(Code::wrong_type, *table, "fma_per_clock_per_sm must be a map of rate types to numbers", "write {fp16: 512}");
    return;
  }
  for (std::size_t i = 0; i < table->items.size(); ++i) {
    const auto type = reader.rate_type(table->keys[i]);
    const auto rate = reader.plain(table->items[i], "rate");
    if (type && rate) rates[static_cast<std::size_t>(*type)] = *rate;
  }
}

void read_ratios(SpecReader& reader, YamlMap& file, std::vector<RateRatio>& ratios) {
  const YamlNode* list = file.find("fixed_ratios");
  if (!list) return;
  for (const YamlNode& item : list->items) {
    YamlMap map(reader.document(), item, "a ratio", reader.errors());
    const YamlNode *of = map.need("of"), *to = map.need("to"), *ratio = map.need("ratio");
    map.close();
    if (!of || !to || !ratio) continue;
    const auto type_of = reader.rate_type(*of), type_to = reader.rate_type(*to);
    const auto value = reader.plain(*ratio, "ratio");
    if (type_of && type_to && value) ratios.push_back({*type_of, *type_to, *value});
  }
}

void read_texts(SpecReader& reader, YamlMap& file, Architecture& chip) {
  const auto take = [&](std::string_view key, bool required, std::string& into) {
    const YamlNode* node = required ? file.need(key) : file.find(key);
    if (node) into = read_text(reader.document(), *node, key, reader.errors()).value_or(into);
  };
  take("id", true, chip.id);
  take("family", true, chip.family);
  take("compute_capability", false, chip.compute_capability);
  take("sparsity", false, chip.sparsity);
  take("note", false, chip.note);
  if (const YamlNode* node = file.find("cupti_chips")) {
    if (auto names = read_names(reader.document(), *node, "cupti_chips", reader.errors())) chip.cupti_chips = *names;
  }
}

}  // namespace

Checked<Architecture> read_architecture(const YamlDocument& document, std::span<const std::string_view> source_keys) {
  Errors errors;
  SpecReader reader(document, source_keys, errors);
  YamlMap file(document, document.root(), "an architecture", errors);
  if (!file.ok()) return tl::unexpected(errors);
  Architecture chip;
  reader.schema(file, "roofline.architecture/1");
  read_texts(reader, file, chip);
  chip.tensor_unsupported = reader.rate_types(file, "tensor_unsupported");
  chip.vector_unsupported = reader.rate_types(file, "vector_unsupported");
  read_rates(reader, file, "vector", chip.vector_fma, chip.vector_origin);
  read_rates(reader, file, "tensor", chip.tensor_fma, chip.tensor_origin);
  read_rates(reader, file, "tensor_mma_sync", chip.tensor_mma_sync_fma, chip.mma_sync_origin);
  read_rates(reader, file, "tensor_sparse", chip.tensor_sparse_fma, chip.sparse_origin);
  read_ratios(reader, file, chip.fixed_ratios);
  const auto number = [&](std::string_view key) { return reader.number(file, key, std::string(key)); };
  chip.sfu_per_clock_per_sm = number("sfu_per_clock_per_sm");
  chip.shared_bytes_per_clock_per_sm = number("shared_bytes_per_clock_per_sm");
  chip.l2_slice_read_bytes_per_clock = number("l2_slice_read_bytes_per_clock");
  chip.l2_to_sm_bytes_per_clock_per_sm = number("l2_to_sm_bytes_per_clock_per_sm");
  file.close();
  if (!errors.empty()) return tl::unexpected(errors);
  return chip;
}

}  // namespace roofline
