// Counter mode and sample mode end to end: a program on the simulated driver under the plug-in, and
// what its capture then holds. Metric names and passes are answered by the real libcupti's host
// side where there is one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "roofline/kernel/capture.hpp"
#include "roofline/kernel/machine_code.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A launch that was counted.
struct Counted {
  std::string name;
  std::uint64_t grid = 0, context = 0, occurrence = 0, passes = 0, cluster = 0;
  std::map<std::string, double> values;
};

/// What a capture holds, as far as these tests look.
struct Held {
  std::vector<Counted> counted;
  std::map<std::string, std::uint64_t> losses;
  std::vector<std::string> statuses;
  std::map<std::string, capture::Code> codes;
  std::vector<capture::Sample> samples;
  std::map<std::uint64_t, std::string> texts;
  std::string end;

  std::vector<std::uint64_t> occurrences(const std::string& name, std::uint64_t grid = 0) const {
    std::vector<std::uint64_t> list;
    for (const auto& row : counted)
      if (row.name == name && (grid == 0 || row.grid == grid)) list.push_back(row.occurrence);
    return list;
  }
  std::uint64_t lost(const std::string& reason) const {
    const auto found = losses.find(reason);
    return found == losses.end() ? 0 : found->second;
  }
};

Held read_capture(const fs::path& path) {
  Held held;
  const std::string bytes = contents(path);
  std::string_view rest = std::string_view(bytes).substr(bytes.find('\n') + 1);
  capture::Last last;
  std::map<std::uint64_t, capture::Shape> shapes;
  const auto read = [&](const capture::Frame& frame, auto record) {
    EXPECT_TRUE(capture::decode(frame.payload, last, record));
    return record;
  };
  for (auto frame = capture::next_frame(rest); frame.tag != 0; frame = capture::next_frame(rest)) {
    switch (static_cast<capture::Tag>(frame.tag)) {
      case capture::Tag::text: {
        const auto text = read(frame, capture::Text{});
        held.texts[text.id] = text.value;
        break;
      }
      case capture::Tag::shape: {
        const auto shape = read(frame, capture::Shape{});
        shapes[shape.id] = shape;
        break;
      }
      case capture::Tag::counters: {
        const auto counters = read(frame, capture::Counters{});
        const auto& shape = shapes[counters.shape];
        Counted row{held.texts[shape.name],
                    shape.grid[0],
                    shape.context,
                    counters.occurrence,
                    counters.replay_passes,
                    shape.cluster[0],
                    {}};
        EXPECT_EQ(counters.metrics.size(), counters.values.size());
        for (std::size_t i = 0; i < counters.metrics.size(); ++i)
          row.values[held.texts[counters.metrics[i]]] = counters.values[i];
        held.counted.push_back(std::move(row));
        break;
      }
      case capture::Tag::loss: {
        const auto loss = read(frame, capture::Loss{});
        held.losses[held.texts[loss.reason]] += loss.count;
        break;
      }
      case capture::Tag::status:
        held.statuses.push_back(held.texts[read(frame, capture::Status{}).what]);
        break;
      case capture::Tag::code: {
        const auto code = read(frame, capture::Code{});
        held.codes[held.texts[code.name]] = code;
        break;
      }
      case capture::Tag::sample: held.samples.push_back(read(frame, capture::Sample{})); break;
      case capture::Tag::end: held.end = held.texts[read(frame, capture::End{}).reason]; break;
      default: break;
    }
  }
  return held;
}

struct Ran {
  int status = 0;
  std::string out, err;
  Held held;
};

constexpr const char* kValues =
    "* gpu__time_duration.sum 5000\n"
    "axpy dram__bytes_read.sum 800\n"
    "axpy dram__bytes_write.sum 400\n"
    "* smsp__sass_inst_executed.sum 1000\n"
    "device dram__bytes_read.sum 1000\n"
    "device sm__cycles_active.avg 7\n";

