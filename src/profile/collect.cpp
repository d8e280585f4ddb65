#include "roofline/profile/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "profile/process_reader.hpp"
#include "profile/range_filter.hpp"
#include "profile/range_reader.hpp"
#include "roofline/base/text.hpp"
#include "roofline/profile/kernel_launch.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline {
namespace {

ProfiledProcess process_of(const CaptureHeader& header) {
  ProfiledProcess process;
  process.file = header.file;
  process.host = header.host;
  process.command = header.command;
  process.mode = header.mode;
  process.pid = header.pid;
  process.parent = header.parent;
  process.run = header.run;
  process.rank = header.rank;
  process.world_size = header.world_size;
  process.warmups = header.warmups;
  process.simulated = header.simulated;
  process.format = header.format;
  process.imported_from = header.imported_from;
  process.cut = header.cut;
  return process;
}

bool is_standard_input(const CaptureSource& source) {
  return source.name == "-" && !source.content;
}

Result<CaptureTally> read_within(CaptureFile& file, const RangeTimes& times,
                                 CaptureVisitor& reader) {
  OnlyInRanges within(times, reader);
  return file.read(within);
}

Result<CaptureTally> put_into_ranges(const CaptureSource& source, ProcessReader& first,
                                     std::vector<NamedRange> ranges, Profiled& profile,
                                     std::size_t run, KernelTable& kernels, LossCounts& losses,
                                     const RangeTimes* only) {
  if (is_standard_input(source)) {
    losses["ranges_of_standard_input"] += ranges.size();
    return CaptureTally{};
  }
  auto again = CaptureFile::open(source);
  if (!again) return tl::unexpected(again.error().front());
  RangeReader reader(std::move(ranges), first.take_launched());
  auto tally = only ? read_within(*again, *only, reader) : again->read(reader);
  if (tally) reader.finish(profile.ranges, run, kernels.kernels());
  return tally;
}

/// Names of phases, secondary records and counters may be missing without a launch or a time being
/// wrong.
constexpr std::string_view kBesideLaunches[] = {
    "kinds_refused",
    "gpu_guessed",
    "gpu_not_named",
    profile::plugin::loss::kCodesForgotten,
    profile::plugin::loss::kLaunchesNotCounted,
    profile::plugin::loss::kRangesUnexpected,
    profile::plugin::loss::kLaunchesExcluded,
    profile::plugin::loss::kLaunchesUnknown,
    profile::plugin::loss::kLaunchesForgotten,
    profile::plugin::loss::kGraphLaunches,
    profile::plugin::loss::kKernelsTooSeldom,
    profile::plugin::loss::kMetricsUnknown,
    profile::plugin::loss::kSamplesOverflowed,
    profile::plugin::loss::kPassesDiffer,
};
bool concerns_launches(std::string_view reason) {
  return !reason.starts_with("ranges_") &&
         std::find(std::begin(kBesideLaunches), std::end(kBesideLaunches), reason) ==
             std::end(kBesideLaunches);
}

/// A run under counters replays its kernels: how long they took there says nothing.
bool is_timed(const ProfiledProcess& process) {
  return process.mode != kCounterMode && process.mode != kSampleMode;
}

/// The whole program as a range without a name: its launches, and for its time the process that
/// took longest.
void add_whole_program(Profiled& profile, const std::vector<std::size_t>& run_of) {
  ProfiledRange whole{{}, std::vector<ProfiledRange::InRun>(profile.runs)};
  for (auto& run : whole.runs) run.instances = 1;
  for (std::size_t p = 0; p < profile.processes.size(); ++p)
    if (is_timed(profile.processes[p]))
      whole.runs[run_of[p]].launches += profile.processes[p].launches;
  for (const auto& activity : profile.activity) {
    auto& run = whole.runs[run_of[activity.process]];
    if (activity.span <= run.time) continue;
    run.time = activity.span;
    run.idle = activity.idle();
  }
  profile.ranges.insert(profile.ranges.begin(), std::move(whole));
}

void settle(Profiled& profile, std::vector<ProfiledKernel>&& kernels, const LossCounts& losses) {
  // What surrounds a described kernel that was launched: it was seen, and never counted.
  std::erase_if(kernels, [](const ProfiledKernel& kernel) {
    return kernel.launches == 0 && kernel.symbol.starts_with(profile::kOwnKernelPrefix);
  });
  // A result holds a sum for each run of its program, in one file.
  if (std::all_of(profile.processes.begin(), profile.processes.end(),
                  [](const auto& process) { return process.imported_from.starts_with(kOwnTool); }))
    for (const auto& kernel : kernels)
      profile.runs = std::max<std::uint64_t>(profile.runs, kernel.sums.size());
  for (auto& kernel : kernels) {
    kernel.runs.resize(profile.runs);
    kernel.rank_launches.resize(profile.processes.size());
    kernel.rank_time.resize(profile.processes.size());
  }
  std::vector<std::pair<Seconds, std::size_t>> order;
  for (std::size_t i = 0; i < kernels.size(); ++i) order.emplace_back(kernels[i].time(), i);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    const auto &x = kernels[a.second], &y = kernels[b.second];
    const auto left = std::tie(x.name, x.full_name, x.grid, x.block),
               right = std::tie(y.name, y.full_name, y.grid, y.block);
    if (left != right) return left < right;
    return a.second < b.second;  // of several operations: as they were first seen
  });
  for (const auto& [time, index] : order) profile.kernels.push_back(std::move(kernels[index]));
  for (auto& range : profile.ranges) range.runs.resize(profile.runs);
  for (const auto& [reason, count] : losses)
    if (count > 0) profile.losses.push_back({reason, count});
  profile.complete =
      std::none_of(profile.losses.begin(), profile.losses.end(),
                   [](const ProfiledLoss& loss) { return concerns_launches(loss.reason); });
}

