#include "report/page/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::phrases {
namespace {

constexpr std::size_t kLongestName =
    512;  ///< bytes of a name that are looked at; a symbol may be megabytes

/// "8192 x 4096"; of one axis "67 108 864 elements".
std::string sizes_text(const ValueList& list) {
  std::string text;
  for (const auto& item : list) {
    const auto* count = std::get_if<Count>(&item.data);
    if (!count) return std::to_string(list.size());
    if (list.size() == 1) return grouped(*count) + " elements";
    if (!text.empty()) text += " x ";
    text += count->to_string();
  }
  return text.empty() ? "one element" : text;
}

/// "2 inputs", "1 input".
std::string counted(std::size_t count, std::string_view names) {
  const bool one = count == 1 && names.ends_with('s');
  return fmt::format("{} {}", count, one ? names.substr(0, names.size() - 1) : names);
}

/// What most descriptions leave at one, and what says nothing then.
bool is_silent(const ParamSpec& param, Count count) {
  return param.name == "batch" && count == Count(1);
}

bool is_default(const ParamSpec& param, std::string_view text) {
  return !param.required &&
         (param.default_value == text || (param.default_value.empty() && text == "0"));
}

/// The bare sizes of a product or of a matrix need no names: everybody knows the order.
bool is_bare_size(std::string_view name) {
  constexpr std::string_view kBare[] = {"m", "n", "k", "rows", "cols", "shape", "grid"};
  return std::find(std::begin(kBare), std::end(kBare), name) != std::end(kBare);
}

void append(std::string& text, std::string_view word, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += word;
}

}  // namespace

std::string percent(double share) {
  const double value = share * 100;
  if (!std::isfinite(value)) return "-";
  // 99.97 is not all; what sums of shares lack by rounding is nothing.
  constexpr double kRounding = 1e-9;
  if (value > 99 && value < 100 - kRounding) return fmt::format("{:.2f} %", value);
  if (value >= 9.95 || value == 0) return fmt::format("{:.0f} %", value);
  if (value >= 0.995) return fmt::format("{:.1f} %", value);
  return fmt::format("{:.2g} %", value);
}

std::string times(double ratio) {
  if (ratio >= 100) return fmt::format("{}x", format_number(std::round(ratio)));
  return fmt::format("{:.{}f}x", ratio, ratio >= 10 ? 1 : 2);
}

std::string seconds(Seconds time) { return format_seconds(time); }
std::string bytes(Count amount) { return format_bytes(amount.to_double()); }
std::string flops(Count amount) { return format_quantity(amount.to_double(), "FLOP"); }
std::string intensity(Intensity value) { return format_number(value.value()) + " FLOP/B"; }

