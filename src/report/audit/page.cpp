#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/audit/formats.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::audit_rows {
namespace {

constexpr std::size_t kMostGroupLines = 40;  // of a table by GPU or by op; the rest is said in one line
constexpr std::size_t kShapeWidth = 40;

std::string whole(long long value) {
  auto digits = std::to_string(value);
  if (digits.size() < 5) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}
std::string rows_of(long long count) { return whole(count) + (count == 1 ? " row" : " rows"); }

std::string share(long long part, long long all) {
  return all > 0 ? fmt::format("{:.3g} %", 100.0 * static_cast<double>(part) / static_cast<double>(all)) : std::string("-");
}

/// floor / time over a group: how much of the time the roofs explain.
std::string explained(const AuditGroup& group) {
  return group.time > Seconds(0) ? fmt::format("{:.3g} %", 100 * (group.floor / group.time)) : std::string("-");
}

class AuditPage final : public AuditWriter {
 public:
  AuditPage(std::unique_ptr<Page> page, const AuditReportOptions& options) : page_(std::move(page)), source_(options.source) {}

  void end(const AuditSummary& summary) override {
    headline(summary);
    skipped(summary);
    if (summary.judged() > 0) {
      groups("by GPU", "GPU", summary.by_gpu);
      groups("by operation", "op", summary.by_op);
      causes(summary);
      notable("furthest below the floor", summary.flagged, true);
      notable("most time above the floor", summary.slowest, false);
    }
    closing(summary);
  }

 private:
  void headline(const AuditSummary& s) {
    const auto name = source_.empty() ? std::string("times") : printable(source_);
    page_->heading(name, fmt::format("{}, {} judged", rows_of(s.rows), s.judged() == s.rows ? "all" : whole(s.judged())));
    if (s.judged() == 0) return;
    const auto status = [&](Status which) { return s.all.by_status[static_cast<std::size_t>(which)]; };
    const auto bound = [&](Bound which) { return s.all.by_bound[static_cast<std::size_t>(which)]; };
    std::vector<PageFact> facts;
    const auto fact = [&](std::string_view label, long long count, std::string_view detail) {
      facts.push_back({std::string(label), whole(count), fmt::format("{}  {}", share(count, s.judged()), detail)});
    };
    fact("impossible", status(Status::impossible), "faster than the floor allows: no verdict, see the causes");
    fact("at the ceiling", status(Status::at_ceiling), "85 % of the ceiling and more");
    fact("near", status(Status::near), "60 to 85 %");
    fact("under the roof", status(Status::under_roof), "less than 60 %");
    page_->facts(facts);
    std::string bounds;
    for (const auto which : {Bound::memory, Bound::compute, Bound::overhead, Bound::link, Bound::unknown})
      if (const auto count = bound(which)) bounds += fmt::format("{}{} {}", bounds.empty() ? "" : ", ", bound_name(which), whole(count));
    page_->sentence("bound: " + bounds);
  }

  void skipped(const AuditSummary& s) {
    if (s.judged() == s.rows) return;
    page_->gap();
    page_->heading("not judged", rows_of(s.rows - s.judged()));
    page_->begin_table({{"rows", Align::right}, {"reason", Align::left, 30}, {"first line", Align::right}, {"there", Align::left, 10, 1}});
    for (std::size_t i = 0; i < kSkipReasons; ++i)
      if (const auto& row = s.skipped[i]; row.count > 0)
        page_->row({whole(row.count), std::string(skip_title(static_cast<SkipReason>(i))), std::to_string(row.first_line), row.detail});
    page_->end_table();
  }

