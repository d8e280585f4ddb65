#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/correlation.hpp"
#include "profile/launched_kernels.hpp"
#include "profile/range_reader.hpp"
#include "profile/timeline.hpp"
#include "roofline/kernel/kernel_kind.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// Kernels of all files of a profile, found by symbol, grid and block.
class KernelTable {
 public:
  /// Index of the kernel; a new one where it was not seen before.
  std::uint32_t find(const std::string& symbol, const capture::Shape& shape);
  /// The same kernel for an operation: one for each operation that it was launched for.
  std::uint32_t find(std::uint32_t kernel, const Operation& operation);
  /// Takes the kernels out, without those that only ever ran for operations.
  std::vector<ProfiledKernel> take();
  std::vector<ProfiledKernel>& kernels() { return kernels_; }

 private:
  using Place = std::tuple<std::array<std::uint64_t, 3>, std::array<std::uint64_t, 3>>;
  std::unordered_map<std::string, std::map<Place, std::uint32_t>> index_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::string, std::uint32_t>> variants_;
  std::vector<ProfiledKernel> kernels_;
};

/// The losses of a profile by reason.
using LossCounts = std::map<std::string, std::uint64_t>;

/// Adds one capture to a profile: a visitor of its records.
class ProcessReader final : public CaptureVisitor {
 public:
  /// `kinds`: which kernels wait for other processes, by their names; nullptr: none is known to.
  ProcessReader(Profiled& profile, KernelTable& kernels, LossCounts& losses, std::size_t process,
                std::size_t run, const KernelKinds* kinds = nullptr);

  void record(const capture::Text& text) override;
  void record(const capture::Device& device) override;
  void record(const capture::Shape& shape) override;
  void record(const capture::Launch& launch) override;
  void record(const capture::Copy& copy) override;
  void record(const capture::Api& api) override;
  void record(const capture::Overhead& overhead) override;
  void record(const capture::Range& range) override;
  void record(const capture::Counters& counters) override;
  void record(const capture::Loss& loss) override;
  void record(const capture::Status& status) override;
  void record(const capture::Code& code) override;
  void record(const capture::End& end) override;
  void record(const capture::Graph& graph) override;
  void record(const capture::Sample& sample) override;
  void record(const capture::Operation& operation) override;
  void record(const capture::Summary& summary) override;

  void finish(const CaptureTally& tally);
  /// NVTX ranges, as they were closed: launches are put into them in a second reading.
  std::vector<NamedRange> take_ranges() { return std::move(ranges_); }
  LaunchedKernels take_launched() { return std::move(launched_); }

 private:
  static constexpr std::uint64_t kMostIds = 1'000'000;
  /// The last launching call of a thread, and how many there were: a nested call is counted once.
  struct ThreadCalls {
    std::uint64_t start = 0, end = 0;
  };

  const std::string& text(std::uint64_t id) const;
  ProfiledKernel& kernel(std::uint32_t index) { return kernels_.kernels()[index]; }
  void launching_call(const capture::Api& api);
  void count_call(const capture::Api& api, std::size_t domain, bool graph);
  void take_codes();
  bool passed_over(std::uint32_t index);
  void made_room(ProfiledKernel& seen) const;
  void ran(std::uint32_t index, std::uint64_t device, std::uint64_t stream, std::uint64_t start,
           std::uint64_t end);
  bool waits_for_others(std::uint32_t index);

  Profiled& profile_;
  KernelTable& kernels_;
  LossCounts& losses_;
  std::size_t process_, run_;
  bool timed_, in_order_;           // in order: the times of different launches can be compared
  std::vector<std::string> texts_;  // by id, those that count from 1
  std::unordered_map<std::uint64_t, std::string> far_texts_;  // those that a writer set apart
  std::uint32_t kernel_of(std::uint64_t shape, std::uint64_t operation);  ///< kNone: no such shape
  LaunchedKernels launched_;
  std::unordered_map<std::uint64_t, Operation> operations_;
  std::unordered_map<std::string, ProfiledCode> codes_;
  CorrelationJoin<std::uint32_t> join_;
  Timeline timeline_;
  const KernelKinds* kinds_;
  std::unordered_map<std::uint32_t, bool> waiting_;  // by kernel
  std::unordered_map<std::uint64_t, ThreadCalls> threads_;
  std::array<std::uint64_t, 2> kernel_calls_{}, graph_calls_{};  // by domain
  std::uint64_t launching_ns_ = 0;
  std::vector<NamedRange> ranges_;
  std::optional<std::uint64_t> warmups_;
  std::unordered_map<std::uint32_t, std::uint64_t> warm_;  // launches that were passed over
  std::map<std::uint64_t, std::uint64_t> device_launches_, device_copies_;
  std::vector<std::pair<std::uint64_t, std::size_t>> devices_;  // ordinal, place in the profile
  std::set<std::uint64_t> used_;                                // ordinals
};

}  // namespace roofline
