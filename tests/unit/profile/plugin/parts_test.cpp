// The plug-in's parts on their own: what the environment tells it, where it looks, what calls are,
// and its file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "profile/plugin/api_roles.hpp"
#include "profile/plugin/capture_writer.hpp"
#include "profile/plugin/find_cupti.hpp"
#include "profile/plugin/identity.hpp"
#include "profile/plugin/output_file.hpp"
#include "profile/plugin/settings.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> variables;
const char* variable(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

// ---------------------------------------------------------------- settings

TEST(Settings, WithoutAnyAreTheDefaults) {
  variables = {};
  const auto s = read_settings(variable);
  EXPECT_EQ(s.out, "");
  EXPECT_EQ(s.mode, "trace");
  EXPECT_EQ(s.flush_ms, 100);
  EXPECT_EQ(s.skip_launches, 2);
  EXPECT_EQ(s.launches, 3);
  EXPECT_TRUE(s.sass);
  EXPECT_TRUE(s.signals);
  EXPECT_FALSE(s.whole_graphs);
  EXPECT_LT(s.warmups, 0);
  EXPECT_EQ(s.exclude, (std::vector<std::string>{"nccl", "nvshmem", "mscclpp"}));
}

TEST(Settings, AreReadAndWhatIsNoNumberCountsAsNotSet) {
  variables = {{kOut, "/tmp/x"},     {kMode, "counters"}, {kFlushMs, "0"}, {kGraphs, "graph"},
               {kSkipLaunches, "7"}, {kLaunches, "many"}, {kNoSass, "1"},  {kExclude, "a,,bc,"},
               {kSignals, "0"},      {kPoolLimit, "-3"},  {kRun, "12x"},   {kWarmups, "10"}};
  const auto s = read_settings(variable);
  EXPECT_EQ(s.out, "/tmp/x");
  EXPECT_EQ(s.mode, "counters");
  EXPECT_EQ(s.flush_ms, 0);
  EXPECT_TRUE(s.whole_graphs);
  EXPECT_EQ(s.skip_launches, 7);
  EXPECT_EQ(s.launches, 3);
  EXPECT_FALSE(s.sass);
  EXPECT_EQ(s.exclude, (std::vector<std::string>{"a", "bc"}));
  EXPECT_FALSE(s.signals);
  EXPECT_EQ(s.pool_limit, 0);
  EXPECT_EQ(s.run, 0);
  EXPECT_EQ(s.warmups, 10);
}

// ---------------------------------------------------------------- identity

struct RankRow {
  const char* name;
  std::map<std::string, std::string> variables;
  long rank, world_size;
};
const RankRow kRanks[] = {
    {"none", {}, -1, -1},
    {"torchrun", {{"RANK", "3"}, {"WORLD_SIZE", "8"}}, 3, 8},
    {"torchrun_under_srun",
     {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}},
     3,
     8},
    {"open_mpi", {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, 1, 4},
    {"srun", {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}}, 5, 6},
    {"mpich", {{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}}, 2, 3},
    {"a_word_is_no_rank", {{"RANK", "first"}}, -1, -1},
    {"a_negative_one_is_none", {{"RANK", "-1"}, {"LOCAL_RANK", "2"}}, 2, -1},
};
TEST(Identity, TheRankIsTheOneThatTheInnermostLauncherSays) {
  for (const auto& row : kRanks) {
    variables = row.variables;
    const auto rank = read_rank(variable);
    EXPECT_EQ(rank.rank, row.rank) << row.name;
    EXPECT_EQ(rank.world_size, row.world_size) << row.name;
  }
}

TEST(Identity, TheHeaderIsOneLineThatNamesTheProcess) {
  Settings settings;
  settings.mode = "trace";
  settings.run = 2;
  const auto line = header_line(settings, {1, 4}, true);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_TRUE(line.ends_with("}\n"));
  for (const std::string& part :
       {std::string("\"schema\":\"roofline.capture/1\""), "\"pid\":" + std::to_string(::getpid()),
        std::string("\"rank\":1,\"world_size\":4,\"run\":2"), std::string("\"simulated\":true")})
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  EXPECT_EQ(line.find("warmups"), std::string::npos);
  settings.warmups = 3;
  EXPECT_NE(header_line(settings, {}, false).find("\"warmups\":3"), std::string::npos);
}

