#include "roofline/kernel/kernel_kind.hpp"

#include "roofline/base/text.hpp"

namespace roofline {

Checked<KernelKinds> KernelKinds::read(const YamlDocument& document) {
  KernelKinds kinds;
  Errors errors;
  YamlMap map(document, document.root(), "a table of names", errors);
  if (map.ok()) {
    map.find("schema");
    const auto* names = map.need("names");
    for (std::size_t i = 0; names && i < names->items.size(); ++i) {
      YamlMap row(document, names->items[i], "a name", errors);
      if (!row.ok()) continue;
      const auto *kind = row.need("kind"), *regex = row.need("regex");
      row.close();
      if (!kind || !regex) continue;
      auto pattern = Pattern::regex(regex->text);
      if (pattern) {
        kinds.rows_.push_back({kind->text, std::move(*pattern)});
      } else {
        errors.push_back(pattern.error());
        errors.back().where = document.where(*regex);
      }
    }
    map.close();
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return kinds;
}

std::string_view KernelKinds::kind_of(std::string_view full_name) const {
  const auto name = lower_case(full_name);
  for (const auto& row : rows_)
    if (row.pattern.matches(name)) return row.kind;
  return {};
}

}  // namespace roofline
