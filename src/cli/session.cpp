#include "cli/session.hpp"

#include <algorithm>
#include <iterator>

#include "roofline/analysis/compare.hpp"
#include "roofline/analysis/gate.hpp"
#include "roofline/kernel/result.hpp"
#include "roofline/machine/catalog.hpp"

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

Error not_recordable(const std::string& file, std::string what, std::string hint = {}) {
  return {Code::not_recordable, {file, 0, 0, 1, {}, 0}, std::move(what), std::move(hint), {}};
}

/// The kernels of one result under names of their own.
void take_kernels(const ResultRecord& record, const SessionLabel& label, Session& session,
                  Errors& errors) {
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

/// A gate, and what its descriptions come to on its GPU.
struct NamingGate {
  GateFile file;
  std::vector<GateSource> sources;
};

Checked<NamingGate> read_naming_gate(const std::string& path) {
  auto gate = read_gate_file(path);
  if (!gate) return tl::unexpected(std::move(gate.error()));
  std::optional<Gpu> gpu;
  std::optional<Ceilings> ceilings;
  if (!gate->gpu.empty()) {
    auto found = find_gpu(gate->gpu);
    if (!found) return tl::unexpected(std::move(found.error()));
    gpu = std::move(*found);
    ceilings.emplace(*gpu);
  }
  auto sources = read_gate_sources(*gate, nullptr, ceilings ? &*ceilings : nullptr);
  if (!sources) return tl::unexpected(std::move(sources.error()));
  return NamingGate{std::move(*gate), std::move(*sources)};
}

/// The kernels and ranges of one result that a gate names.
void take_gated(const ResultRecord& record, const NamingGate& gate, const SessionLabel& label,
                Session& session, Errors& errors) {
  const auto take = [&](Result<FreshEntry> fresh) {
    if (fresh)
      session.entries.push_back(std::move(*fresh));
    else
      errors.push_back(std::move(fresh.error()));
  };
  const auto gated = gated_kernels(gate.file, record);
  for (const auto& one : gated) {
    auto kernel = record.kernels[one.kernel];
    if (!kernel.measured) {
      session.left_out.push_back(one.id);
      continue;
    }
    // The gate's description goes before one that the result was held against.
    if (const auto& spec = gate.sources[one.entry].spec) kernel.time_floor = spec->floor;
    take(fresh_entry(record, kernel, one.id, label));
  }
  session.ungated += record.kernels.size() - gated.size();
  for (const auto& entry : gate.file.entries) {
    if (entry.section != GateSection::range) continue;
    const auto* range = record.find_range(entry.match.nvtx);
    const bool timed =
        range && std::any_of(range->runs.begin(), range->runs.end(),
                             [](const RangeRun& run) { return run.time.has_value(); });
    if (timed)
      take(fresh_range(record, *range, entry.id, label));
    else
      session.left_out.push_back(entry.id);
  }
}

/// Results of one machine as one: a gate numbers the kernels of an entry over all of them.
std::vector<ResultRecord> by_machine(std::vector<ResultRecord> records) {
  std::vector<std::vector<ResultRecord>> groups;
  for (auto& record : records) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return machine_of(group.front()) == machine_of(record) &&
             method_of(group.front()) == method_of(record);
    });
    if (same == groups.end())
      groups.push_back({std::move(record)});
    else
      same->push_back(std::move(record));
  }
  std::vector<ResultRecord> together;
  for (const auto& group : groups) together.push_back(merged(group));
  return together;
}

}  // namespace

Checked<Session> read_session(const std::vector<std::string>& files, const SessionLabel& label,
                              bool allow_disturbed, const std::string& gate_file) {
  Session session;
  Errors errors;
  std::optional<NamingGate> gate;
  if (!gate_file.empty()) {
    auto read = read_naming_gate(gate_file);
    if (!read) return tl::unexpected(std::move(read.error()));
    gate = std::move(*read);
  }
  std::vector<ResultRecord> usable;
  for (const auto& file : files) {
    auto records = read_result_file(file);
    if (!records) {
      append(errors, std::move(records.error()));
      continue;
    }
    for (auto& record : *records) {
      if (const auto why = refusal_of(record, allow_disturbed); !why.empty()) {
        errors.push_back(not_recordable(record.file, "this result cannot be recorded: " + why));
        continue;
      }
      if (session.disturbed.empty()) session.disturbed = refusal_of(record, false);
      usable.push_back(std::move(record));
    }
  }
  if (gate) usable = by_machine(std::move(usable));
  for (const auto& record : usable) {
    if (gate)
      take_gated(record, *gate, label, session, errors);
    else
      take_kernels(record, label, session, errors);
  }
  if (errors.empty() && session.entries.empty())
    errors.push_back(
        gate && session.ungated > 0
            ? not_recordable(gate->file.file,
                             "no kernel of the results is one that this gate names",
                             "without --gate every kernel is recorded, under its own name")
            : not_recordable({}, "no measured time was found in the results",
                             "roofline profile --runs 5 -o run.json -- ./bench"));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return session;
}

}  // namespace roofline::cli
