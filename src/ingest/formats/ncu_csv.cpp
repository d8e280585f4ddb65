#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "ingest/decimal_sign.hpp"
#include "ingest/formats/formats.hpp"
#include "ingest/formats/ncu_kernels.hpp"
#include "ingest/formats/ncu_log.hpp"
#include "ingest/read_text.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

/// Nsight Compute, `ncu --csv`: a long table (one row per metric: --page details, --metrics) or a
/// wide one (--page raw: one row per kernel, units in the second row), among lines of ncu and of
/// the program; or the means of several launches (--print-summary), long.
namespace roofline::formats {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::string_view kDisplayName = "device__attribute_display_name";

/// People keep some of the columns.
bool is_header(std::string_view line) {
  const auto has = [&](std::string_view name) { return line.find(name) != std::string_view::npos; };
  if (line.starts_with("\"Process ID\",") && has("\"Invocations\"") && has("\"Average\""))
    return true;
  if (!line.starts_with("\"ID\",") && !line.starts_with("ID,")) return false;
  return has("Process ID") || (has("Metric Name") && has("Metric Value"));
}
/// A row of the table, and no line of the program that happens to stand between.
bool is_row(std::string_view line) {
  if (line.starts_with('"')) line.remove_prefix(1);
  return !line.empty() && line.front() >= '0' && line.front() <= '9';
}

std::uint64_t whole(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The columns of a header, by what they are.
class Layout {
 public:
  explicit Layout(const std::vector<std::string>& header)
      : id(column_of(header, "ID")),
        process(column_of(header, "Process ID")),
        process_name(column_of(header, "Process Name")),
        host(column_of(header, "Host Name")),
        kernel(column_of(header, "Kernel Name")),
        context(column_of(header, "Context")),
        stream(column_of(header, "Stream")),
        block(column_of(header, "Block Size")),
        grid(column_of(header, "Grid Size")),
        device(column_of(header, "Device")),
        capability(column_of(header, "CC")),
        metric(column_of(header, "Metric Name")),
        unit(column_of(header, "Metric Unit")),
        invocations(column_of(header, "Invocations")),
        value(column_of(header, invocations == kNoColumn ? "Metric Value" : "Average")),
        least(column_of(header, "Minimum")),
        most(column_of(header, "Maximum")),
        display_name(column_of(header, kDisplayName)),
        names(header) {}
  bool is_long() const { return metric != kNoColumn && value != kNoColumn; }
  bool is_metric(std::size_t column) const {  // of a wide table
    return names[column].find("__") != std::string::npos;
  }
  std::size_t id, process, process_name, host, kernel, context, stream, block, grid, device,
      capability, metric, unit, invocations, value, least, most, display_name;
  std::vector<std::string> names;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, const ImportOptions& options,
         ImportSink& sink)
      : text_(text), file_(file), options_(options), sink_(sink) {}

  /// False: there is no table.
  Result<bool> read() {
    DecimalSign sign;
    bool table = false;
    walk([&](const Layout& layout, const std::vector<std::string>& fields, int line, bool units) {
      table = true;
      if (units) return;
      const auto show = [&](std::size_t column) {
        if (column < fields.size())
          sign.observe(fields[column], line, static_cast<int>(column) + 1);
      };
      if (layout.is_long()) return show(layout.value);
      for (std::size_t i = 0; i < layout.names.size(); ++i)
        if (layout.is_metric(i)) show(i);
    });
    if (!table) return false;
    const auto decimal = sign.settle(options_.decimal, file_);
    if (!decimal) return tl::unexpected(decimal.error());
    decimal_ = *decimal;
    NcuWriter writer(sink_);
    walk([&](const Layout& layout, const std::vector<std::string>& fields, int, bool units) {
      if (units)
        units_ = fields;
      else
        row(layout, fields, writer);
    });
    flush(writer);
    writer.finish();
    if (cut_) sink_.truncated(fmt::format("after kernel {}", writer.kernels()));
    if (unreadable_ > 0) sink_.lose("rows_unreadable", unreadable_);
    return true;
  }

 private:
  /// Hands each row of each table on: its layout, fields, line, and whether it is the row of units.
  template <class OnRow>
  void walk(OnRow on_row) {
    std::optional<Layout> layout;
    std::vector<std::string> fields;
    bool units_next = false;
    unreadable_ = 0;
    for (Lines lines(text_); lines.next();) {
      const auto line = lines.line();
      if (is_header(line)) {
        split_fields(line, ',', fields);
        layout.emplace(fields);
        units_next = !layout->is_long();
        continue;
      }
      if (!layout) continue;
      const bool units = units_next && (line.starts_with("\"\"") || line.starts_with(','));
      if (!units && !is_row(line)) continue;
      const bool whole_row = split_fields(line, ',', fields);
      const auto needed = layout->is_long() ? layout->value + 1 : layout->names.size();
      if (!whole_row || fields.size() < needed) {
        if (lines.ended())
          ++unreadable_;
        else
          cut_ = true;
        continue;
      }
      units_next = units_next && !units;
      on_row(*layout, fields, lines.number(), units);
    }
  }

  void row(const Layout& layout, const std::vector<std::string>& fields, NcuWriter& writer) {
    const auto field = [&](std::size_t column) {
      return column < fields.size() ? std::string_view(fields[column]) : std::string_view();
    };
    const bool same = layout.is_long() && current_ && id_ == field(layout.id) &&
                      process_ == field(layout.process) && current_->name == field(layout.kernel) &&
                      grid_ == field(layout.grid) && block_ == field(layout.block);
    if (!same) {
      flush(writer);
      id_ = field(layout.id);
      process_ = field(layout.process);
      grid_ = field(layout.grid);
      block_ = field(layout.block);
      auto& kernel = current_.emplace();
      kernel.name = field(layout.kernel);
      kernel.context = whole(field(layout.context));
      kernel.stream = whole(field(layout.stream));
      kernel.device = whole(field(layout.device));
      const auto capability = field(layout.capability);
      const auto dot = capability.find('.');
      kernel.major = whole(capability);
      if (dot != std::string_view::npos) kernel.minor = whole(capability.substr(dot + 1));
      read_extent(field(layout.grid), kernel.grid);
      read_extent(field(layout.block), kernel.block);
      kernel.gpu = field(layout.display_name);
      if (const auto launches = read_number(field(layout.invocations), decimal_))
        kernel.launches = static_cast<std::uint64_t>(std::clamp(*launches, 1.0, 1e18));
      if (writer.kernels() == 0) {
        sink_.command(field(layout.process_name));
        sink_.host(field(layout.host));
        sink_.process(static_cast<long long>(whole(process_) & 0x7fffffff));
      }
    }
    const auto add = [&](std::string_view metric, std::string_view unit, std::string_view value) {
      if (const auto number = read_number(value, decimal_)) current_->add(metric, unit, *number);
    };
    if (layout.is_long()) {
      if (field(layout.metric) == kDisplayName) current_->gpu = field(layout.value);
      if (field(layout.metric) == "gpu__time_duration.sum") {
        const auto ns = [&](std::size_t column) {
          return read_number(field(column), decimal_).value_or(0) *
                 ncu_unit(field(layout.unit)).value_or(0);
        };
        current_->least_ns = ns(layout.least);
        current_->most_ns = ns(layout.most);
      }
      return add(field(layout.metric), field(layout.unit), field(layout.value));
    }
    for (std::size_t i = 0; i < layout.names.size(); ++i)
      if (layout.is_metric(i))
        add(layout.names[i], i < units_.size() ? std::string_view(units_[i]) : std::string_view(),
            field(i));
  }

  void flush(NcuWriter& writer) {
    if (current_) writer.add(std::move(*current_));
    current_.reset();
  }

  std::string_view text_;
  const std::string& file_;
  const ImportOptions& options_;
  ImportSink& sink_;
  char decimal_ = '.';
  std::vector<std::string> units_;
  std::optional<NcuKernel> current_;
  std::string id_, process_, grid_, block_;
  bool cut_ = false;
  std::uint64_t unreadable_ = 0;
};

}  // namespace

bool is_ncu_csv(const FileHead& head) {
  for (Lines lines(head.bytes); lines.next();)
    if (is_header(lines.line())) return true;
  return has_ncu_lines(head.bytes) && !is_ncu_text(head);
}

Result<void> read_ncu_csv(const std::string& path, const ImportOptions& options, ImportSink& sink) {
  auto text = read_text(path, kMostBytes, sink);
  if (!text) return tl::unexpected(std::move(text.error()));
  const std::string file = path == "-" ? "<stdin>" : path;
  sink.tool("Nsight Compute");
  auto found = Reader(*text, file, options, sink).read();
  if (found && !*found) found = read_ncu_pages(*text, file, options, sink);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return tl::unexpected(ncu_without_kernels(*text, file));
  return {};
}

}  // namespace roofline::formats
