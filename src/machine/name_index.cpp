#include "machine/name_index.hpp"

#include <algorithm>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

struct PciVendor {
  std::string_view vendor, id;
};
constexpr PciVendor kPciVendors[] = {
    {"nvidia", "10de"}, {"amd", "1002"}, {"intel", "8086"}, {"apple", "106b"}, {"google", "1ae0"}, {"aws", "1d0f"},
};

bool is_separator(char c) { return c == ' ' || c == '-' || c == '_' || c == '\t'; }

auto first_row(std::string_view key, std::span<const NameRow> rows) {
  return std::lower_bound(rows.begin(), rows.end(), key, [](const NameRow& row, std::string_view k) { return row.key < k; });
}

void drop_front(std::string& text, std::string_view front) {
  if (text.size() > front.size() && text.starts_with(front)) text.erase(0, front.size());
}

/// The name as an id would spell it: separators become single hyphens.
std::string hyphenated(std::string_view name) {
  std::string text;
  for (const char c : lower_case(trimmed(name))) {
    if (!is_separator(c)) {
      text += c;
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (!text.empty() && text.back() == '-') text.pop_back();
  drop_front(text, "nvidia-");
  return text;
}

}  // namespace

std::string name_key(std::string_view name) {
  std::string key = lower_case(name);
  std::erase_if(key, is_separator);
  drop_front(key, "nvidia");
  drop_front(key, "0x");
  return key;
}

std::vector<std::string> name_keys(const Gpu& gpu) {
  std::vector<std::string> keys = {name_key(gpu.id)};
  for (const std::string& alias : gpu.aliases) keys.push_back(name_key(alias));
  if (gpu.device_names) {
    for (const std::string& name : gpu.device_names->value) keys.push_back(name_key(name));
  }
  if (gpu.pci_device_ids) {
    for (const std::string& id : gpu.pci_device_ids->value) {
      keys.push_back(name_key(id));
      for (const PciVendor& row : kPciVendors) {
        if (row.vendor == gpu.vendor) keys.push_back(std::string(row.id) + ":" + name_key(id));
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

bool is_exact_name(std::string_view name, std::span<const NameRow> rows) {
  const std::string key = name_key(name);
  const auto row = first_row(key, rows);
  return row != rows.end() && row->key == key;
}

std::vector<std::size_t> resolve_name(std::string_view name, std::span<const NameRow> rows,
                                      std::span<const std::string_view> ids) {
  std::vector<std::size_t> found;
  const std::string key = name_key(name);
  for (auto row = first_row(key, rows); row != rows.end() && row->key == key; ++row) found.push_back(row->gpu);
  if (!found.empty() || key.empty()) return found;
  const std::string words = hyphenated(name) + "-";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].starts_with(words)) found.push_back(i);
  }
  if (found.size() == 1) found.clear();
  return found;
}

}  // namespace roofline
