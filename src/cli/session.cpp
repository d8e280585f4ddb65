#include "cli/session.hpp"

#include <algorithm>
#include <iterator>

#include "roofline/analysis/compare.hpp"
#include "roofline/kernel/result.hpp"

namespace roofline::cli {
namespace {

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Results given together are one session: runs of one kernel on one machine are put together.
void merge(std::vector<FreshEntry>& all, FreshEntry&& fresh) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const FreshEntry& other) {
    return other.entry.id == fresh.entry.id && other.entry.machine == fresh.entry.machine &&
           other.entry.method == fresh.entry.method;
  });
  if (same == all.end()) return all.push_back(std::move(fresh));
  same->run_times.insert(same->run_times.end(), fresh.run_times.begin(), fresh.run_times.end());
  if (const auto session = session_time(same->run_times)) set_session(*same, *session);
}

void take_record(const ResultRecord& record, const SessionLabel& label, bool allow_disturbed,
                 Session& session, Errors& errors) {
  if (const auto why = refusal_of(record, allow_disturbed); !why.empty())
    return errors.push_back({Code::not_recordable,
                             {record.file, 0, 0, 1, {}, 0},
                             "this result cannot be recorded: " + why,
                             {},
                             {}});
  if (session.disturbed.empty()) session.disturbed = refusal_of(record, false);
  const auto ids = kernel_labels(record);
  for (std::size_t i = 0; i < record.kernels.size(); ++i) {
    const auto& kernel = record.kernels[i];
    if (!kernel.measured) {
      session.left_out.push_back(ids[i]);
      continue;
    }
    auto fresh = fresh_entry(record, kernel, ids[i], label);
    if (fresh)
      merge(session.entries, std::move(*fresh));
    else
      errors.push_back(std::move(fresh.error()));
  }
}

}  // namespace

Checked<Session> read_session(const std::vector<std::string>& files, const SessionLabel& label,
                              bool allow_disturbed) {
  Session session;
  Errors errors;
  for (const auto& file : files) {
    const auto records = read_result_file(file);
    if (!records) {
      append(errors, Errors(records.error()));
      continue;
    }
    for (const auto& record : *records)
      take_record(record, label, allow_disturbed, session, errors);
  }
  if (errors.empty() && session.entries.empty())
    errors.push_back({Code::not_recordable,
                      {},
                      "no measured time was found in the results",
                      "roofline profile --runs 5 -o run.json -- ./bench",
                      {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return session;
}

}  // namespace roofline::cli
