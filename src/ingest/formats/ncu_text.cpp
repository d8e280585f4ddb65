#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/ncu_kernels.hpp"
#include "ingest/formats/ncu_log.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// The pages that ncu prints for people:
///
///     saxpy(int, float) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
///       Section: Command line profiler metrics
///       ---------------------- ----------- ------------
///       Metric Name            Metric Unit Metric Value
///       ---------------------- ----------- ------------
///       gpu__time_duration.sum          us        12.30
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Where the three columns of a table begin and end, by its line of dashes.
struct Columns {
  std::size_t unit = 0, value = 0;
};
std::optional<Columns> columns_of(std::string_view line) {
  const auto body = trimmed(line);
  if (!body.starts_with("---") || body.find_first_not_of("- ") != std::string_view::npos)
    return std::nullopt;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '-' && (i == 0 || line[i - 1] == ' ')) starts.push_back(i);
  if (starts.size() != 3) return std::nullopt;
  return Columns{starts[1], starts[2]};
}

std::uint64_t number_behind(std::string_view line, std::string_view word) {
  const auto at = line.rfind(word);
  if (at == std::string_view::npos) return 0;
  std::uint64_t value = 0;
  const auto rest = line.substr(at + word.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value;
}

/// "  name (grid)x(block), Context 1, Stream 7, ...", or of versions before 2022 "  name, date,
/// Context 1, Stream 7"; indented in any way, as pages are pasted elsewhere.
std::optional<NcuKernel> kernel_of(std::string_view line) {
  const auto context = line.rfind(", Context "), stream = line.rfind(", Stream ");
  if (context == std::string_view::npos || stream == std::string_view::npos || stream < context)
    return std::nullopt;
  NcuKernel kernel;
  auto name = trimmed(line.substr(0, context));
  const auto cross = name.rfind(")x(");
  const auto open = cross == std::string_view::npos ? cross : name.rfind(" (", cross);
  if (open != std::string_view::npos &&
      read_extent(name.substr(open, cross + 1 - open), kernel.grid) &&
      read_extent(name.substr(cross + 2), kernel.block)) {
    name = trimmed(name.substr(0, open));
  } else if (const auto date = name.rfind(", "); date != std::string_view::npos) {
    name = name.substr(0, date);
  }
  kernel.name = name;
  kernel.context = number_behind(line, ", Context ");
  kernel.stream = number_behind(line, ", Stream ");
  kernel.device = number_behind(line, ", Device ");
  if (const auto cc = line.rfind(", CC "); cc != std::string_view::npos) {
    kernel.major = number_behind(line, ", CC ");
    kernel.minor = number_behind(line.substr(cc), ".");
  }
  return kernel;
}

/// Hands each kernel line and each metric (name, unit, value, line, column) on.
template <class OnKernel, class OnMetric>
void walk(std::string_view text, OnKernel on_kernel, OnMetric on_metric) {
  std::optional<Columns> columns;
  int dashes = 0;
  for (Lines lines(text); lines.next();) {
    const auto line = lines.line();
    if (auto kernel = kernel_of(line)) {
      on_kernel(std::move(*kernel));
      columns.reset();
      dashes = 0;
    } else if (line.find("Section: ") != std::string_view::npos) {
      columns.reset();
      dashes = 0;
    } else if (const auto found = columns_of(line)) {
      columns = found;
      ++dashes;
    } else if (columns && dashes == 2 && line.size() > columns->value) {
      on_metric(trimmed(line.substr(0, columns->unit)),
                trimmed(line.substr(columns->unit, columns->value - columns->unit)),
                trimmed(line.substr(columns->value)), lines.number(),
                static_cast<int>(columns->value) + 1);
    }
  }
}

}  // namespace

Result<bool> read_ncu_pages(std::string_view text, const std::string& file,
                            const ImportOptions& options, ImportSink& sink) {
  DecimalSign sign;
  std::uint64_t kernels = 0, metrics = 0;
  walk(
      text, [&](const NcuKernel&) { ++kernels; },
      [&](auto, auto, std::string_view value, int line, int column) {
        ++metrics;
        sign.observe(value, line, column);
      });
  if (kernels == 0 && metrics > 0)
    return fail(Code::wrong_type, {file, 0, 0, 1, {}, 0},
                "these are sections of ncu, and no line says of which kernel",
                "give all that ncu prints: above a section stands its kernel, with Context and "
                "Stream at the end of the line");
  if (kernels == 0 || metrics == 0) return false;
  const auto decimal = sign.settle(options.decimal, file);
  if (!decimal) return tl::unexpected(decimal.error());
  NcuWriter writer(sink);
  std::optional<NcuKernel> current;
  walk(
      text,
      [&](NcuKernel kernel) {
        if (current) writer.add(std::move(*current));
        current = std::move(kernel);
      },
      [&](std::string_view metric, std::string_view unit, std::string_view value, int, int) {
        if (const auto number = read_number(value, *decimal); number && current)
          current->add(metric, unit, *number);
      });
  if (current) writer.add(std::move(*current));
  writer.finish();
  return true;
}

bool is_ncu_text(const FileHead& head) {
  return head.bytes.find("Section: ") != std::string::npos &&
         head.bytes.find("Metric Name") != std::string::npos &&
         head.bytes.find("Metric Unit") != std::string::npos &&
         head.bytes.find("\"Metric Name\"") == std::string::npos;  // of ncu --csv
}

Result<void> read_ncu_text(const std::string& path, const ImportOptions& options,
                           ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  const std::string file = path == "-" ? "<stdin>" : path;
  sink.tool("Nsight Compute");
  const auto found = read_ncu_pages(*text, file, options, sink);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return tl::unexpected(ncu_without_kernels(*text, file));
  return {};
}

}  // namespace roofline::formats