/// Runs the program `kernels` with `steps` (separated by blanks) under the plug-in.
Ran run(const std::string& steps, Environment more = {}) {
  static int runs = 0;
  const fs::path folder =
      fs::temp_directory_path() /
      ("roofline_counters." + std::to_string(getpid()) + "." + std::to_string(++runs));
  fs::create_directories(folder / "captures");
  std::ofstream(folder / "values") << kValues;
  Environment environment = {
      {"PATH", "/usr/bin:/bin"},
      {"LD_LIBRARY_PATH", ROOFLINE_SIM_DIR},
      {"CUDA_INJECTION64_PATH", ROOFLINE_PLUGIN},
      {"ROOFLINE_PLUGIN_OUT", folder / "captures"},
      {"ROOFLINE_PLUGIN_MODE", "counters"},
      {"SIMCUPTI_COUNTERS", folder / "values"},
      {"SIMCUPTI_REAL", ROOFLINE_LIBCUPTI},
  };
  for (auto& [key, value] : more) environment[key] = value;

  std::vector<std::string> words = {ROOFLINE_TEST_PROGRAM}, settings;
  std::istringstream fields(steps);
  for (std::string step; fields >> step;) words.push_back(step);
  for (const auto& [key, value] : environment) settings.push_back(key + "=" + value);
  std::vector<char*> arguments, variables;
  for (auto& word : words) arguments.push_back(word.data());
  for (auto& setting : settings) variables.push_back(setting.data());
  arguments.push_back(nullptr);
  variables.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const auto& [descriptor, name] : {std::pair(1, "out"), std::pair(2, "err")})
    posix_spawn_file_actions_addopen(&files, descriptor, (folder / name).c_str(),
                                     O_CREAT | O_WRONLY, 0600);
  pid_t child = 0;
  Ran ran;
  EXPECT_EQ(
      posix_spawn(&child, words[0].c_str(), &files, nullptr, arguments.data(), variables.data()),
      0);
  waitpid(child, &ran.status, 0);
  posix_spawn_file_actions_destroy(&files);
  ran.out = contents(folder / "out");
  ran.err = contents(folder / "err");
  for (const auto& file : fs::directory_iterator(folder / "captures"))
    ran.held = read_capture(file.path());
  fs::remove_all(folder);
  return ran;
}

using Occurrences = std::vector<std::uint64_t>;

// Which launches are counted: the first 3 after 2 of each distinct (name, grid, block), unless told
// otherwise.
struct SelectionRow {
  const char* name;
  const char* steps;
  Environment environment;
  const char* kernel;
  std::uint64_t grid;
  Occurrences counted;
};
const SelectionRow kSelections[] = {
    {"three_after_two", "launch:axpy:10", {}, "axpy", 0, {2, 3, 4}},
    {"a_launch_too_few", "launch:axpy:4", {}, "axpy", 0, {2, 3}},
    {"none_came_so_far", "launch:axpy:2", {}, "axpy", 0, {}},
    {"each_grid_for_itself", "launch:axpy:4:64 launch:axpy:3:128", {}, "axpy", 128, {2}},
    {"no_skip",
     "launch:axpy:10",
     {{"ROOFLINE_PLUGIN_SKIP_LAUNCHES", "0"}, {"ROOFLINE_PLUGIN_LAUNCHES", "1"}},
     "axpy",
     0,
     {0}},
    {"launch_ex", "ex:cl:3", {}, "cl", 0, {2}},
    {"per_thread_streams", "ptsz:p:3", {}, "p", 0, {2}},
    {"cooperative", "cooperative:c:3", {}, "c", 0, {2}},
    {"several_devices_at_once_pass", "devices:d:9", {}, "d", 0, {}},
    {"collectives_pass", "launch:ncclDevKernel_AllReduce:9", {}, "ncclDevKernel_AllReduce", 0, {}},
    {"collectives_of_other_spelling", "launch:my_NVSHMEM_put:9", {}, "my_NVSHMEM_put", 0, {}},
    {"own_exclusions", "launch:axpy:9", {{"ROOFLINE_PLUGIN_EXCLUDE", "gemm,xp"}}, "axpy", 0, {}},
    {"captured_launches_do_not_run", "graph:node:9", {}, "node", 0, {}},
    {"after_a_capture_counting_goes_on", "graph:node:9 launch:axpy:9", {}, "axpy", 0, {2, 3, 4}},
    {"second_context", "contexts:axpy:5:100", {}, "axpy", 101, {2, 3, 4}},
    {"contexts_by_turns", "contexts:axpy:5:100", {}, "axpy", 100, {2, 3, 4}},
};
class Selection : public testing::TestWithParam<SelectionRow> {};
TEST_P(Selection, CountsTheLaunchesAskedFor) {
  const auto& row = GetParam();
  const auto ran = run(row.steps, row.environment);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "done\n");
  EXPECT_EQ(ran.held.occurrences(row.kernel, row.grid), row.counted);
  EXPECT_EQ(ran.held.lost("ranges_unexpected"), 0u);
  EXPECT_EQ(ran.held.lost("launches_not_counted"), 0u);
  EXPECT_EQ(ran.held.end, "exit");
}
INSTANTIATE_TEST_SUITE_P(Rows, Selection, testing::ValuesIn(kSelections),
                         [](auto& i) { return i.param.name; });

