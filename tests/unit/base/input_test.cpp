#include "roofline/base/input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace roofline {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLimit = 1 << 20;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "roofline_input_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;  // the test is over
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string make(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

std::string whole(const Error& error) { return format_errors({&error, 1}, false); }

TEST_F(Files, ReadsBytesAsTheyAre) {
  const std::string bytes("a\r\n\0\xFF", 5);
  EXPECT_EQ(read_input(make("f", bytes), kLimit), bytes);
  EXPECT_EQ(read_input(make("empty", ""), kLimit), "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(read_input(make("large", large), kLimit), large);
}

TEST_F(Files, LimitIsExact) {
  const auto file = make("f", std::string(100, 'x'));
  EXPECT_TRUE(read_input(file, 100));
  const auto refused = read_input(file, 99);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit_exceeded);
  EXPECT_EQ(refused.error().where.file, file);
}

TEST_F(Files, EndlessInputStopsAtTheLimit) {
  const auto refused = read_input("/dev/zero", kLimit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit_exceeded);
}

TEST_F(Files, MissingFileNamesItsNeighbour) {
  make("kernels.yaml", "");
  const auto refused = read_input(path("kernel.yaml"), kLimit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::cannot_read);
  EXPECT_NE(whole(refused.error()).find("no such file"), std::string::npos);
  EXPECT_EQ(refused.error().hint, "did you mean \"kernels.yaml\"?");
}

TEST_F(Files, FolderIsNotAFile) {
  const auto refused = read_input(folder_.string(), kLimit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::cannot_read);
  EXPECT_NE(refused.error().what.find("it is a folder"), std::string::npos);
}

TEST_F(Files, OtherPathsThatCannotBeRead) {
  EXPECT_EQ(read_input("", kLimit).error().code, Code::cannot_read);
  EXPECT_EQ(read_input(path("no/such/folder"), kLimit).error().code, Code::cannot_read);
  EXPECT_EQ(read_input(std::string(5000, 'x'), kLimit).error().code, Code::cannot_read);
  EXPECT_EQ(read_input(std::string("/dev/null\0x", 11), kLimit).error().code, Code::cannot_read);
}

TEST_F(Files, WithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto file = make("f", "x");
  fs::permissions(file, fs::perms::none);
  EXPECT_NE(read_input(file, kLimit).error().what.find("permission denied"), std::string::npos);
}

TEST_F(Files, ReadsAPipe) {
  const auto pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string sent(200'000, 'p');  // more than a pipe holds
  std::thread writer([&] { std::ofstream(pipe) << sent; });
  const auto read = read_input(pipe, kLimit);
  writer.join();
  EXPECT_EQ(read, sent);
}

TEST_F(Files, ReadsStandardInput) {
  const auto file = make("f", "from stdin");
  const int kept = ::dup(STDIN_FILENO), opened = ::open(file.c_str(), O_RDONLY);
  ASSERT_EQ(::dup2(opened, STDIN_FILENO), STDIN_FILENO);
  EXPECT_EQ(read_input("-", kLimit), "from stdin");
  EXPECT_EQ(read_input("-", kLimit), "");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(opened);
}

TEST_F(Files, ClosedStandardInputIsAnError) {
  const int kept = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const auto refused = read_input("-", kLimit);
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("standard input"), std::string::npos);
}

TEST_F(Files, WritesANewFileByTheUmask) {
  const auto before = ::umask(027);
  const auto written = write_atomically(path("new"), "content");
  ::umask(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(content(path("new")), "content");
  EXPECT_EQ(fs::status(path("new")).permissions(), static_cast<fs::perms>(0640));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Files, ReplacesAFileAndKeepsItsMode) {
  const auto file = make("f", "old and longer");
  fs::permissions(file, static_cast<fs::perms>(0604));
  ASSERT_TRUE(write_atomically(file, "new"));
  EXPECT_EQ(content(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), static_cast<fs::perms>(0604));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Files, FollowsALink) {
  const auto file = make("f", "old");
  fs::create_symlink("f", path("link"));
  ASSERT_TRUE(write_atomically(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(file), "new");
}

TEST_F(Files, RelativePathsAreWrittenWhereTheyAre) {
  const auto before = fs::current_path();
  fs::current_path(folder_);
  const auto written = write_atomically("plain", "x");
  fs::current_path(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(content(path("plain")), "x");
}

TEST_F(Files, ParentMustExist) {
  const auto refused = write_atomically(path("no/f"), "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::cannot_write);
  EXPECT_EQ(refused.error().hint, "its folder must exist");
  EXPECT_FALSE(fs::exists(path("no")));
}

TEST_F(Files, OtherPathsThatCannotBeWritten) {
  EXPECT_EQ(write_atomically("", "x").error().code, Code::cannot_write);
  EXPECT_NE(write_atomically(folder_.string(), "x").error().what.find("it is a folder"),
            std::string::npos);
  EXPECT_EQ(write_atomically(std::string("a\0b", 3), "x").error().code, Code::cannot_write);
}

TEST_F(Files, DevicesAreWrittenDirectly) {
  EXPECT_TRUE(write_atomically("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, FullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto refused = write_atomically("/dev/full", "x");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("the disk is full"), std::string::npos);
}

TEST_F(Files, WritesAPipe) {
  const auto pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = content(pipe); });
  const auto written = write_atomically(pipe, "through");
  reader.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(got, "through");
}

TEST_F(Files, AppendsToStandardOutputThatIsAFile) {
  const auto file = make("out", "before\n");
  const int kept = ::dup(STDOUT_FILENO), opened = ::open(file.c_str(), O_WRONLY | O_APPEND);
  ::dup2(opened, STDOUT_FILENO);
  const auto written = write_atomically("/dev/stdout", "after\n");
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  ::close(opened);
  EXPECT_TRUE(written);
  EXPECT_EQ(content(file), "before\nafter\n");
}

/// A failure in the middle of writing, as on a full disk: the limit on file sizes needs no disk to
/// fill.
TEST_F(Files, FailureLeavesTheOldFile) {
  const auto file = make("f", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto refused = write_atomically(file, std::string(100'000, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::cannot_write);
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(files(), 1u) << "the temporary file is gone";
}

TEST_F(Files, ProtectedFileStays) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const auto file = make("f", "old");
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_FALSE(write_atomically(file, "new"));
  EXPECT_EQ(content(file), "old");
}

TEST_F(Files, ManyWritersAtOnceLeaveOneWholeFile) {
  const auto file = path("shared");
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j)
        ASSERT_TRUE(write_atomically(file, std::string(10'000, static_cast<char>('a' + i))));
    });
  for (auto& writer : writers) writer.join();
  const auto last = content(file);
  EXPECT_EQ(last, std::string(10'000, last[0]));
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace roofline
