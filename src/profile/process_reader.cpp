#include "profile/process_reader.hpp"

#include <algorithm>

#include "profile/device_activity.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline {
namespace {

// By division, which is rounded once: 5792 ns are 5.792e-06 s and not 5.792000000000001e-06.
Seconds of_ns(std::uint64_t ns) { return Seconds(static_cast<double>(ns) / 1e9); }

bool is_launch(std::uint64_t role) {
  return role == static_cast<std::uint64_t>(capture::ApiRole::kernel_launch) ||
         role == static_cast<std::uint64_t>(capture::ApiRole::graph_launch);
}
bool enqueues(std::uint64_t role) {
  return is_launch(role) || role == static_cast<std::uint64_t>(capture::ApiRole::copy) ||
         role == static_cast<std::uint64_t>(capture::ApiRole::set);
}

/// A start of 0 or an end before the start is what the profiler writes where it has no time.
bool valid(std::uint64_t start, std::uint64_t end) { return start != 0 && end >= start; }

}  // namespace

std::uint32_t KernelTable::find(const std::string& symbol, const capture::Shape& shape) {
  const auto next = static_cast<std::uint32_t>(kernels_.size());
  const auto [at, is_new] = index_[symbol].try_emplace({shape.grid, shape.block}, next);
  if (!is_new) return at->second;
  ProfiledKernel kernel;
  kernel.symbol = symbol;
  kernel.name = canonical_name(symbol);
  kernel.full_name = demangle(symbol);
  kernel.grid = shape.grid;
  kernel.block = shape.block;
  kernel.cluster = shape.cluster;
  kernel.static_shared_bytes = shape.static_shared_bytes;
  kernel.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  kernel.registers = shape.registers;
  kernel.local_bytes_per_thread = shape.local_bytes_per_thread;
  kernels_.push_back(std::move(kernel));
  return next;
}

std::uint32_t KernelTable::find(std::uint32_t kernel, const Operation& operation) {
  const auto next = static_cast<std::uint32_t>(kernels_.size());
  // As numbers with the texts behind them: equal content, equal key.
  std::string texts;
  const auto numbers = pack(operation, [&](std::string_view text) {
    texts += std::to_string(text.size());
    texts += ':';
    texts += text;
    return std::uint64_t{1};
  });
  std::string key;
  for (const auto number : numbers) key += std::to_string(number) + ',';
  key += texts;
  const auto [at, is_new] = variants_[kernel].try_emplace(std::move(key), next);
  if (!is_new) return at->second;
  const auto& plain = kernels_[kernel];
  ProfiledKernel variant;
  variant.symbol = plain.symbol;
  variant.name = plain.name;
  variant.full_name = plain.full_name;
  variant.grid = plain.grid;
  variant.block = plain.block;
  variant.cluster = plain.cluster;
  variant.static_shared_bytes = plain.static_shared_bytes;
  variant.dynamic_shared_bytes = plain.dynamic_shared_bytes;
  variant.registers = plain.registers;
  variant.local_bytes_per_thread = plain.local_bytes_per_thread;
  variant.operation = operation;
  kernels_.push_back(std::move(variant));
  return next;
}

std::vector<ProfiledKernel> KernelTable::take() {
  std::vector<ProfiledKernel> kept;
  for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
    auto& kernel = kernels_[i];
    const bool ran = kernel.launches + kernel.invalid_times > 0 || !kernel.counters.empty();
    if (ran || !variants_.contains(i)) kept.push_back(std::move(kernel));
  }
  return kept;
}

ProcessReader::ProcessReader(Profiled& profile, KernelTable& kernels, LossCounts& losses,
                             std::size_t process, std::size_t run, const KernelKinds* kinds)
    : profile_(profile),
      kernels_(kernels),
      losses_(losses),
      process_(process),
      run_(run),
      timed_(profile.processes[process].mode != kCounterMode &&
             profile.processes[process].mode != kSampleMode),
      in_order_(timed_ && profile.processes[process].mode != kReplayMode &&
                !profile.processes[process].warmups),
      kinds_(kinds),
      warmups_(profile.processes[process].warmups) {}

const std::string& ProcessReader::text(std::uint64_t id) const {
  static const std::string kMissing;
  if (id < texts_.size()) return texts_[id];
  const auto far = far_texts_.find(id);
  return far == far_texts_.end() ? kMissing : far->second;
}

