#include "ingest/xla_details.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace roofline {
namespace {

/// "grid:16,1,1 block:512,1,1 regs:32" -> the numbers behind a word.
std::array<std::uint64_t, 3> numbers_behind(std::string_view text, std::string_view word) {
  std::array<std::uint64_t, 3> numbers{};
  auto at = text.find(word);
  if (at == std::string_view::npos) return numbers;
  text.remove_prefix(at + word.size());
  for (auto& number : numbers) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc()) break;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

}  // namespace

void read_xla_details(std::string_view details, capture::Shape& shape) {
  shape.grid = numbers_behind(details, "grid:");
  shape.block = numbers_behind(details, "block:");
  shape.registers = numbers_behind(details, "regs:")[0];
  shape.static_shared_bytes = numbers_behind(details, "static_shared:")[0];
  shape.dynamic_shared_bytes = numbers_behind(details, "dynamic_shared:")[0];
}

std::uint64_t xla_copy_bytes(std::string_view details) {
  const auto size = numbers_behind(details, "size:")[0];
  return size != 0 ? size : numbers_behind(details, "num_bytes:")[0];
}

capture::CopyKind xla_copy_kind(std::string_view name) {
  constexpr std::pair<std::string_view, capture::CopyKind> kRows[] = {
      {"H2D", capture::CopyKind::host_to_device},
      {"D2H", capture::CopyKind::device_to_host},
      {"D2D", capture::CopyKind::device_to_device},
      {"P2P", capture::CopyKind::peer},
      {"emset", capture::CopyKind::set}};
  for (const auto& [part, kind] : kRows)
    if (name.find(part) != std::string_view::npos) return kind;
  return capture::CopyKind::unknown;
}

}  // namespace roofline