TEST(CounterMode, ValuesAreThoseOfTheKernel) {
  const auto ran = run("launch:axpy:3 launch:other:3");
  ASSERT_EQ(ran.held.counted.size(), 2u);
  EXPECT_EQ(ran.held.counted[0].values.at("dram__bytes_read.sum"), 800);
  EXPECT_EQ(ran.held.counted[0].values.at("dram__bytes_write.sum"), 400);
  EXPECT_TRUE(std::isnan(ran.held.counted[1].values.at("dram__bytes_read.sum")));
  EXPECT_EQ(ran.held.counted[0].passes, 2u);
  EXPECT_EQ(ran.held.statuses, std::vector<std::string>{"collecting"});
}

TEST(CounterMode, WithoutTheInstrumentedPass) {
  const auto ran = run("launch:axpy:3", {{"ROOFLINE_PLUGIN_NO_SASS", "1"}});
  ASSERT_EQ(ran.held.counted.size(), 1u);
  EXPECT_EQ(ran.held.counted[0].passes, 1u);
  EXPECT_FALSE(ran.held.counted[0].values.contains("smsp__sass_inst_executed.sum"));
}

TEST(CounterMode, ThreadsNeverMeetInARange) {
  const auto ran = run("threads:axpy:500:64 threads:gemm:500:32 launch:late:4");
  EXPECT_EQ(ran.status, 0) << ran.err;
  // Two threads may be chosen in one order and get the range profiler in the other.
  const auto sorted = [&](const char* kernel) {
    auto occurrences = ran.held.occurrences(kernel);
    std::sort(occurrences.begin(), occurrences.end());
    return occurrences;
  };
  EXPECT_EQ(sorted("axpy"), (Occurrences{2, 3, 4}));
  EXPECT_EQ(sorted("gemm"), (Occurrences{2, 3, 4}));
  EXPECT_EQ(sorted("late"), (Occurrences{2, 3}));
  EXPECT_EQ(ran.held.lost("ranges_unexpected"), 0u);
}

