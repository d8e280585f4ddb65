#include <fmt/format.h>

#include <algorithm>

#include "report/table.hpp"
#include "roofline/base/text.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

}  // namespace

void write_self_test(const SelfTest& test, const TextSink& sink) {
  constexpr std::size_t kWidth = 100;
  const auto say = [&](const std::string& line) { sink(line + "\n"); };
  if (!test.rows.empty()) {
    AlignedTable table({{"kernel", Align::left, 12},
                        {"rounds", Align::right},
                        {"spread", Align::right},
                        {"limit", Align::right},
                        {"smallest safe limit", Align::right},
                        {"without a change", Align::left}},
                       kWidth, 0, sink);
    for (const auto& row : test.rows)
      table.row({row.id, std::to_string(row.rounds), percent(row.spread),
                 row.limit ? percent(*row.limit) : "-",
                 row.safe_limit ? fmt::format("{:.0f} %", *row.safe_limit * 100) : "none to 100 %",
                 row.false_alarm                                   ? "FALSE ALARM"
                 : !row.limit                                      ? "-"
                 : row.safe_limit && *row.safe_limit <= *row.limit ? "passes"
                                                                   : "undecided"});
    table.finish();
  }
  const auto alarms = std::count_if(test.rows.begin(), test.rows.end(),
                                    [](const SelfTestRow& r) { return r.false_alarm; });
  const auto limited = std::count_if(test.rows.begin(), test.rows.end(),
                                     [](const SelfTestRow& r) { return r.limit.has_value(); });
  say(fmt::format("{} false alarm{} of {} limit{} on the same program", alarms,
                  alarms == 1 ? "" : "s", limited, limited == 1 ? "" : "s"));
  if (!test.too_few.empty()) {
    auto ids = test.too_few;
    constexpr std::size_t kMost = 10;
    const std::size_t more = ids.size() > kMost ? ids.size() - kMost : 0;
    ids.resize(std::min(kMost, ids.size()));
    say(fmt::format("fewer than 4 runs, so not tested: {}{}", joined(ids),
                    more > 0 ? fmt::format(" and {} more", more) : std::string()));
  }
}

}  // namespace roofline