std::uint32_t ProcessReader::kernel_of(std::uint64_t shape, std::uint64_t operation) {
  const auto* slot = launched_.shape(shape);
  if (!slot || operation == 0) return slot ? slot->kernel : LaunchedKernels::kNone;
  if (const auto known = launched_.of(shape, operation); known != LaunchedKernels::kNone)
    return known;
  const auto named = operations_.find(operation);
  if (named == operations_.end()) {
    ++losses_["operations_unknown"];
    return slot->kernel;
  }
  const auto index = kernels_.find(slot->kernel, named->second);
  made_room(kernel(index));
  launched_.set(shape, operation, index);
  return index;
}

void ProcessReader::record(const capture::Operation& operation) {
  if (operation.id == 0 || operation.id > kMostIds) {
    ++losses_["operations_past_limit"];
    return;
  }
  Operation content;
  if (unpack(
          operation.content, [&](std::uint64_t id) -> const std::string& { return text(id); },
          content))
    operations_[operation.id] = std::move(content);
  else
    ++losses_["damaged_records"];
}

void ProcessReader::record(const capture::Summary& summary) {
  const auto index = kernel_of(summary.shape, summary.operation);
  if (index == LaunchedKernels::kNone || summary.seconds.size() < 5) {
    ++losses_["launches_of_unknown_kernels"];
    return;
  }
  const auto known = [&](std::size_t i) {
    return i < summary.seconds.size() && summary.seconds[i] >= 0
               ? std::optional(Seconds(summary.seconds[i]))
               : std::nullopt;
  };
  SummedTimes sums{.launches = summary.launches,
                   .total = {},
                   .median = known(2),
                   .least = known(3),
                   .most = known(4),
                   .q1 = known(5),
                   .q3 = known(6)};
  const auto total = known(0), mean = known(1);
  if (summary.launches == 0 || (!total && !mean)) {
    ++losses_["invalid_times"];
    return;
  }
  sums.total = total ? *total : *mean * static_cast<double>(summary.launches);
  used_.insert(launched_.shape(summary.shape)->device);
  auto& seen = kernel(index);
  seen.launches += summary.launches;
  seen.operation_starts += summary.launches;
  seen.rank_launches[process_] += summary.launches;
  seen.rank_time[process_] += sums.total;
  profile_.processes[process_].launches += summary.launches;
  profile_.processes[process_].kernel_time += sums.total;
  seen.sums.push_back(sums);
}

void ProcessReader::record(const capture::Text& text) {
  if (text.id <= kMostIds) {
    if (texts_.size() <= text.id) texts_.resize(text.id + 1);
    texts_[text.id] = text.value;
  } else if (far_texts_.size() < kMostIds) {
    far_texts_[text.id] = text.value;
  } else {
    ++losses_["names_past_limit"];
  }
}

void ProcessReader::record(const capture::Device& device) {
  ProfiledDevice seen{.facts = device,
                      .name = text(device.name),
                      .uuid = text(device.uuid),
                      .simulated = device.simulated != 0};
  profile_.simulated = profile_.simulated || seen.simulated;
  auto& all = profile_.devices;
  auto at = std::find_if(all.begin(), all.end(), [&](const ProfiledDevice& other) {
    return seen.uuid.empty() ? other.name == seen.name && other.facts.ordinal == device.ordinal
                             : other.uuid == seen.uuid;
  });
  if (at == all.end()) at = all.insert(at, std::move(seen));
  devices_.emplace_back(device.ordinal, static_cast<std::size_t>(at - all.begin()));
}

void ProcessReader::record(const capture::Shape& shape) {
  if (shape.id > kMostIds) {
    ++losses_["kernels_past_limit"];
    return;
  }
  const auto& symbol = text(shape.name);
  const auto index =
      kernels_.find(symbol.empty() ? std::string("(unnamed kernel)") : symbol, shape);
  made_room(kernel(index));
  launched_.set(shape.id, {index, shape.device});
}

/// Room for this run and this process in a kernel's lists.
void ProcessReader::made_room(ProfiledKernel& seen) const {
  if (timed_) seen.runs.resize(std::max(seen.runs.size(), run_ + 1));
  seen.rank_launches.resize(std::max(seen.rank_launches.size(), process_ + 1));
  seen.rank_time.resize(std::max(seen.rank_time.size(), process_ + 1));
}