// The tensor types of the kernel's own machine code decide what is asked for.
struct CodeRow {
  const char* name;
  const char* cubin;
  const char* kernel;
  const char* chip;
  const char* counter;
  std::uint64_t passes;
  std::uint64_t type;
};
constexpr CodeRow kCodes[] = {
    {"bf16_of_hopper", "mma_sync.sm_90a.cubin", "mma_bf16", "GH100",
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum", 2, machine_code::kBf16},
    {"wgmma_fp16", "wgmma.sm_90a.cubin", "fp16", "GH100",
     "sm__ops_path_tensor_op_hgmma_src_fp16.sum", 2, machine_code::kFp16},
    {"int8_of_ampere", "mma_sync.sm_80.cubin", "mma_int8", "GA100",
     "sm__ops_path_tensor_src_int8.sum", 3, machine_code::kInt8},
    {"no_tensor_work", "mma_sync.sm_80.cubin", "mma_none", "GA100",
     "smsp__inst_executed_pipe_xu.sum", 2, 0},
    {"run_time_type_of_blackwell", "tcgen05.sm_100a.cubin", "f16", "GB100",
     "sm__ops_path_tensor_src_bf16_dst_fp32_realtime.sum", 4, machine_code::kFp16OrBf16},
};
class CodeChoice : public testing::TestWithParam<CodeRow> {};
TEST_P(CodeChoice, AsksForTheTypesThatRun) {
  const auto& row = GetParam();
  if (std::string_view(ROOFLINE_LIBCUPTI).empty())
    GTEST_SKIP() << "NOT TESTED: counters by machine code; there is no libcupti to count passes";
  const auto ran =
      run(std::string("launch:") + row.kernel + ":3",
          {{"SIMCUDA_CUBIN", std::string(ROOFLINE_TEST_DATA "/machine_code/") + row.cubin},
           {"SIMCUPTI_CHIP", row.chip}});
  ASSERT_EQ(ran.held.counted.size(), 1u) << ran.err;
  EXPECT_TRUE(ran.held.counted[0].values.contains(row.counter));
  EXPECT_EQ(ran.held.counted[0].passes, row.passes);
  ASSERT_TRUE(ran.held.codes.contains(row.kernel));
  EXPECT_EQ(ran.held.codes.at(row.kernel).tensor_types & machine_code::kTensorTypes, row.type);
  EXPECT_NE(ran.held.codes.at(row.kernel).hash, 0u);
  EXPECT_EQ(ran.held.lost("metrics_unknown"), 0u);
}
INSTANTIATE_TEST_SUITE_P(Rows, CodeChoice, testing::ValuesIn(kCodes),
                         [](auto& i) { return i.param.name; });

// Jetson Thor: its DRAM counters refuse company, so one launch more is counted with them alone.
TEST(CounterMode, DramOfASocIsALaunchOfItsOwn) {
  const auto ran = run("launch:axpy:9", {{"SIMCUPTI_CHIP", "GB10B"}});
  EXPECT_EQ(ran.held.occurrences("axpy"), (Occurrences{2, 3, 4, 5}));
  ASSERT_EQ(ran.held.counted.size(), 4u);
  EXPECT_TRUE(ran.held.counted[3].values.contains(
      "mcc__dram_throughput_srcnode_gpu_op_read.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_EQ(ran.held.counted[3].values.size(), 3u);
  EXPECT_EQ(ran.held.counted[3].passes, 1u);
}

// Whatever CUPTI refuses: the program runs to its end with its own status, one line says why, and
// the capture too.
struct TroubleRow {
  const char* name;
  Environment environment;
  const char* status;
  const char* line;
};
const TroubleRow kTroubles[] = {
    {"no_permission",
     {{"SIMCUPTI_FAIL", "cuptiRangeProfilerEnable=35"}},
     "not_permitted",
     "administrators"},
    {"counters_taken",
     {{"SIMCUPTI_FAIL", "cuptiRangeProfilerStart=26"}},
     "counters_taken",
     "dcgmi profile --pause"},
    {"mig", {{"SIMCUPTI_FAIL", "cuptiRangeProfilerEnable=43"}}, "mig", "MIG"},
    {"virtual_gpu", {{"SIMCUPTI_UNSUPPORTED", "vGpu"}}, "virtual_gpu", "virtual GPU"},
    {"confidential",
     {{"SIMCUPTI_UNSUPPORTED", "confidentialCompute"}},
     "confidential_computing",
     "confidential"},
    {"mining_gpu", {{"SIMCUPTI_UNSUPPORTED", "cmp"}}, "mining_gpu", "mining"},
    {"sli", {{"SIMCUPTI_UNSUPPORTED", "sli"}}, "sli", "SLI"},
    {"wsl", {{"SIMCUPTI_UNSUPPORTED", "wsl"}}, "wsl", "WSL"},
    {"too_old_a_gpu",
     {{"SIMCUPTI_UNSUPPORTED", "architecture"}},
     "unknown_chip",
     "no counters for this GPU"},
    // The simulated library ends the program on any target call after this, as the real one does.
    {"profiler_does_not_start",
     {{"SIMCUPTI_FAIL", "cuptiProfilerInitialize=999"}},
     "cupti_refused",
     "cuptiProfilerInitialize"},
    {"a_chip_of_the_future",
     {{"SIMCUPTI_CHIP", "GX100"}, {"SIMCUPTI_REAL", ""}},
     "unknown_chip",
     "GX100"},
    {"decoding_fails_again_and_again",
     {{"SIMCUPTI_FAIL", "cuptiRangeProfilerDecodeData=1"}},
     "cupti_refused",
     "DecodeData"},
};
class Trouble : public testing::TestWithParam<TroubleRow> {};
TEST_P(Trouble, LeavesTheProgramAlone) {
  const auto ran = run("launch:axpy:10 launch:gemm:10", GetParam().environment);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "done\n");
  EXPECT_NE(ran.err.find(GetParam().line), std::string::npos) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_EQ(ran.held.statuses, (std::vector<std::string>{"collecting", GetParam().status}));
  EXPECT_TRUE(ran.held.counted.empty());
  EXPECT_EQ(ran.held.end, "exit");
}
INSTANTIATE_TEST_SUITE_P(Rows, Trouble, testing::ValuesIn(kTroubles),
                         [](auto& i) { return i.param.name; });

TEST(CounterMode, ALaunchOfManyRangesIsThrownAway) {
  const auto ran = run("launch:axpy:10", {{"SIMCUPTI_EXTRA_RANGES", "1"}});
  EXPECT_TRUE(ran.held.counted.empty());
  EXPECT_EQ(ran.held.lost("ranges_unexpected"), 3u);
}

struct LossRow {
  const char* name;
  const char* steps;
  Environment environment;
  const char* reason;
  std::uint64_t count;
};
const LossRow kLosses[] = {
    {"excluded", "launch:ncclAllReduce:7", {}, "launches_excluded", 7},
    {"several_devices", "devices:d:3", {}, "launches_unknown", 3},
    {"graphs", "graph:node:3", {}, "graph_launches_not_counted", 2},
    {"too_seldom", "launch:a:2 launch:b:1 launch:c:3", {}, "kernels_launched_too_seldom", 2},
    {"a_metric_that_is_not_there",
     "launch:axpy:3",
     {{"SIMCUPTI_UNKNOWN_METRIC", "lts__t_bytes.sum"}},
     "metrics_unknown",
     1},
};
TEST(CounterMode, PassesThatDifferFromTheTableAreSaid) {
  EXPECT_EQ(run("launch:axpy:3").held.lost("passes_differ"), 0u);
  const auto ran = run("launch:axpy:3 launch:other:3", {{"SIMCUPTI_EXTRA_PASSES", "1"}});
  EXPECT_EQ(ran.held.lost("passes_differ"), 1u);  // one set serves both
  EXPECT_NE(ran.err.find("the counters of GH100 (core) take 3 replay passes a launch with this "
                         "CUPTI, and 2 by the table"),
            std::string::npos)
      << ran.err;
  ASSERT_EQ(ran.held.counted.size(), 2u);
  EXPECT_EQ(ran.held.counted[0].passes, 3u);
}

class CountedLosses : public testing::TestWithParam<LossRow> {};
TEST_P(CountedLosses, AreCountedByReason) {
  EXPECT_EQ(run(GetParam().steps, GetParam().environment).held.lost(GetParam().reason),
            GetParam().count);
}
INSTANTIATE_TEST_SUITE_P(Rows, CountedLosses, testing::ValuesIn(kLosses),
                         [](auto& i) { return i.param.name; });

TEST(CounterMode, ALaunchThatNeverEndsEndsTheProgram) {
  const auto before = std::chrono::steady_clock::now();
  const auto ran = run("launch:axpy:3 launch:stuck:3",
                       {{"SIMCUPTI_HANG_IN", "stuck"}, {"ROOFLINE_PLUGIN_TIMEOUT_S", "1"}});
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
  ASSERT_TRUE(WIFEXITED(ran.status));
  EXPECT_EQ(WEXITSTATUS(ran.status), 124);
  EXPECT_NE(ran.err.find("stuck"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.held.statuses, (std::vector<std::string>{"collecting", "launch_timeout"}));
  EXPECT_EQ(ran.held.occurrences("axpy"), Occurrences{2});  // what came before is kept
  EXPECT_EQ(ran.held.end, "launch_timeout");
}

// One sample for each millisecond of the virtual clock: 2000 launches of at least 2 us of API time.
TEST(SampleMode, SamplesTheDevice) {
  const auto ran = run("wait:300 launch:axpy:2000 wait:300 launch:axpy:2000",
                       {{"ROOFLINE_PLUGIN_MODE", "sample"}});
  EXPECT_EQ(ran.status, 0) << ran.err;
  ASSERT_GE(ran.held.samples.size(), 4u);
  const auto& sample = ran.held.samples[0];
  EXPECT_EQ(sample.end - sample.start, 1'000'000u);
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < sample.metrics.size(); ++i)
    values[ran.held.texts.at(sample.metrics[i])] = sample.values[i];
  EXPECT_EQ(values.at("dram__bytes_read.sum"), 1000);
  EXPECT_TRUE(ran.held.counted.empty());
  for (const auto& each : ran.held.samples)
    EXPECT_EQ(each.values.at(0), sample.values.at(0));  // the last too, at exit
}

TEST(SampleMode, SaysWhatIsForbidden) {
  const auto ran =
      run("wait:300 launch:axpy:2000",
          {{"ROOFLINE_PLUGIN_MODE", "sample"}, {"SIMCUPTI_FAIL", "cuptiPmSamplingEnable=35"}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.held.statuses, (std::vector<std::string>{"collecting", "not_permitted"}));
}

TEST(TraceMode, WritesTheMachineCodeOfWhatIsLaunched) {
  const auto ran =
      run("launch:mma_bf16:3",
          {{"ROOFLINE_PLUGIN_MODE", "trace"},
           {"SIMCUDA_CUBIN", ROOFLINE_TEST_DATA "/machine_code/mma_sync.sm_90a.cubin"}});
  ASSERT_EQ(ran.held.codes.size(), 1u);  // of the modules' many kernels
  EXPECT_TRUE(ran.held.codes.at("mma_bf16").tensor_types & machine_code::kBf16);
}

}  // namespace
}  // namespace roofline
