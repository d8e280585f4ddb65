#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "roofline/kernel/capture.hpp"
#include "roofline/kernel/operation.hpp"

namespace roofline {

/// Takes what an importer finds in a foreign file and makes a roofline.capture/1 of it, the same
/// that the profiler writes: names, shapes and operations once, times in order. Memory: about 60
/// bytes for each launch until finish(), whatever the length of the names.
///
/// Ids: text(), shape() and operation() give the same id for the same content; 0 is "none".
/// Times are whole nanoseconds since any moment of the file's own; a start of 0 counts as invalid,
/// so add() shifts nothing: an importer whose clock begins at 0 adds a constant.
class ImportSink {
 public:
  // ---- what the file says of itself; each may be told once, any time before finish()
  void command(std::string_view text);  ///< what was run, or the name of the trace
  void host(std::string_view name);
  void tool(std::string_view name_and_version);  ///< who wrote the file: "PyTorch Kineto", "Nsight
                                                 ///< Systems 2024.5"
  void format(std::string_view name);  ///< of the importer: import_file() tells it
  void rank(long long rank, std::optional<long long> world_size);
  void process(long long pid);
  void started(std::uint64_t unix_ns);
  /// Times of launches were taken while kernels were replayed for counters (Nsight Compute): no
  /// sequence, gap or idle time follows from them.
  void replayed();
  /// The file ended before its end: "after event 1234". What was read stays; reports say it.
  void truncated(std::string_view where);

  // ---- names
  std::uint64_t text(std::string_view value);
  std::uint64_t shape(
      const capture::Shape& shape);  ///< its `id` is given here, its `name` is a text()
  std::uint64_t shape(std::string_view kernel_name, std::array<std::uint64_t, 3> grid = {},
                      std::array<std::uint64_t, 3> block = {}, std::uint64_t device = 0);
  std::uint64_t operation(const Operation& operation);

  // ---- events, in any order
  void add(capture::Device device);
  void add(const capture::Launch& launch);
  void add(const capture::Copy& copy);
  void add(const capture::Api& api);  ///< only calls that enqueue matter; others may be left out
  void add(const capture::Overhead& overhead);  ///< time that the profiler took for itself
  void add(const capture::Range& range);  ///< a phase that the user named (NVTX, ProfilerStep#5)
  void add(const capture::Counters&
               counters);  ///< metric names as Nsight Compute's: "dram__bytes_read.sum"
  void add(
      const capture::Summary& summary);  ///< files that hold sums over launches instead of launches
  /// What was skipped, by reason: a snake_case word of src/report/profile/losses.cpp.
  void lose(std::string_view reason, std::uint64_t count = 1);

  std::uint64_t launches() const { return launches_.size(); }  ///< added so far
  // ---- of launches and calls that were added, for what shows only once all of them were
  std::uint64_t correlation(std::uint64_t launch) const { return launches_[launch].correlation; }
  /// What launch number `launch` was for, and its place among that operation's kernels.
  void assign(std::uint64_t launch, std::uint64_t operation, std::uint64_t part);
  void assign_graph(std::uint64_t launch, std::uint64_t graph);  ///< unless it is known of one
  std::size_t calls() const { return calls_.size(); }
  capture::Api call(std::size_t number) const;
  std::uint64_t summaries() const { return summaries_; }

  /// The capture. Nothing may be added after it.
  std::string finish();

 private:
  struct LaunchRow {
    std::uint64_t start = 0, correlation = 0, stream = 0, duration = 0;
    std::uint32_t shape = 0, operation = 0, part = 0, graph = 0;
  };
  struct ApiRow {
    std::uint64_t start = 0, correlation = 0, duration = 0;
    std::uint32_t thread = 0;
    std::uint8_t domain = 0, role = 0;
  };
  std::string header() const;
  void write_events(std::string& out);

  std::string records_;  // whatever needs no order, already encoded
  capture::Last last_;
  std::unordered_map<std::string, std::uint64_t> texts_, shapes_, operations_;
  // In pieces: they grow without being copied, and go piece by piece as they are written.
  std::deque<LaunchRow> launches_;
  std::deque<ApiRow> calls_;
  std::vector<std::uint64_t> threads_;  // by ApiRow::thread
  std::unordered_map<std::uint64_t, std::uint32_t> thread_index_;
  std::map<std::string, std::uint64_t> losses_;
  std::string command_, host_, tool_, format_, cut_;
  std::optional<long long> rank_, world_size_;
  long long pid_ = 0;
  std::uint64_t started_ = 0, summaries_ = 0;
  bool replayed_ = false, is_cut_ = false;
};

}  // namespace roofline
