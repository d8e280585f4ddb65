#include "cli/input_kind.hpp"

namespace roofline::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHead = 4096;

struct Mark {
  std::string_view text;
  bool at_start;
  std::string_view kind;
};
// The most specific first.
constexpr Mark kMarks[] = {
    {"SQLite format 3\0"sv, true, "a database (an Nsight Systems export?)"},
    {"\x1f\x8b"sv, true, "a gzip archive"},
    {"\x28\xb5\x2f\xfd"sv, true, "a zstd archive"},
    {"\x7f"
     "ELF"sv,
     true, "a program"},
    {"NVPR"sv, true, "an Nsight Compute report"},
    {"\"roofline.result/1\"", false, "a result of roofline, not its input"},
    {"\"roofline.capture/1\"", false, "a capture"},
    {"\"traceEvents\"", false, "a Chrome or PyTorch trace"},
    {"\"deviceProperties\"", false, "a Chrome or PyTorch trace"},
    {"==PROF==", false, "the output of Nsight Compute"},
    {"\"Kernel Name\",", false, "a table of Nsight Compute"},
    {"\"architectures\"", false, "a model's configuration"},
};

}  // namespace

std::string_view foreign_kind(std::string_view content) {
  const auto head = content.substr(0, kHead);
  for (const auto& mark : kMarks) {
    const auto at = head.find(mark.text);
    if (at != std::string_view::npos && (at == 0 || !mark.at_start)) return mark.kind;
  }
  return {};
}

}  // namespace roofline::cli