std::string grouped(Count value) {
  auto digits = value.to_string();
  if (digits.size() <= 4) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

std::string amount(const ResourceTime& item) {
  const auto unit = item.ceiling.unit();  // "B/s", "FLOP/s", "op/s"
  return format_quantity(item.amount.to_double(), unit.substr(0, unit.size() - 2));
}

std::string rate(const Ceiling& ceiling) {
  return format_quantity(ceiling.per_second, ceiling.unit());
}

std::string ceiling_name(const Ceiling& ceiling) {
  auto name = resource_title(ceiling.resource);
  if (ceiling.resource.pipe.kind == PipeKind::tensor && ceiling.resource.is_compute())
    name += ceiling.sparse ? ", 2:4 sparse" : ", dense";
  if (ceiling.mma_sync) name += ", mma.sync";
  if (ceiling.kind != CeilingKind::datasheet)
    name += ", " + std::string(ceiling_kind_name(ceiling.kind));
  return name;
}

std::string denominator(const Ceiling& ceiling) {
  return rate(ceiling) + " " + ceiling_name(ceiling);
}

std::string kernel_name(const Kernel& kernel) {
  const auto name = printable(std::string_view(kernel.name).substr(0, kLongestName));
  return name.empty() ? "(unnamed)" : name;
}

std::string short_name(const Kernel& kernel) {
  constexpr std::size_t kWidth = 40;
  return shortened_middle(kernel_name(kernel), kWidth);
}

std::string shape(const Kernel& kernel) {
  if (!kernel.op) return {};
  std::string bare, named;
  for (const auto& param : kernel.op->params) {
    const auto* value = kernel.input.find(param.name);
    if (!value) continue;
    if (const auto* count = std::get_if<Count>(&value->data)) {
      const auto text = count->to_string();
      if (is_default(param, text) || is_silent(param, *count)) continue;
      if (is_bare_size(param.name))
        append(bare, text, " x ");
      else
        append(named, fmt::format("{}={}", param.name, text), ", ");
    } else if (const auto* list = std::get_if<ValueList>(&value->data)) {
      const bool sizes = param.type == ParamType::counts;
      if (sizes && is_bare_size(param.name))
        append(bare, sizes_text(*list), " x ");
      else if (sizes)
        append(named, fmt::format("{}={}", param.name, sizes_text(*list)), ", ");
      else
        append(named, counted(list->size(), param.name), ", ");
    } else if (const auto* flag = std::get_if<bool>(&value->data)) {
      if (!is_default(param, *flag ? "true" : "false"))
        append(named, *flag ? std::string(param.name) : "no " + std::string(param.name), ", ");
    } else if (const auto* word = std::get_if<std::string>(&value->data)) {
      if (!is_default(param, *word)) append(named, printable(*word), ", ");
    }
  }
  if (!named.empty()) append(bare, named, ", ");
  return bare;
}

std::string compact_shape(const Kernel& kernel) {
  std::string text = shape(kernel);
  for (auto at = text.find(" x "); at != std::string::npos; at = text.find(" x ", at))
    text.replace(at, 3, "x");
  for (auto at = text.find(" elements"); at != std::string::npos; at = text.find(" elements", at))
    text.erase(at, 9);
  for (auto at = text.find(", "); at != std::string::npos; at = text.find(", ", at))
    text.replace(at, 2, " ");
  return text;
}

std::string without_unit(std::string text, std::string_view unit) {
  if (text.ends_with(unit)) text.erase(text.size() - unit.size());
  return std::string(trimmed(text));
}

std::string dtypes(const Kernel& kernel) {
  if (!kernel.op) return {};
  std::string text, only;
  bool one = true;
  for (const auto& operand : kernel.op->operands) {
    if (!kernel.input.has_dtype(operand.name)) continue;
    for (const auto dtype : kernel.input.dtype_list(operand.name)) {
      const std::string name(describe(dtype).name);
      if (only.empty()) only = name;
      one = one && only == name;
    }
    append(text,
           fmt::format("{} {}", operand.name, describe(kernel.input.dtype(operand.name)).name),
           ", ");
  }
  return one ? only : text;
}

std::string point(std::span<const Binding> point) {
  std::string text;
  for (const auto& [name, value] : point)
    append(text, fmt::format("{} = {}", printable(name), value.to_string()), ", ");
  return text;
}

std::string bound_cell(const Verdict& verdict) {
  std::string cell(bound_name(verdict.bound));
  const auto* limiting = verdict.floor.limiting();
  if (verdict.bound == Bound::overhead && verdict.side)
    cell += fmt::format(" ({} side)", side_name(*verdict.side));
  const bool other_pipe = verdict.bound == Bound::compute && limiting && verdict.headline &&
                          !(limiting->ceiling.resource == verdict.headline->resource);
  if (other_pipe) cell += ", " + resource_title(limiting->ceiling.resource);
  if (verdict.bound == Bound::link && limiting)
    cell += ", " + resource_title(limiting->ceiling.resource);
  if (verdict.balanced) cell += ", balanced";
  return cell;
}

std::string side(Side side) {
  return side == Side::memory ? "left of the ridge (memory side)"
                              : "right of the ridge (compute side)";
}

std::string status(Status status) {
  switch (status) {
    case Status::impossible: return "impossible";
    case Status::at_ceiling: return "at its ceiling";
    case Status::near: return "near";
    case Status::under_roof: return "under the roof";
  }
  return {};
}

std::string lever(const Lever& lever) {
  if (!lever.saves_up_to || lever.saves_up_to->value() <= 0) return lever.text;
  const auto most = seconds(*lever.saves_up_to);
  return lever.text.find(most) != std::string::npos
             ? lever.text
             : fmt::format("{} (saves {} at most)", lever.text, most);
}

}  // namespace roofline::phrases
