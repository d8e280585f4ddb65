#include "machine/ceilings/output_text.hpp"

#include <algorithm>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::ceilings {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kNumberLetters = "0123456789.";

}  // namespace

OutputText::OutputText(std::string_view text, const std::string& file) : file_(file) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Location OutputText::where(std::size_t index, std::string_view word) const {
  constexpr std::size_t kShown = 160;
  Location place{file_, static_cast<int>(index) + 1, 0, 1, {}, 0};
  const auto line = lines_[index];
  place.source_line = line.substr(0, kShown);
  const auto at = word.empty() ? std::string_view::npos : line.find(word);
  if (at < kShown) {
    place.column = static_cast<int>(at) + 1;
    place.length = static_cast<int>(std::min(word.size(), kShown - at));
  }
  return place;
}

std::string_view OutputText::value(std::string_view key) const {
  for (const auto line : lines_)
    if (const auto text = trimmed(line); text.starts_with(key))
      return trimmed(text.substr(key.size()));
  return {};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t from = 0;;) {
    from = line.find_first_not_of(kBlanks, from);
    if (from == std::string_view::npos) return words;
    const auto to = std::min(line.find_first_of(kBlanks, from), line.size());
    words.push_back(line.substr(from, to - from));
    from = to;
  }
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const auto to = std::min(line.find(separator, from), line.size());
    cells.push_back(trimmed(line.substr(from, to - from)));
    from = to + 1;
  }
  return cells;
}

std::optional<double> leading_number(std::string_view text) {
  text = trimmed(text);
  return whole_number(
      text.substr(0, std::min(text.find_first_not_of(kNumberLetters), text.size())));
}

std::optional<double> whole_number(std::string_view text) {
  const auto number = parse_number(text);
  return number && *number >= 0 ? std::optional(*number) : std::nullopt;
}

std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const auto start = text.find(from);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + from.size());
  const auto end = text.find(to);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

void BestFigures::take(std::string_view name, std::string_view resource, std::string_view unit,
                       double value) {
  auto known = std::find_if(list_.begin(), list_.end(),
                            [&](const auto& ceiling) { return ceiling.name == name; });
  if (known == list_.end()) {
    CalibratedCeiling ceiling;
    ceiling.name = name;
    ceiling.resource = resource;
    ceiling.unit = unit;
    known = list_.insert(list_.end(), std::move(ceiling));
  }
  ++known->samples;
  known->value = std::max(known->value, value);
}

}  // namespace roofline::ceilings