// ---------------------------------------------------------------- find_cupti

std::size_t place_of(const std::vector<std::string>& list, const std::string& name) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
}

TEST(FindCupti, NeverOneThatIsNewerThanTheDriver) {
  const CuptiPlaces places{"", {"/opt/cuda"}, {"/venv/site-packages"}};
  for (const int major : {11, 12, 13}) {
    const auto list = cupti_candidates(places, major);
    ASSERT_FALSE(list.empty());
    for (const auto& path : list)
      for (int newer = major + 1; newer <= 14; ++newer)
        EXPECT_EQ(path.find("libcupti.so." + std::to_string(newer)), std::string::npos)
            << path << " for " << major;
  }
  EXPECT_EQ(cupti_candidates(places, 13).front(),
            "libcupti.so.13");  // the loader's own search first
  EXPECT_EQ(cupti_candidates(places, 0).front(), "libcupti.so.14");  // a driver that does not tell
}

TEST(FindCupti, OlderOnesStandBehindNewerOnes) {
  const auto list = cupti_candidates({"", {"/opt/cuda"}, {"/venv/site-packages"}}, 13);
  const auto newer = place_of(list, "/venv/site-packages/nvidia/cu13/lib/libcupti.so.13");
  const auto older = place_of(list, "/opt/cuda/extras/CUPTI/lib64/libcupti.so.12");
  ASSERT_LT(newer, list.size());
  ASSERT_LT(older, list.size());
  EXPECT_LT(newer, older);
}

TEST(FindCupti, TheUsersChoiceStandsAloneAndStubsNever) {
  EXPECT_EQ(cupti_candidates({"/my/libcupti.so", {"/opt/cuda"}, {}}, 13),
            (std::vector<std::string>{"/my/libcupti.so"}));
  for (const auto& path : cupti_candidates({"", {"/opt/cuda/lib64/stubs"}, {}}, 13))
    EXPECT_EQ(path.find("/stubs/"), std::string::npos) << path;
}

TEST(FindCupti, PlacesComeFromTheEnvironmentFirst) {
  variables = {{"CUDA_HOME", "/home/me/cuda"}, {"CUDA_PATH", ""}};
  EXPECT_EQ(cupti_places("", variable).toolkits.front(), "/home/me/cuda");
}

TEST(FindCupti, VersionsOfCupti) {  // CUPTI's release notes: 24 is 12.6, 27 is 12.9, then xxyyzz
  EXPECT_EQ(cuda_major_of_cupti(24), 12);
  EXPECT_EQ(cuda_major_of_cupti(28), 12);
  EXPECT_EQ(cuda_major_of_cupti(130000), 13);
  EXPECT_EQ(cuda_major_of_cupti(140100), 14);
}

// ---------------------------------------------------------------- api_roles

