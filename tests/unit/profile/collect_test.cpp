#include "roofline/profile/collect.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "unit/profile/made_capture.hpp"

namespace roofline {
namespace {

/// A folder of captures that goes away with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("roofline_collect_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string put(const std::string& name, const MadeCapture& made) {
    const auto file = (path_ / name).string();
    std::ofstream(file, std::ios::binary) << made.bytes();
    return file;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Profiled read(const Folder& folder) {
  const auto files = capture_files(folder.path());
  EXPECT_TRUE(files.has_value());
  auto profile = read_profile(*files);
  EXPECT_TRUE(profile.has_value());
  return profile ? std::move(*profile) : Profiled{};
}

MadeCapture bench(const std::string& header = "", std::uint64_t slower = 0) {
  MadeCapture made(header);
  made.text(1, "_Z5saxpyifPKfPf").text(2, "scale").shape(1, 1).shape(2, 2).shape(3, 1, 64);
  made.call(900, 1000, 1).launch(1, 1000, 3000 + slower, 1);
  made.call(1000, 1100, 2).launch(2, 4000, 5000, 2);
  made.launch(3, 6000, 7000, 3).call(1100, 1300, 3);  // the call is read after its kernel
  return made.end();
}

TEST(ReadProfile, GroupsByNameGridAndBlock) {
  Folder folder;
  folder.put("node7.1.rlf", bench());
  const auto profile = read(folder);
  ASSERT_EQ(profile.kernels.size(), 3u);
  EXPECT_EQ(profile.kernels[0].name, "saxpy");
  EXPECT_EQ(profile.kernels[0].full_name, "saxpy(int, float, float const*, float*)");
  EXPECT_EQ(profile.kernels[0].grid[0], 132u);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time().value(), 2000e-9);
  EXPECT_DOUBLE_EQ(profile.kernels[0].launch_cost.summary().median.value(), 100e-9);
  EXPECT_EQ(profile.kernels[1].name, "saxpy");  // as long as scale, and before it in the alphabet
  EXPECT_EQ(profile.kernels[1].grid[0], 64u);
  EXPECT_DOUBLE_EQ(profile.kernels[1].launch_cost.summary().median.value(), 200e-9);
  EXPECT_EQ(profile.runs, 1u);
  EXPECT_TRUE(profile.complete);
  ASSERT_EQ(profile.activity.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.activity[0].span.value(), 6000e-9);
  EXPECT_DOUBLE_EQ(profile.activity[0].busy.value(), 4000e-9);
  EXPECT_DOUBLE_EQ(profile.processes[0].launching.value(), 400e-9);
  EXPECT_EQ(profile.processes[0].launch_calls, 3u);
}

TEST(ReadProfile, RunsAreApartAndRanksTogether) {
  Folder folder;
  folder.put("a.1.rlf", bench(", \"run\": 1, \"rank\": 0, \"world_size\": 2"));
  folder.put("a.2.rlf", bench(", \"run\": 1, \"rank\": 1, \"world_size\": 2", 1000));
  folder.put("a.3.rlf", bench(", \"run\": 2, \"rank\": 0, \"world_size\": 2"));
  const auto profile = read(folder);
  EXPECT_EQ(profile.runs, 2u);
  const auto& saxpy = profile.kernels[0];
  ASSERT_EQ(saxpy.runs.size(), 2u);
  EXPECT_EQ(saxpy.runs[0].count(), 2u);
  EXPECT_EQ(saxpy.runs[1].count(), 1u);
  EXPECT_EQ(saxpy.rank_launches, (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_DOUBLE_EQ(saxpy.rank_time[1].value(), 3000e-9);
  ASSERT_EQ(profile.ranges.size(), 1u);
  EXPECT_EQ(profile.ranges[0].runs[0].launches, 6u);
  EXPECT_EQ(profile.ranges[0].runs[1].launches, 3u);
}

TEST(ReadProfile, InvalidTimesAreCountedAndInNoFigure) {
  Folder folder;
  MadeCapture made;
  made.text(1, "k")
      .shape(1, 1)
      .launch(1, 0, 0, 1)
      .launch(1, 5000, 4000, 2)
      .launch(1, 6000, 7000, 3)
      .end();
  folder.put("a.1.rlf", made);
  const auto profile = read(folder);
  EXPECT_EQ(profile.kernels[0].invalid_times, 2u);
  EXPECT_EQ(profile.kernels[0].launches, 1u);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time().value(), 1000e-9);
  ASSERT_EQ(profile.losses.size(), 1u);
  EXPECT_EQ(profile.losses[0].reason, "invalid_times");
  EXPECT_FALSE(profile.complete);
}

TEST(ReadProfile, GraphLaunchIsChargedOnce) {
  Folder folder;
  MadeCapture made;
  made.text(1, "node").shape(1, 1).call(1000, 3000, 5, capture::ApiRole::graph_launch);
  for (std::uint64_t i = 0; i < 10; ++i) made.launch(1, 4000 + 100 * i, 4090 + 100 * i, 5, 77);
  folder.put("a.1.rlf", made.end());
  const auto profile = read(folder);
  EXPECT_EQ(profile.kernels[0].in_graphs, 10u);
  EXPECT_EQ(profile.kernels[0].launch_cost.count(), 0u);
  EXPECT_EQ(profile.processes[0].graph_launches, 1u);
  EXPECT_EQ(profile.processes[0].launch_calls, 0u);
  EXPECT_DOUBLE_EQ(profile.processes[0].launching.value(), 2000e-9);
}

TEST(ReadProfile, NestedCallsAreOne) {
  Folder folder;
  MadeCapture made;
  made.text(1, "k").shape(1, 1);
  made.add(capture::Api{0, 307, 1, 1, 1100, 1300, 1});  // the driver's call ends first
  made.add(capture::Api{1, 211, 1, 1, 1000, 1400, 1});  // inside the runtime's
  made.launch(1, 2000, 2500, 1).end();
  folder.put("a.1.rlf", made);
  const auto profile = read(folder);
  EXPECT_EQ(profile.processes[0].launch_calls, 1u);
  EXPECT_DOUBLE_EQ(profile.processes[0].launching.value(), 400e-9);
  EXPECT_DOUBLE_EQ(profile.kernels[0].launch_cost.summary().median.value(), 400e-9);
}

TEST(ReadProfile, LaunchesAreInTheRangesAroundTheirCalls) {
  Folder folder;
  MadeCapture made;
  made.text(1, "k").text(2, "decode").text(3, "step").shape(1, 1);
  made.call(1000, 1010, 1)
      .call(2000, 2010, 2)
      .call(3000, 3010, 3)
      .call(2005, 2006, 4, capture::ApiRole::kernel_launch, 2);
  made.launch(1, 10'000, 10'100, 1)
      .launch(1, 10'200, 10'300, 2)
      .launch(1, 10'400, 10'500, 3)
      .launch(1, 10'600, 10'700, 4);
  made.add(capture::Range{3, 1, 1900, 2100})
      .add(capture::Range{2, 1, 900, 2500});  // step inside decode, on thread 1
  folder.put("a.1.rlf", made.end());
  const auto profile = read(folder);
  ASSERT_EQ(profile.ranges.size(), 3u);
  EXPECT_EQ(profile.ranges[0].runs[0].launches, 4u);
  EXPECT_EQ(profile.ranges[1].name, "step");
  EXPECT_EQ(profile.ranges[1].runs[0].launches, 1u);
  EXPECT_EQ(profile.ranges[2].name, "decode");
  EXPECT_EQ(profile.ranges[2].runs[0].launches, 2u);
  EXPECT_DOUBLE_EQ(profile.ranges[2].runs[0].time.value(), 300e-9);
  EXPECT_DOUBLE_EQ(profile.ranges[2].runs[0].idle.value(), 100e-9);
  EXPECT_EQ(profile.kernels[0].ranges, (std::vector<std::string>{"decode", "step"}));
}

TEST(ReadProfile, CountersOfAnotherRunMeetTheirKernels) {
  Folder folder;
  folder.put("a.1.rlf", bench(", \"run\": 1"));
  MadeCapture made(", \"run\": 2");
  const auto at = made.bytes().find("\"trace\"");
  made.bytes().replace(at, 7, "\"counters\"");
  capture::Counters counters{
      .shape = 9, .occurrence = 2, .replay_passes = 2, .metrics = {3}, .values = {805306368.0}};
  made.text(1, "_Z5saxpyifPKfPf")
      .text(3, "dram__bytes_read.sum")
      .shape(9, 1)
      .launch(9, 1000, 900'000, 1)
      .add(counters)
      .end();
  folder.put("b.1.rlf", made);
  const auto profile = read(folder);
  EXPECT_EQ(profile.runs, 1u);
  ASSERT_EQ(profile.kernels[0].counters.size(), 1u);
  EXPECT_EQ(profile.kernels[0].counters[0].values.at("dram__bytes_read.sum"), 805306368.0);
  EXPECT_DOUBLE_EQ(profile.kernels[0].time().value(), 2000e-9);  // the replayed one is not in it
}

TEST(ReadProfile, CutAndForeignRecordsAreLosses) {
  Folder folder;
  MadeCapture made;
  made.text(1, "k").shape(1, 1).launch(1, 1000, 2000, 1).launch(8, 1000, 2000, 2);
  made.text(2, "records_dropped").add(capture::Loss{2, 500});
  made.bytes() += std::string("\x04\x20\x01", 3);
  folder.put("a.1.rlf", made);
  const auto profile = read(folder);
  std::map<std::string, std::uint64_t> losses;
  for (const auto& loss : profile.losses) losses[loss.reason] = loss.count;
  EXPECT_EQ(losses, (std::map<std::string, std::uint64_t>{{"capture_not_closed", 1},
                                                          {"launches_of_unknown_kernels", 1},
                                                          {"records_dropped", 500}}));
}

TEST(CaptureFiles, AFolderWithoutOneIsAnError) {
  Folder folder;
  const auto files = capture_files(folder.path());
  ASSERT_FALSE(files.has_value());
  EXPECT_NE(files.error().what.find("no capture"), std::string::npos);
}

}  // namespace
}  // namespace roofline
