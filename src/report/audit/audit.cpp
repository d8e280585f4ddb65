#include "roofline/report/audit.hpp"

#include <fmt/format.h>

#include "report/audit/row_fields.hpp"
#include "report/audit/row_model.hpp"
#include "report/audit/summary.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

using audit_rows::RowFields;
using audit_rows::RowModel;
using audit_rows::Summing;

constexpr std::size_t kLongestDetail = 80;
constexpr long long kAskEvery = 256;  // rows between two looks at `go_on`

struct SkipEntry {
  SkipReason reason;
  std::string_view code, title;
};
constexpr SkipEntry kSkips[] = {
    {SkipReason::no_gpu, "no_gpu", "no GPU is named: a column gpu, or --gpu"},
    {SkipReason::unknown_gpu, "unknown_gpu", "the GPU is not in the table (roofline gpus list)"},
    {SkipReason::no_op, "no_op", "no operation is named"},
    {SkipReason::unknown_op, "unknown_op", "no such operation (roofline ops list), and no columns flops or bytes"},
    {SkipReason::no_dtype, "no_dtype", "no dtype is given"},
    {SkipReason::unknown_dtype, "unknown_dtype", "no such dtype or operand"},
    {SkipReason::missing_parameter, "missing_parameter", "a parameter of the operation is missing"},
    {SkipReason::bad_parameter, "bad_parameter", "a parameter has a value that it cannot have"},
    {SkipReason::refused, "refused", "the operation cannot be counted with these parameters"},
    {SkipReason::no_rate, "no_rate", "the GPU has no unit for this dtype"},
    {SkipReason::no_work, "no_work", "neither a shape nor FLOPs nor bytes: nothing to hold a time against"},
    {SkipReason::time_missing, "time_missing", "no time is given"},
    {SkipReason::time_without_unit, "time_without_unit", "a time without a unit: write 12.5 us, or name the column time_us"},
    {SkipReason::time_not_a_number, "time_not_a_number", "a time that is no number"},
    {SkipReason::time_not_positive, "time_not_positive", "a time of zero or less"},
    {SkipReason::decimal_comma, "decimal_comma", "a decimal comma: write 12.5"},
    {SkipReason::missing_columns, "missing_columns", "fewer cells than the header has columns"},
    {SkipReason::extra_columns, "extra_columns", "more cells than the header has columns"},
    {SkipReason::bad_quotes, "bad_quotes", "quotes that do not end, or text behind them"},
    {SkipReason::line_too_long, "line_too_long", "a line of more than 1 MiB"},
};
static_assert(std::size(kSkips) == kSkipReasons);