TEST(ApiRoles, ByTheName) {
  using capture::ApiRole;
  constexpr std::pair<const char*, ApiRole> kRows[] = {
      {"cuLaunchKernel", ApiRole::kernel_launch},
      {"cuLaunchKernelEx_ptsz", ApiRole::kernel_launch},
      {"cudaLaunchKernel_v7000", ApiRole::kernel_launch},
      {"__cudaLaunchKernel", ApiRole::kernel_launch},
      {"cuLaunchCooperativeKernelMultiDevice", ApiRole::kernel_launch},
      {"cuLaunchHostFunc", ApiRole::other},
      {"cudaLaunchHostFunc_v10000", ApiRole::other},
      {"cuGraphLaunch", ApiRole::graph_launch},
      {"cudaGraphLaunch_ptsz_v10000", ApiRole::graph_launch},
      {"cuGraphInstantiateWithFlags", ApiRole::other},
      {"cuMemcpyHtoDAsync_v2", ApiRole::copy},
      {"cudaMemcpy_v3020", ApiRole::copy},
      {"cuMemsetD32Async", ApiRole::set},
      {"cuMemAlloc_v2", ApiRole::allocation},
      {"cudaMalloc_v3020", ApiRole::allocation},
      {"cuCtxSynchronize", ApiRole::wait},
      {"cudaDeviceSynchronize_v3020", ApiRole::wait},
      {"cuModuleLoadDataEx", ApiRole::module_load},
      {"cuLibraryLoadData", ApiRole::module_load},
      {"cuInit", ApiRole::other},
      {"", ApiRole::other},
  };
  for (const auto& [name, role] : kRows) EXPECT_EQ(role_of_call(name), role) << name;
}

TEST(ApiRoles, KnownNumbersWithoutACuptiThatTellsNamesAndItsNamesWhereItDoes) {
  ApiRoles roles;
  roles.learn({});
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 307), capture::ApiRole::kernel_launch);
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 514), capture::ApiRole::graph_launch);
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 900), capture::ApiRole::other);
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 1u << 31), capture::ApiRole::other);
  CuptiApi later;
  later.get_callback_name = [](CUpti_CallbackDomain domain, std::uint32_t call, const char** name) {
    *name =
        domain == CUPTI_CB_DOMAIN_DRIVER_API && call == 900 ? "cuLaunchKernelOfTheFuture" : nullptr;
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
  };
  roles.learn(later);
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 900), capture::ApiRole::kernel_launch);
  EXPECT_EQ(roles.role(capture::ApiDomain::driver, 307), capture::ApiRole::kernel_launch);
}

// ---------------------------------------------------------------- output_file and writer

int writes = 0, fails_at = 0;
ssize_t short_write(int descriptor, const void* bytes,
                    std::size_t size) {  // 7 bytes at a time, until the disk is full
  if (++writes == fails_at) {
    errno = ENOSPC;
    return -1;
  }
  return ::write(descriptor, bytes, std::min<std::size_t>(size, 7));
}

class Files : public testing::Test {
 protected:
  Files() {
    folder_ = fs::temp_directory_path() / ("roofline_output." + std::to_string(::getpid()));
    fs::create_directories(folder_);
    writes = fails_at = 0;
  }
  ~Files() override { fs::remove_all(folder_); }
  std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path folder_;
};

TEST_F(Files, ANameThatIsTakenGetsANumber) {
  OutputFile first, second, third;
  EXPECT_EQ(first.create(folder_, "h.1", ".rlf"), 0);
  EXPECT_EQ(second.create(folder_, "h.1", ".rlf"), 0);
  EXPECT_EQ(third.create(folder_, "h.1", ".rlf"), 0);
  EXPECT_EQ(first.path(), (folder_ / "h.1.rlf").string());
  EXPECT_EQ(second.path(), (folder_ / "h.1.2.rlf").string());
  EXPECT_EQ(third.path(), (folder_ / "h.1.3.rlf").string());
}

TEST_F(Files, AFolderThatIsNotThere) {
  OutputFile file;
  EXPECT_EQ(file.create(folder_ / "nowhere", "h.1", ".rlf"), ENOENT);
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(file.append("x"), EBADF);
}

TEST_F(Files, ShortWritesAreGoneOnWithAndAFailedOneIsTakenBack) {
  OutputFile file(short_write);
  ASSERT_EQ(file.create(folder_, "h", ".rlf"), 0);
  EXPECT_EQ(file.append("0123456789"), 0);  // two writes
  fails_at = 4;                             // the second of the next chunk
  EXPECT_EQ(file.append("abcdefghijkl"), ENOSPC);
  EXPECT_EQ(content("h.rlf"), "0123456789");
  fails_at = 0;
  EXPECT_EQ(file.append("more"), 0);  // there is room again
  EXPECT_EQ(content("h.rlf"), "0123456789more");
}

