#include "report/audit/row_fields.hpp"

#include <algorithm>

#include "roofline/base/text.hpp"

namespace roofline::audit_rows {

void split_pairs(std::string_view text, std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  pairs.clear();
  while (!text.empty()) {
    const auto stop = std::min(text.find(';'), text.size());
    const auto pair = text.substr(0, stop);
    const auto equals = pair.find('=');
    const auto key = trimmed(pair.substr(0, equals));
    if (!key.empty())
      pairs.emplace_back(key, equals == std::string_view::npos ? std::string_view() : trimmed(pair.substr(equals + 1)));
    text.remove_prefix(std::min(stop + 1, text.size()));
  }
}

RowFields::RowFields(std::span<const std::string_view> header) {
  for (const auto name : header) names_.push_back(lower_case(trimmed(name)));
  params_ = column("params");
}

int RowFields::column(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return static_cast<int>(i);
  return -1;
}

bool RowFields::set(std::span<const std::string_view> cells) {
  if (cells.size() != names_.size()) return false;
  cells_.assign(cells.begin(), cells.end());
  for (auto& cell : cells_) cell = trimmed(cell);
  if (params_ >= 0) split_pairs(cell(params_), pairs_);
  return true;
}

std::optional<std::string_view> RowFields::find(std::string_view name) const {
  if (const int at = column(name); at >= 0 && !cell(at).empty()) return cell(at);
  for (const auto& [key, value] : pairs_)
    if (key == name && !value.empty()) return value;
  return std::nullopt;
}

}  // namespace roofline::audit_rows
