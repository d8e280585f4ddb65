#include "report/audit/formats.hpp"
#include "report/json_writer.hpp"
#include "roofline/base/text.hpp"

namespace roofline::audit_rows {
namespace {

constexpr Status kStatuses[] = {Status::impossible, Status::at_ceiling, Status::near, Status::under_roof};
constexpr Bound kBounds[] = {Bound::memory, Bound::compute, Bound::overhead, Bound::link, Bound::unknown};

void write_causes(JsonWriter& json, const std::vector<Remark>& causes) {
  json.begin_array("causes");
  for (const auto& cause : causes) {
    json.begin_object();
    json.text("code", cause.code);
    json.end_object();
  }
  json.end_array();
}

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  const auto& measured = *verdict.measured;
  json.count("flops", verdict.flops);
  json.count("bytes", verdict.bytes());
  json.number("time_s", measured.time.value());
  json.number("time_floor_s", verdict.floor.time.value());
  json.text("bound", bound_name(verdict.bound));
  json.flag("balanced", verdict.balanced);
  json.text("confidence", confidence_name(verdict.confidence));
  json.text("status", status_name(measured.status));
  json.number("fraction_of_ceiling", measured.fraction_of_ceiling);
  if (const auto* limiting = verdict.floor.limiting()) json.text("limiter", resource_name(limiting->ceiling.resource));
  if (verdict.attainable) json.number("attainable_time_s", verdict.attainable->value());
  write_causes(json, measured.causes);
}

void write_row(JsonWriter& json, const AuditedRow& row) {
  json.begin_object();
  json.count("row", Count(row.row));
  if (!row.name.empty()) json.text("name", row.name);
  if (row.gpu) json.text("gpu", row.gpu->id);
  if (!row.op.empty()) json.text("op", row.kernel && row.kernel->op ? row.kernel->op->name : row.op);
  if (!row.judged()) {
    json.text("skipped", skip_code(row.reason));
    if (!row.detail.empty()) json.text("detail", row.detail);
  } else {
    write_verdict(json, *row.verdict);
    if (row.counts_differ || row.timing_unknown) {
      json.begin_array("notes");
      const auto note = [&](bool there, std::string_view code) {
        if (!there) return;
        json.begin_object();
        json.text("code", code);
        json.end_object();
      };
      note(row.timing_unknown, "timing_unknown");
      note(row.counts_differ, "counts_differ");
      json.end_array();
    }
  }
  json.end_object();
  json.end_line();
}

void write_group(JsonWriter& json, const AuditGroup& group) {
  json.count("rows", Count(group.rows));
  json.count("flagged", Count(group.flagged));
  json.number("time_s", group.time.value());
  json.number("time_floor_s", group.floor.value());
  json.begin_object("by_status");
  for (const auto status : kStatuses) json.count(JsonKey::named(status_name(status)), Count(group.by_status[static_cast<std::size_t>(status)]));
  json.end_object();
  json.begin_object("by_bound");
  for (const auto bound : kBounds)
    if (const auto count = group.by_bound[static_cast<std::size_t>(bound)]) json.count(JsonKey::named(bound_name(bound)), Count(count));
  json.end_object();
}

void write_groups(JsonWriter& json, JsonKey key, const std::map<std::string, AuditGroup, std::less<>>& groups) {
  json.begin_map(key);
  for (const auto& [name, group] : groups) {
    json.begin_object(JsonKey::named(name));
    write_group(json, group);
    json.end_object();
  }
  json.end_object();
}

void write_skipped(JsonWriter& json, const AuditSummary& summary) {
  json.begin_array("skipped");
  for (std::size_t i = 0; i < kSkipReasons; ++i) {
    const auto& skipped = summary.skipped[i];
    if (skipped.count == 0) continue;
    json.begin_object();
    json.text("reason", skip_code(static_cast<SkipReason>(i)));
    json.count("count", Count(skipped.count));
    json.count("first_line", Count(skipped.first_line));
    if (!skipped.detail.empty()) json.text("first_detail", skipped.detail);
    json.end_object();
  }
  json.end_array();
}

void write_totals(JsonWriter& json, const AuditSummary& summary) {
  json.count("rows", Count(summary.rows));
  json.count("judged", Count(summary.judged()));
  write_skipped(json, summary);
  json.count("flagged", Count(summary.all.flagged));
  json.begin_object("by_status");
  for (const auto status : kStatuses) json.count(JsonKey::named(status_name(status)), Count(summary.all.by_status[static_cast<std::size_t>(status)]));
  json.end_object();
  json.begin_object("by_bound");
  for (const auto bound : kBounds)
    if (const auto count = summary.all.by_bound[static_cast<std::size_t>(bound)]) json.count(JsonKey::named(bound_name(bound)), Count(count));
  json.end_object();
  json.begin_map("by_cause");
  for (const auto& [code, count] : summary.by_cause) json.count(JsonKey::named(code), Count(count));
  json.end_object();
  json.begin_object("by_note");
  if (summary.timing_unknown) json.count("timing_unknown", Count(summary.timing_unknown));
  if (summary.counts_differ) json.count("counts_differ", Count(summary.counts_differ));
  json.end_object();
}

void write_notable(JsonWriter& json, JsonKey key, const std::vector<NotableRow>& rows) {
  json.begin_array(key);
  for (const auto& row : rows) {
    json.begin_object();
    json.count("row", Count(row.row));
    json.count("line", Count(row.line));
    if (!row.name.empty()) json.text("name", row.name);
    json.text("gpu", row.gpu);
    json.text("op", row.op);
    if (!row.shape.empty()) json.text("shape", row.shape);
    json.number("time_s", row.time.value());
    json.number("time_floor_s", row.floor.value());
    if (row.attainable) json.number("attainable_time_s", row.attainable->value());
    json.text("bound", bound_name(row.bound));
    json.text("status", status_name(row.status));
    json.begin_array("causes");
    for (const auto& cause : row.causes) {
      json.begin_object();
      json.text("code", cause.code);
      json.text("text", cause.text);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

/// Rows as they come, then {"summary": ..}.
class JsonLines final : public AuditWriter {
 public:
  explicit JsonLines(TextSink sink) : json_(std::move(sink)) {}
  ~JsonLines() override { json_.flush(); }
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  void row(const AuditedRow& row) override { write_row(json_, row); }
  void end(const AuditSummary& summary) override {
    json_.begin_object();
    json_.begin_object("summary");
    write_totals(json_, summary);
    json_.end_object();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  JsonWriter json_;
};

/// The summary as one document.
class JsonSummary final : public AuditWriter {
 public:
  JsonSummary(TextSink sink, const AuditReportOptions& options)
      : json_(std::move(sink), {.indented_levels = 3}), version_(options.tool_version), source_(options.source) {}

  void end(const AuditSummary& summary) override {
    json_.begin_object();
    json_.text("schema", "roofline.audit/1");
    json_.begin_object("tool");
    json_.text("name", "roofline");
    json_.text("version", version_);
    json_.end_object();
    if (!source_.empty()) json_.text("source", source_);
    json_.text("flop_convention", "fma=2");
    json_.begin_object("summary");
    write_totals(json_, summary);
    write_groups(json_, "by_gpu", summary.by_gpu);
    write_groups(json_, "by_op", summary.by_op);
    json_.end_object();
    write_notable(json_, "below_floor", summary.flagged);
    write_notable(json_, "most_above_floor", summary.slowest);
    json_.begin_array("unused_columns");
    for (const auto& column : summary.unused_columns) json_.text(column);
    json_.end_array();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  JsonWriter json_;
  std::string version_, source_;
};

}  // namespace

std::unique_ptr<AuditWriter> make_jsonl(TextSink sink, const AuditReportOptions&) {
  return std::make_unique<JsonLines>(std::move(sink));
}
std::unique_ptr<AuditWriter> make_json(TextSink sink, const AuditReportOptions& options) {
  return std::make_unique<JsonSummary>(std::move(sink), options);
}

}  // namespace roofline::audit_rows
