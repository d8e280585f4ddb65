#include <algorithm>
#include <iterator>

#include "report/formats/formats.hpp"

namespace roofline {
namespace {

constexpr OutputFormat kFormats[] = {
    {"table", "txt", "text for a terminal", &make_text, true},
    {"json", "json", "one document, roofline.result/1", &make_json, true},
    {"jsonl", "jsonl", "one JSON object per kernel and point", &make_jsonl, false},
    {"csv", "csv", "one row per kernel and point, base units in the column names", &make_csv, true},
    {"markdown", "md", "headings and tables for an issue or a README", &make_markdown, true},
};

}  // namespace

std::span<const OutputFormat> output_formats() { return kFormats; }

const OutputFormat* find_output_format(std::string_view name) {
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const auto& format) { return format.name == name; });
  return row == std::end(kFormats) ? nullptr : row;
}

}  // namespace roofline