/// What a user who gave `text` may have meant: names that it is a part of, else what there is.
std::string near_names(std::string_view text, const std::set<std::string>& names) {
  constexpr std::size_t kShown = 8;
  if (names.empty()) return "there is no range in these files";
  std::vector<std::string> near, all;
  const auto bare = text.substr(0, text.find_last_not_of('*') + 1);
  for (const auto& name : names) {
    auto& list = !bare.empty() && name.find(bare) != std::string::npos ? near : all;
    if (list.size() <= kShown) list.push_back(shortened(printable(name), 40));
  }
  auto& shown = near.empty() ? all : near;
  const bool more = shown.size() > kShown;
  if (more) shown.resize(kShown);
  return fmt::format("{}{}{}",
                     near.empty() ? "there are " : "a glob covers the whole name; did you mean ",
                     joined(shown),
                     more           ? ", ..."
                     : near.empty() ? ""
                                    : "?");
}

/// The ranges of each file that are asked for.
Checked<std::vector<RangeTimes>> find_ranges(std::span<const CaptureSource> files,
                                             const Pattern& names, std::string_view asked) {
  std::vector<RangeTimes> all;
  bool any = false;
  std::set<std::string> seen;
  for (const auto& source : files) {
    if (is_standard_input(source))
      return tl::unexpected(
          Errors{{Code::contradiction,
                  {},
                  "the ranges of standard input cannot be found: it is read twice",
                  "give the capture as a file",
                  {}}});
    auto file = CaptureFile::open(source);
    if (!file) return tl::unexpected(std::move(file.error()));
    RangeTimes times(names);
    if (const auto tally = file->read(times); !tally) return tl::unexpected(Errors{tally.error()});
    times.finish();
    any = any || times.any();
    seen.insert(times.all_names().begin(), times.all_names().end());
    all.push_back(std::move(times));
  }
  if (any) return all;
  return tl::unexpected(
      Errors{{Code::unknown_name, {}, "no range has such a name", near_names(asked, seen), {}}});
}

}  // namespace

Checked<Profiled> read_profile(std::span<const std::string> files, const KernelKinds* kinds) {
  std::vector<CaptureSource> sources;
  for (const auto& file : files) sources.push_back({file, nullptr});
  return read_profile(sources, nullptr, kinds);
}

Checked<Profiled> read_profile(std::span<const CaptureSource> files, const Pattern* ranges,
                               const KernelKinds* kinds, std::string_view asked) {
  std::vector<RangeTimes> range_times;
  if (ranges) {
    auto found = find_ranges(files, *ranges, asked);
    if (!found) return tl::unexpected(std::move(found.error()));
    range_times = std::move(*found);
  }
  Profiled profile;
  KernelTable kernels;
  LossCounts losses;
  std::optional<CaptureFile>
      standard_input;  // cannot be opened twice; all others are, so that few are open at once
  std::set<long long> numbers;
  for (const auto& source : files) {
    auto file = CaptureFile::open(source);
    if (!file) return tl::unexpected(std::move(file.error()));
    profile.processes.push_back(process_of(file->header()));
    if (is_timed(profile.processes.back())) numbers.insert(file->header().run);
    if (is_standard_input(source)) standard_input = std::move(*file);
  }
  profile.runs = numbers.size();
  std::vector<std::size_t> run_of;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& process = profile.processes[i];
    const auto run =
        static_cast<std::size_t>(std::distance(numbers.begin(), numbers.lower_bound(process.run)));
    run_of.push_back(run);
    profile.simulated = profile.simulated || process.simulated;
    auto file = is_standard_input(files[i]) ? Checked<CaptureFile>(std::move(*standard_input))
                                            : CaptureFile::open(files[i]);
    if (!file) return tl::unexpected(std::move(file.error()));
    ProcessReader reader(profile, kernels, losses, i, run, kinds);
    const auto tally = ranges ? read_within(*file, range_times[i], reader) : file->read(reader);
    if (!tally) return tl::unexpected(Errors{tally.error()});
    reader.finish(*tally);
    auto named = reader.take_ranges();
    if (named.empty() || !is_timed(process)) continue;
    const auto again = put_into_ranges(files[i], reader, std::move(named), profile, run, kernels,
                                       losses, ranges ? &range_times[i] : nullptr);
    if (!again) return tl::unexpected(Errors{again.error()});
  }
  add_whole_program(profile, run_of);
  settle(profile, kernels.take(), losses);
  return profile;
}

}  // namespace roofline