bool ProcessReader::waits_for_others(std::uint32_t index) {
  if (!kinds_) return false;
  const auto [at, is_new] = waiting_.try_emplace(index, false);
  if (is_new) at->second = kinds_->kind_of(kernel(index).full_name) == kCommunicationKind;
  return at->second;
}

void ProcessReader::ran(std::uint32_t index, std::uint64_t device, std::uint64_t stream,
                        std::uint64_t start, std::uint64_t end) {
  auto& seen = kernel(index);
  const auto duration = end - start;
  seen.runs[run_].add(duration);
  ++seen.launches;
  ++seen.rank_launches[process_];
  seen.rank_time[process_] += of_ns(duration);
  profile_.processes[process_].kernel_time += of_ns(duration);
  used_.insert(device);
  if (!in_order_) return;
  timeline_.kernel(device, stream, start, end, waits_for_others(index));
  ++device_launches_[device];
}

/// Whether a launch belongs to what surrounds a described kernel: our own, or one to warm up.
bool ProcessReader::passed_over(std::uint32_t index) {
  if (!warmups_) return false;
  if (kernel(index).symbol.starts_with(profile::kOwnKernelPrefix)) return true;
  auto& passed = warm_[index];
  return passed < *warmups_ && ++passed <= *warmups_;
}

void ProcessReader::record(const capture::Launch& launch) {
  if (!timed_) return;
  const auto index = kernel_of(launch.shape, launch.operation);
  if (index == LaunchedKernels::kNone) {
    ++losses_["launches_of_unknown_kernels"];
    return;
  }
  if (passed_over(index)) return;
  auto& seen = kernel(index);
  ++profile_.processes[process_].launches;
  if (!valid(launch.start, launch.end)) {
    ++seen.invalid_times;
    ++losses_["invalid_times"];
    return;
  }
  ran(index, launched_.shape(launch.shape)->device, launch.stream, launch.start, launch.end);
  if (launch.operation != 0 && launch.part == 0) ++seen.operation_starts;
  if (launch.graph != 0) {
    ++seen.in_graphs;  // its call is the graph's, once for all of its nodes
    return;
  }
  if (const auto call = join_.kernel(launch.correlation, index))
    seen.launch_cost.add(call->duration);
}

/// Where whole graphs were asked for, each stands for its kernels.
void ProcessReader::record(const capture::Graph& graph) {
  if (!timed_) return;
  if (!valid(graph.start, graph.end)) {
    ++losses_["invalid_times"];
    return;
  }
  const auto index =
      kernels_.find("[CUDA graph " + std::to_string(graph.graph) + "]", capture::Shape{});
  auto& seen = kernel(index);
  made_room(seen);
  ++profile_.processes[process_].launches;
  ++seen.in_graphs;
  ran(index, graph.device, graph.stream, graph.start, graph.end);
}

void ProcessReader::record(const capture::Copy& copy) {
  if (!timed_) return;
  if (!valid(copy.start, copy.end)) {
    ++losses_["invalid_times"];
    return;
  }
  if (warmups_) return;  // of filling and checking its tensors
  timeline_.copy(copy.device, copy.stream, copy.start, copy.end);
  ++device_copies_[copy.device];
}

void ProcessReader::record(const capture::Api& api) {
  if (!timed_ || !enqueues(api.role) || !valid(api.start, api.end)) return;
  if (!warmups_) timeline_.launching(api.start, api.end);
  if (is_launch(api.role)) launching_call(api);
}

void ProcessReader::launching_call(const capture::Api& api) {
  const auto domain = static_cast<std::size_t>(api.domain % 2);
  const bool graph = api.role == static_cast<std::uint64_t>(capture::ApiRole::graph_launch);
  if (!warmups_) count_call(api, domain, graph);
  if (graph) return;
  if (const auto waiting =
          join_.call(api.correlation, {api.start, api.end - api.start, api.thread}))
    kernel(*waiting).launch_cost.add(api.end - api.start);
}

void ProcessReader::count_call(const capture::Api& api, std::size_t domain, bool graph) {
  ++(graph ? graph_calls_ : kernel_calls_)[domain];
  auto& last = threads_[api.thread];
  if (last.end != 0 && api.start <= last.start && api.end >= last.end)
    launching_ns_ -= last.end - last.start;  // nested
  if (!(api.start >= last.start && api.end <= last.end)) {
    launching_ns_ += api.end - api.start;
    last = {api.start, api.end};
  }
}

void ProcessReader::record(const capture::Overhead& overhead) {
  if (valid(overhead.start, overhead.end)) timeline_.profiler(overhead.start, overhead.end);
}

