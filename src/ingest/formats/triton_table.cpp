#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/exact_time.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// The CSV of triton.testing.perf_report: sizes in the first columns, then one column for each
/// provider. Older versions name no unit and none names the dtype or the GPU; newer ones write the
/// unit behind the provider: "Triton (ms)". Only times are times.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// "Triton (ms)" -> "ms"
std::string_view unit_of(std::string_view column) {
  const auto open = column.rfind('(');
  if (open == std::string_view::npos || !column.ends_with(')')) return {};
  return column.substr(open + 1, column.size() - open - 2);
}

bool is_number(std::string_view text) { return read_number(text, '.').has_value(); }

}  // namespace

/// A first row of names, a second of numbers with sizes as 256.0, and a provider that is known.
bool is_triton_table(const FileHead& head) {
  Lines lines(head.bytes);
  std::vector<std::string> header, first;
  if (!lines.next() || !split_fields(lines.line(), ',', header)) return false;
  if (!lines.next() || !split_fields(lines.line(), ',', first)) return false;
  const auto known = [](const std::string& name) {
    const auto lower = lower_case(name);
    return lower.find("triton") != std::string::npos || lower.find("torch") != std::string::npos ||
           lower.find("cublas") != std::string::npos;
  };
  return header.size() > 1 && header.size() == first.size() &&
         std::none_of(header.begin(), header.end(), is_number) &&
         std::all_of(first.begin(), first.end(), is_number) &&
         std::any_of(header.begin() + 1, header.end(), known);
}

Result<void> read_triton_table(const std::string& path, const ImportOptions&, ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  const std::string file = path == "-" ? "<stdin>" : path;
  Lines lines(*text);
  std::vector<std::string> header, fields;
  if (!lines.next() || !split_fields(lines.line(), ',', header))
    return fail(Code::empty_input, {file, 0, 0, 1, {}, 0}, "this table has no header");
  std::size_t sizes = 0;  // columns before the first with a unit
  while (sizes < header.size() && unit_of(header[sizes]).empty()) ++sizes;
  if (sizes == header.size())
    return fail(Code::needs_unit, {file, 1, 1, 1, {}, 0},
                fmt::format("this table of triton.testing does not say what \"{}\" counts, nor the "
                            "dtype, nor the GPU",
                            shortened(printable(header.back()), 60)),
                "TFLOP/s, GB/s and ms look alike: let the benchmark return ms, with "
                "ylabel=\"ms\" (columns \"Triton (ms)\"), or write `id` and `time` with a unit");
  sink.tool("triton.testing");
  while (lines.next()) {
    if (!split_fields(lines.line(), ',', fields) || fields.size() < header.size()) {
      if (!trimmed(lines.line()).empty()) sink.lose("rows_unreadable");
      continue;
    }
    std::string size;
    for (std::size_t i = 0; i < sizes; ++i)
      size += fmt::format(
          "/{}={}", header[i],
          fields[i].substr(0, fields[i].ends_with(".0") ? fields[i].size() - 2 : fields[i].size()));
    for (std::size_t i = sizes; i < header.size(); ++i) {
      const auto exponent = ns_exponent(unit_of(header[i]));
      const auto time = exponent ? exact_ns(fields[i], *exponent) : std::nullopt;
      if (!time || *time == 0) {
        sink.lose(exponent ? "rows_unreadable" : "rates_without_work");
        continue;
      }
      const auto provider = trimmed(std::string_view(header[i]).substr(0, header[i].rfind('(')));
      capture::Summary summary;
      summary.shape = sink.shape(fmt::format("{}{}", provider, size));
      summary.launches = 1;
      summary.seconds = {static_cast<double>(*time) / 1e9, kNone, kNone, kNone, kNone};
      sink.add(summary);
    }
  }
  sink.lose("gpu_not_named");
  return {};
}

}  // namespace roofline::formats
