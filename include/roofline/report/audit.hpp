#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/base/csv.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// Why a row of a table of times could not be judged. None is dropped in silence: every report counts them.
enum class SkipReason : unsigned char {
  no_gpu, unknown_gpu, no_op, unknown_op, no_dtype, unknown_dtype, missing_parameter, bad_parameter, refused, no_rate,
  no_work, time_missing, time_without_unit, time_not_a_number, time_not_positive, decimal_comma, missing_columns,
  extra_columns, bad_quotes, line_too_long,
};
inline constexpr std::size_t kSkipReasons = 20;
std::string_view skip_code(SkipReason reason);   ///< "unknown_gpu": the key in JSON
std::string_view skip_title(SkipReason reason);  ///< for people

/// One row of the table, judged or not. Pointers hold until the next row.
struct AuditedRow {
  long long row = 0;       ///< from 1; the header is not a row
  long long line = 0;      ///< where it starts in the file
  std::string_view name;   ///< of the measurement, where the table has one
  std::string_view op;     ///< as the table calls it
  const Gpu* gpu = nullptr;
  const Kernel* kernel = nullptr;    ///< nullptr: skipped
  const Verdict* verdict = nullptr;  ///< nullptr: skipped
  bool counts_differ = false;        ///< the table's own FLOPs or bytes are not ours (by more than 0.1 %)
  bool rates_only = false;           ///< rates without amounts: the row is of what one second does
  bool timing_unknown = false;       ///< so short that it cannot be judged without knowing how it was taken
  SkipReason reason = SkipReason::no_gpu;
  std::string detail;                ///< of the reason: the name that is not known, the cell that is no number

  bool judged() const { return verdict != nullptr; }
  /// Something is said about this row besides its verdict: it beats its floor, or has nothing to do.
  bool flagged() const { return judged() && !verdict->measured->causes.empty(); }
};

/// A judged row that is kept for the end of a report.
struct NotableRow {
  long long row = 0, line = 0;
  std::string name, op, gpu, shape;
  Seconds time, floor;
  std::optional<Seconds> attainable;
  Bound bound = Bound::unknown;
  Status status = Status::under_roof;
  std::vector<Remark> causes;
};

/// Counts of one group of rows: a GPU, an op.
struct AuditGroup {
  long long rows = 0, flagged = 0;
  std::array<long long, 4> by_status{};  ///< by Status
  std::array<long long, 5> by_bound{};   ///< by Bound
  Seconds time, floor;                   ///< sums over rows that carry amounts
};

struct AuditSummary {
  struct Skipped {
    long long count = 0, first_line = 0;
    std::string detail;  ///< of the first
  };
  long long rows = 0;
  AuditGroup all;
  std::array<Skipped, kSkipReasons> skipped{};           ///< by SkipReason
  std::map<std::string, AuditGroup, std::less<>> by_gpu, by_op;  ///< at most kMostGroups each; the rest under "other"
  std::map<std::string, long long, std::less<>> by_cause;  ///< the likeliest cause of each flagged row
  long long counts_differ = 0, timing_unknown = 0;
  std::vector<std::string> unused_columns;               ///< of the header
  std::vector<NotableRow> flagged;                       ///< furthest below their floor first
  std::vector<NotableRow> slowest;                       ///< most time above the floor first

  long long judged() const { return all.rows; }
  long long impossible() const { return all.by_status[static_cast<std::size_t>(Status::impossible)]; }
};
inline constexpr std::size_t kMostGroups = 1000;

/// A format of `audit`: rows as they come, then the summary.
class AuditWriter {
 public:
  virtual ~AuditWriter() = default;
  virtual void row(const AuditedRow&) {}
  virtual void end(const AuditSummary&) = 0;
};

struct AuditReportOptions {
  std::size_t width = 100;
  bool colour = false;
  std::string_view tool_version, source;  ///< the file as the user named it
};

struct AuditFormat {
  std::string_view name, extension, doc;
  std::unique_ptr<AuditWriter> (*make)(TextSink sink, const AuditReportOptions& options);
};
std::span<const AuditFormat> audit_formats();
const AuditFormat* find_audit_format(std::string_view name);

struct AuditOptions {
  std::optional<std::string> gpu;    ///< for tables without a column of GPUs
  std::optional<Timing> timing;      ///< for rows that do not say how their time was taken
  CeilingOptions ceilings;
  std::size_t notable = 10;          ///< rows kept for each list of the report
};

/// Holds every row of a table of times against physics (docs/audit.md), in one pass and in memory that does not grow
/// with the table. Errors: the table cannot be read, has no header, or names nothing that a time could be held against;
/// a GPU that `options` names is not known.
Checked<AuditSummary> audit(CsvReader& table, const AuditOptions& options, AuditWriter& writer,
                            const std::function<bool()>& go_on = {});

}  // namespace roofline