void ProcessReader::record(const capture::Range& range) {
  if (ranges_.size() >= kMostIds || !valid(range.start, range.end)) {
    ++losses_["ranges_past_limit"];
    return;
  }
  ranges_.push_back({text(range.name), range.thread, range.start, range.end});
}

void ProcessReader::record(const capture::Counters& counters) {
  const auto* slot = launched_.shape(counters.shape);
  if (!slot || counters.metrics.size() != counters.values.size()) {
    ++losses_["counters_of_unknown_kernels"];
    return;
  }
  CounterSample sample{
      .occurrence = counters.occurrence, .replay_passes = counters.replay_passes, .values = {}};
  for (std::size_t i = 0; i < counters.metrics.size(); ++i)
    sample.values.insert_or_assign(text(counters.metrics[i]), counters.values[i]);
  kernel(slot->kernel).counters.push_back(std::move(sample));
}

void ProcessReader::record(const capture::Sample& sample) {
  if (!valid(sample.start, sample.end) || sample.metrics.size() != sample.values.size()) {
    ++losses_["invalid_times"];
    return;
  }
  auto& all = profile_.samples;
  auto at = std::find_if(all.begin(), all.end(), [&](const DeviceSamples& s) {
    return s.process == process_ && s.device == sample.device;
  });
  if (at == all.end())
    at = all.insert(at, DeviceSamples{.process = process_, .device = sample.device});
  CounterValues values;
  for (std::size_t i = 0; i < sample.metrics.size(); ++i)
    values.emplace_back(text(sample.metrics[i]), sample.values[i]);
  at->add(of_ns(sample.end - sample.start), values);
}

void ProcessReader::record(const capture::Loss& loss) {
  const auto& reason = text(loss.reason);
  if (warmups_ && reason == profile::plugin::loss::kLaunchesExcluded) return;  // of our own kernels
  losses_[reason.empty() ? std::string("unnamed") : reason] += loss.count;
}

void ProcessReader::record(const capture::Status& status) {
  auto& process = profile_.processes[process_];
  process.status = text(status.what);
  if (process.status == profile::plugin::status::kFatalError) ++losses_["profiler_stopped"];
  process.status_detail = text(status.detail);
  process.status_result = status.result;
  process.cupti_version = status.cupti_version;
  process.cupti_path = text(status.cupti_path);
  process.driver_version = status.driver_version;
}

void ProcessReader::record(const capture::Code& code) {
  codes_[text(code.name)] = {
      code.sm,          code.tensor_types,       code.hash, code.registers, code.local_bytes,
      code.spill_bytes, code.static_shared_bytes};
}

void ProcessReader::record(const capture::End& end) {
  profile_.processes[process_].end_reason = text(end.reason);
}

void ProcessReader::take_codes() {
  for (const auto& slot : launched_.shapes()) {
    if (slot.kernel == LaunchedKernels::kNone || kernel(slot.kernel).code) continue;
    if (const auto code = codes_.find(kernel(slot.kernel).symbol); code != codes_.end())
      kernel(slot.kernel).code = code->second;
  }
}

void ProcessReader::finish(const CaptureTally& tally) {
  auto& process = profile_.processes[process_];
  process.ended = tally.ended;
  process.launch_calls = std::max(kernel_calls_[0], kernel_calls_[1]);
  process.graph_launches = std::max(graph_calls_[0], graph_calls_[1]);
  process.launching = of_ns(launching_ns_);
  take_codes();
  if (tally.damaged > 0) losses_["damaged_records"] += tally.damaged;
  for (const auto& [tag, count] : tally.unknown) losses_["records_of_a_newer_version"] += count;
  if (!tally.ended) ++losses_["capture_not_closed"];  // whoever started CUDA may have launched
  for (const auto& [ordinal, device] : devices_)
    if (used_.contains(ordinal)) profile_.devices[device].used = true;
  std::stable_partition(profile_.devices.begin(), profile_.devices.end(),
                        [](const ProfiledDevice& device) { return device.used; });
  for (auto& [ordinal, device] : timeline_.finish())
    if (device.seen)
      profile_.activity.push_back(activity_of(device,
                                              {.process = process_,
                                               .device = ordinal,
                                               .launches = device_launches_[ordinal],
                                               .copies = device_copies_[ordinal]},
                                              ranges_));
}

}  // namespace roofline