TEST_F(Files, AProgramThatClosesEverythingIsOutlived) {
  OutputFile file;
  ASSERT_EQ(file.create(folder_, "h", ".rlf"), 0);
  ASSERT_EQ(file.append("one "), 0);
  std::vector<int> others;
  for (int fd = 3; fd < 64; ++fd)
    if (::close(fd) == 0) others.push_back(fd);
  const int own = ::open((folder_ / "own").c_str(), O_CREAT | O_WRONLY, 0600);  // takes the number
  EXPECT_EQ(file.append("two"), 0);
  EXPECT_EQ(content("h.rlf"), "one two");
  EXPECT_EQ(content("own"), "");
  ::close(own);
}

TEST_F(Files, AFileThatIsGoneIsNotMadeAnew) {
  OutputFile file;
  ASSERT_EQ(file.create(folder_, "h", ".rlf"), 0);
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
  fs::remove(folder_ / "h.rlf");
  EXPECT_EQ(file.append("x"), EBADF);
  EXPECT_FALSE(fs::exists(folder_ / "h.rlf"));
}

TEST_F(Files, ALimitOfFileSizesRaisesNoSignal) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  OutputFile file;
  ASSERT_EQ(file.create(folder_, "h", ".rlf"), 0);
  rlimit small = before;
  small.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const int failed = file.append(std::string(200, 'x'));  // SIGXFSZ ends a process by default
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(failed, EFBIG);
  EXPECT_EQ(content("h.rlf"), "");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

TEST_F(Files, WhatWasNotWrittenIsCountedAndSaidBehindWhatWas) {
  OutputFile file(short_write);
  ASSERT_EQ(file.create(folder_, "h", ".rlf"), 0);
  KernelCodes codes;
  CaptureWriter writer(file, codes);
  Losses losses;
  ASSERT_EQ(writer.start("{}\n"), 0);
  {
    CaptureWriter::Batch batch(writer);
    batch.put(capture::Wait{1, 0, 10, 20, 0});
  }
  writer.flush(losses);
  fails_at = writes + 1;
  {
    CaptureWriter::Batch batch(writer);
    for (int i = 0; i < 5; ++i) batch.put(capture::Wait{1, 0, 30, 40, 0});
  }
  testing::internal::CaptureStderr();
  writer.flush(losses);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot write"), std::string::npos);
  {
    CaptureWriter::Batch batch(writer);  // nothing is taken any more
    batch.put(capture::Wait{1, 0, 50, 60, 0});
  }
  writer.finish("exit", losses);

  const auto bytes = content("h.rlf");
  std::string_view rest = std::string_view(bytes).substr(3);
  capture::Last last;
  std::map<std::uint64_t, std::string> texts;
  std::uint64_t waits = 0, unwritten = 0;
  std::string end;
  for (auto frame = capture::next_frame(rest); frame.tag != 0; frame = capture::next_frame(rest)) {
    capture::Text text;
    capture::Loss loss;
    capture::End over;
    switch (static_cast<capture::Tag>(frame.tag)) {
      case capture::Tag::wait: ++waits; break;
      case capture::Tag::text:
        ASSERT_TRUE(capture::decode(frame.payload, last, text));
        texts[text.id] = text.value;
        break;
      case capture::Tag::loss:
        ASSERT_TRUE(capture::decode(frame.payload, last, loss));
        EXPECT_EQ(texts[loss.reason], loss::kUnwritten);
        unwritten += loss.count;
        break;
      case capture::Tag::end:
        ASSERT_TRUE(capture::decode(frame.payload, last, over));
        end = texts[over.reason];
        break;
      default: FAIL() << "tag " << int{frame.tag};
    }
  }
  EXPECT_EQ(waits, 1u);
  EXPECT_EQ(unwritten, 6u);
  EXPECT_EQ(end, "exit");
}

}  // namespace
}  // namespace roofline::profile::plugin
