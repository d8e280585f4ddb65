#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/history.hpp"

/// What `roofline history` prints.
namespace roofline {

/// One kernel in one run.
struct HistoryMoment {
  std::string time, commit;
  HistoryPoint point;
};
/// One kernel on one machine, the oldest first.
struct HistorySeries {
  std::string machine;
  std::vector<HistoryMoment> moments;
};
void write_series_page(Page& page, const std::string& id, std::span<const HistorySeries> series, std::size_t last);
void write_series_json(JsonWriter& json, const std::string& id, std::span<const HistorySeries> series);

/// One kernel of the overview.
struct HistoryKernel {
  std::string id, machine;
  std::size_t runs = 0;
  double first_s = 0, latest_s = 0;  ///< of the runs that the overview covers
  double least_s = 0, most_s = 0;
};
struct HistoryOverview {
  std::size_t files = 0, covered = 0;  ///< runs of the history; the newest of them that the kernels come from
  std::string first_time, last_time;   ///< of all
  std::vector<HistoryKernel> kernels;
};
void write_overview_page(Page& page, const HistoryOverview& overview);
void write_overview_json(JsonWriter& json, const HistoryOverview& overview);

/// "undecided in 4 of the last 5 runs: this limit protects nothing"; empty where that is not so.
std::string undecided_text(std::span<const HistoryMoment> moments);

}  // namespace roofline
