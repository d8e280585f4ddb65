#include "profile/range_reader.hpp"

#include <algorithm>

namespace roofline {
namespace {

constexpr std::size_t kDeepest =
    64;  // ranges that are open at once; those further in are not entered

Seconds of_ns(std::uint64_t ns) { return Seconds(static_cast<double>(ns) / 1e9); }

bool is_launch(std::uint64_t role) {
  return role == static_cast<std::uint64_t>(capture::ApiRole::kernel_launch) ||
         role == static_cast<std::uint64_t>(capture::ApiRole::graph_launch);
}

}  // namespace

RangeReader::RangeReader(std::vector<NamedRange> ranges, LaunchedKernels kernels)
    : ranges_(std::move(ranges)),
      instances_(ranges_.size()),
      kernels_(std::move(kernels)),
      sorter_([this](const Interval& interval) { take(interval); }) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_thread;
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) by_thread[ranges_[i].thread].push_back(i);
  for (auto& [thread, indices] : by_thread) make_stretches(thread, indices);
}

void RangeReader::make_stretches(std::uint64_t thread, std::vector<std::uint32_t>& indices) {
  std::stable_sort(indices.begin(), indices.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranges_[a].start != ranges_[b].start ? ranges_[a].start < ranges_[b].start
                                                : ranges_[a].end > ranges_[b].end;
  });
  auto& stretches = threads_[thread];
  std::vector<std::uint32_t> open;
  const auto close_until = [&](std::uint64_t time) {
    for (;;) {
      const auto next = std::min_element(open.begin(), open.end(), [&](auto a, auto b) {
        return ranges_[a].end < ranges_[b].end;
      });
      if (next == open.end() || ranges_[*next].end > time) return;
      const auto end = ranges_[*next].end;
      open.erase(next);
      stretches.push_back({end, open});
    }
  };
  for (const auto index : indices) {
    close_until(ranges_[index].start);
    if (open.size() >= kDeepest) continue;
    open.push_back(index);
    stretches.push_back({ranges_[index].start, open});
  }
  close_until(~std::uint64_t{0});
}

void RangeReader::record(const capture::Launch& launch) {
  if (launch.start == 0 || launch.end < launch.start) return;
  const Kernel kernel{launch.start, launch.end,
                      kernels_.of(launch.shape, launch.operation)};
  if (const auto call = join_.kernel(launch.correlation, kernel))
    put(kernel, call->thread, call->start);
}

void RangeReader::record(const capture::Graph& graph) {
  record(capture::Launch{0, graph.stream, graph.start, graph.end, graph.correlation, graph.graph, 0});
}

void RangeReader::record(const capture::Api& api) {
  if (!is_launch(api.role)) return;
  if (const auto waiting =
          join_.call(api.correlation, {api.start, api.end - api.start, api.thread}))
    put(*waiting, api.thread, api.start);
}

void RangeReader::put(const Kernel& kernel, std::uint64_t thread, std::uint64_t call_start) {
  put_into(kernel, thread, call_start);
  if (thread != 0) put_into(kernel, 0, call_start);
}

void RangeReader::put_into(const Kernel& kernel, std::uint64_t thread, std::uint64_t call_start) {
  const auto stretches = threads_.find(thread);
  if (stretches == threads_.end()) return;
  const auto after =
      std::upper_bound(stretches->second.begin(), stretches->second.end(), call_start,
                       [](std::uint64_t time, const Stretch& s) { return time < s.start; });
  if (after == stretches->second.begin()) return;
  for (const auto range : std::prev(after)->open) {
    sorter_.add({kernel.start, kernel.end, range});
    if (kernel.index != kNoKernel) inside_.emplace(kernel.index, ranges_[range].name);
  }
}

void RangeReader::take(const Interval& interval) {
  auto& instance = instances_[interval.lane];
  if (instance.launches++ == 0) instance.first = instance.busy_until = interval.start;
  const auto from = std::max(instance.busy_until, interval.start);
  if (interval.end > from) {
    instance.busy += interval.end - from;
    instance.busy_until = interval.end;
  }
}

void RangeReader::finish(std::vector<ProfiledRange>& ranges, std::size_t run,
                         std::vector<ProfiledKernel>& seen) {
  sorter_.finish();
  for (const auto& [kernel, name] : inside_) {
    auto& names = seen[kernel].ranges;
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    if (!name.empty() && (at == names.end() || *at != name)) names.emplace(at, name);
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < ranges.size(); ++i) places[ranges[i].name] = i;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].name.empty()) continue;  // the whole program has this place
    const auto [at, is_new] = places.try_emplace(ranges_[i].name, ranges.size());
    if (is_new) ranges.push_back({ranges_[i].name, {}});
    auto& runs = ranges[at->second].runs;
    runs.resize(std::max(runs.size(), run + 1));
    const auto& instance = instances_[i];
    ++runs[run].instances;
    runs[run].launches += instance.launches;
    const auto span = instance.busy_until - instance.first;
    runs[run].time += of_ns(span);
    runs[run].idle += of_ns(span - instance.busy);
  }
}

}  // namespace roofline