  void groups(std::string_view title, std::string_view column, const std::map<std::string, AuditGroup, std::less<>>& groups) {
    page_->gap();
    page_->heading(title, "time explained: floors over times");
    page_->begin_table({{std::string(column), Align::left, 12}, {"rows", Align::right}, {"impossible", Align::right}, {"flagged", Align::right, 0, 3},
                        {"at ceiling", Align::right, 0, 2}, {"near", Align::right, 0, 2}, {"under roof", Align::right, 0, 2},
                        {"memory", Align::right, 0, 1}, {"compute", Align::right, 0, 1}, {"overhead", Align::right, 0, 1}, {"explained", Align::right}});
    std::vector<std::pair<std::string_view, const AuditGroup*>> order;
    for (const auto& [name, group] : groups) order.emplace_back(name, &group);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second->rows > b.second->rows; });
    for (std::size_t i = 0; i < order.size() && i < kMostGroupLines; ++i) {
      const auto& group = *order[i].second;
      const auto status = [&](Status which) { return whole(group.by_status[static_cast<std::size_t>(which)]); };
      const auto bound = [&](Bound which) { return whole(group.by_bound[static_cast<std::size_t>(which)]); };
      page_->row({printable(order[i].first), whole(group.rows), status(Status::impossible), whole(group.flagged), status(Status::at_ceiling),
                  status(Status::near), status(Status::under_roof), bound(Bound::memory), bound(Bound::compute), bound(Bound::overhead),
                  explained(group)});
    }
    page_->end_table();
    if (order.size() > kMostGroupLines) page_->sentence(fmt::format("and {} more (--format json lists them)", order.size() - kMostGroupLines));
  }

  void causes(const AuditSummary& s) {
    if (s.by_cause.empty()) return;
    page_->gap();
    page_->heading("likeliest causes", fmt::format("of {} below their floor or without work", rows_of(s.all.flagged)));
    page_->begin_table({{"rows", Align::right}, {"cause", Align::left, 16}});
    std::vector<std::pair<std::string_view, long long>> order(s.by_cause.begin(), s.by_cause.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [code, count] : order) page_->row({whole(count), std::string(code)});
    page_->end_table();
  }

  void notable(std::string_view title, const std::vector<NotableRow>& rows, bool with_causes) {
    if (rows.empty()) return;
    page_->gap();
    page_->heading(title, "");
    page_->begin_table({{"line", Align::right}, {"op", Align::left, 8}, {"shape", Align::left, 12, 2}, {"GPU", Align::left, 10}, {"time", Align::right},
                        {"floor", Align::right}, {with_causes ? "time/floor" : "of ceiling", Align::right}, {"bound", Align::left, 0, 3},
                        {with_causes ? "likely" : "attainable", with_causes ? Align::left : Align::right, 0, 1}});
    for (const auto& row : rows) {
      const bool has_floor = row.floor > Seconds(0);
      std::string ratio = "-";
      if (has_floor) ratio = with_causes ? fmt::format("{:.3g}", row.time / row.floor) : fmt::format("{:.3g} %", 100 * (row.floor / row.time));
      std::string last = with_causes && !row.causes.empty() ? row.causes.front().code : std::string();
      if (!with_causes && row.attainable) last = format_seconds(*row.attainable);
      page_->row({std::to_string(row.line), printable(row.op), shortened(row.shape, kShapeWidth), row.gpu, format_seconds(row.time),
                  has_floor ? format_seconds(row.floor) : std::string("none"), ratio, std::string(bound_name(row.bound)), last});
    }
    page_->end_table();
  }

  void closing(const AuditSummary& s) {
    page_->gap();
    if (s.timing_unknown > 0)
      page_->remark("note", fmt::format("{} so short that they cannot be judged without knowing how they were taken: a column timing, or --timing",
                                        rows_of(s.timing_unknown)), Tone::plain, 0);
    if (s.counts_differ > 0)
      page_->remark("note", fmt::format("{} carry FLOPs or bytes that differ from ours by more than 0.1 %; ours are used", rows_of(s.counts_differ)), Tone::plain, 0);
    if (!s.unused_columns.empty()) page_->remark("note", "columns not used: " + printable(joined(s.unused_columns)), Tone::plain, 0);
    const auto impossible = s.impossible();
    const auto text = s.judged() == 0     ? std::string("nothing could be judged")
                      : impossible > 0 ? fmt::format("{} impossible: they measure something else than they say, or the table has a wrong figure", rows_of(impossible))
                                       : std::string("no time is below its floor");
    page_->remark("verdict", text, s.judged() == 0 || impossible > 0 ? Tone::bad : Tone::good, text.size());
  }

  std::unique_ptr<Page> page_;
  std::string source_;
};

}  // namespace

std::unique_ptr<AuditWriter> make_table(TextSink sink, const AuditReportOptions& options) {
  ReportOptions page;
  page.width = options.width;
  page.colour = options.colour;
  return std::make_unique<AuditPage>(text_page(std::move(sink), page), options);
}
std::unique_ptr<AuditWriter> make_markdown(TextSink sink, const AuditReportOptions& options) {
  return std::make_unique<AuditPage>(markdown_page(std::move(sink)), options);
}

}  // namespace roofline::audit_rows