Location place(const CsvReader& table) {
  return {table.name(), static_cast<int>(std::min<long long>(table.line(), 2'000'000'000)), 0, 1, {}, 0};
}

/// One pass over the rows behind the header.
class Pass {
 public:
  Pass(const AuditOptions& options, RowFields& fields, AuditWriter& writer)
      : options_(options), fields_(fields), model_(fields, options), writer_(writer), summing_(options.notable),
        name_column_(fields.column("name") >= 0 ? fields.column("name") : fields.column("id")) {}

  std::optional<std::string> hopeless() const { return model_.hopeless(); }

  void take(const CsvReader& table, CsvReader::Got got) {
    row_.row = ++rows_;
    row_.line = table.line();
    row_.gpu = nullptr;
    row_.kernel = nullptr;
    row_.verdict = nullptr;
    row_.name = row_.op = {};
    row_.counts_differ = row_.rates_only = row_.timing_unknown = false;
    row_.detail.clear();
    if (auto bad = judge_row(table, got)) {
      row_.reason = bad->reason;
      row_.detail = shortened(printable(bad->detail), kLongestDetail);
    }
    writer_.row(row_);
    summing_.add(row_, [this] { return shape(); });
  }

  AuditSummary finish() {
    auto& summary = summing_.summary();
    if (summary.judged() > 0) summary.unused_columns = model_.unused_columns(fields_);
    writer_.end(summary);
    return std::move(summary);
  }

 private:
  std::optional<audit_rows::Skip> judge_row(const CsvReader& table, CsvReader::Got got) {
    using audit_rows::Skip;
    switch (got) {
      case CsvReader::Got::too_long: return Skip{SkipReason::line_too_long, {}};
      case CsvReader::Got::too_many_fields: return Skip{SkipReason::extra_columns, {}};
      case CsvReader::Got::bad_quotes: return Skip{SkipReason::bad_quotes, {}};
      default: break;
    }
    if (!fields_.set(table.fields())) {
      const bool fewer = table.fields().size() < fields_.columns();
      return Skip{fewer ? SkipReason::missing_columns : SkipReason::extra_columns,
                  fmt::format("{} of {}", table.fields().size(), fields_.columns())};
    }
    if (auto bad = model_.read(fields_)) {
      name_row();
      return bad;
    }
    name_row();
    auto verdict = judge(model_.kernel(), model_.gpu().ceilings);
    if (!verdict) return Skip{SkipReason::no_rate, verdict.error().what};
    verdict_ = std::move(*verdict);
    row_.kernel = &model_.kernel();
    row_.verdict = &verdict_;
    row_.counts_differ = model_.counts_differ();
    row_.rates_only = model_.rates_only();
    row_.timing_unknown = timing_decides(verdict_, model_.gpu().gpu);
    return std::nullopt;
  }

  void name_row() {
    row_.name = fields_.cell(name_column_);
    row_.op = model_.op_word();
    if (const auto* known = model_.known_gpu()) row_.gpu = &known->gpu;
  }

  std::string shape() const {
    if (const auto params = fields_.find("params")) return shortened(printable(*params), kLongestDetail);
    std::string text;
    for (const auto column : model_.shape_columns())
      if (const auto cell = fields_.cell(column); !cell.empty() && text.size() < kLongestDetail)
        text += (text.empty() ? "" : ";") + fields_.name(static_cast<std::size_t>(column)) + "=" + std::string(cell);
    return shortened(printable(text), kLongestDetail);
  }

  const AuditOptions& options_;
  RowFields& fields_;
  RowModel model_;
  AuditWriter& writer_;
  Summing summing_;
  int name_column_;
  long long rows_ = 0;
  AuditedRow row_;
  Verdict verdict_;
};

}  // namespace

std::string_view skip_code(SkipReason reason) { return kSkips[static_cast<std::size_t>(reason)].code; }
std::string_view skip_title(SkipReason reason) { return kSkips[static_cast<std::size_t>(reason)].title; }

Checked<AuditSummary> audit(CsvReader& table, const AuditOptions& options, AuditWriter& writer,
                            const std::function<bool()>& go_on) {
  if (options.gpu)
    if (auto gpu = find_gpu(*options.gpu); !gpu) return tl::unexpected(gpu.error());
  auto got = table.next();
  if (!got) return tl::unexpected(Errors{std::move(got.error())});
  if (*got == CsvReader::Got::end)
    return tl::unexpected(Errors{{Code::empty_input, {table.name(), 0, 0, 1, {}, 0}, table.name() + " is empty",
                                  "a table of times starts with the names of its columns", {}}});
  if (*got != CsvReader::Got::record)
    return tl::unexpected(Errors{{Code::limit_exceeded, place(table), "the first line is no header of a table", "docs/audit.md has an example", {}}});
  RowFields fields(table.fields());
  Pass pass(options, fields, writer);
  if (auto missing = pass.hopeless())
    return tl::unexpected(Errors{{Code::missing_key, place(table), "the table cannot be judged: " + *missing,
                                  "docs/audit.md lists the columns that are understood", {}}});
  for (long long row = 1;; ++row) {
    got = table.next();
    if (!got) return tl::unexpected(Errors{std::move(got.error())});
    if (*got == CsvReader::Got::end) break;
    pass.take(table, *got);
    if (go_on && row % kAskEvery == 0 && !go_on()) break;
  }
  return pass.finish();
}

}  // namespace roofline
