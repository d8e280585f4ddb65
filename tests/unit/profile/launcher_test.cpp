#include "roofline/profile/launcher.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace roofline {
namespace {

ProgramCommand shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {}, std::nullopt};
}

struct Row {
  const char *name, *script;
  int exit_code, signal;
  const char* text;
};
const Row kRows[] = {
    {"success", "exit 0", 0, 0, "exit code 0"},
    {"own_status", "exit 3", 3, 0, "exit code 3"},
    {"killed", "kill -SEGV $$", 0, SIGSEGV, "signal 11 (SIGSEGV)"},
    {"aborted", "kill -ABRT $$", 0, SIGABRT, "signal 6 (SIGABRT)"},
    {"pipe_signal_is_not_ignored", "kill -PIPE $$; exit 5", 0, SIGPIPE, "signal 13 (SIGPIPE)"},
};
class Launcher : public testing::TestWithParam<Row> {};
TEST_P(Launcher, TellsHowTheProgramEnded) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);  // as the program's main does
  const auto end = run_program_to_end(shell(GetParam().script));
  ::signal(SIGPIPE, before);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->exit_code, GetParam().exit_code);
  EXPECT_EQ(end->signal, GetParam().signal);
  EXPECT_EQ(end->text(), GetParam().text);
  EXPECT_FALSE(end->interrupted);
}
INSTANTIATE_TEST_SUITE_P(Rows, Launcher, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

TEST(Launcher, SetsVariablesAndKeepsTheOthers) {
  ::setenv("ROOFLINE_TEST_KEPT", "kept", 1);
  ::setenv("ROOFLINE_TEST_CHANGED", "old", 1);
  auto command = shell(
      "test \"$ROOFLINE_TEST_KEPT\" = kept && test \"$ROOFLINE_TEST_CHANGED\" = \"new = value\"");
  command.environment = {{"ROOFLINE_TEST_CHANGED", "new = value"}};
  const auto end = run_program_to_end(command);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->exit_code, 0);
}

struct NotStarted {
  const char *name, *program, *says, *hint;
};
const NotStarted kNotStarted[] = {
    {"no_such_path", "./no/such/program", "program not found: ./no/such/program",
     "relative to this folder"},
    {"no_such_name", "no-such-program-anywhere", "program not found", "./no-such-program-anywhere"},
    {"a_folder", "/tmp", "cannot run /tmp: Permission denied", "it is a folder"},
    {"not_executable", ROOFLINE_SOURCE_DIR "/README.md", "README.md: Permission denied", "chmod"},
};
class LauncherRefused : public testing::TestWithParam<NotStarted> {};
TEST_P(LauncherRefused, WithTheReason) {
  const auto end = run_program_to_end({{GetParam().program}, {}, std::nullopt});
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code, Code::program_not_found);
  EXPECT_NE(end.error().what.find(GetParam().says), std::string::npos) << end.error().what;
  EXPECT_NE(end.error().hint.find(GetParam().hint), std::string::npos) << end.error().hint;
}
INSTANTIATE_TEST_SUITE_P(Rows, LauncherRefused, testing::ValuesIn(kNotStarted),
                         [](const auto& i) { return i.param.name; });

TEST(Launcher, KillsWhatTakesTooLong) {
  auto command = shell("exec sleep 60");
  command.timeout = std::chrono::seconds(1);
  const auto end = run_program_to_end(command);
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->timed_out);
  EXPECT_EQ(end->signal, SIGKILL);
  EXPECT_FALSE(end->good());
}

TEST(Launcher, PassesAnInterruptOnOnce) {
  int told = 0;
  const auto end = run_program_to_end(
      shell("trap 'exit 7' INT; kill -INT $PPID; while :; do sleep 0.05; done"), [&] { ++told; });
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->interrupted);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_EQ(told, 1);
}

TEST(Launcher, KillsAtTheSecondInterrupt) {
  const auto end = run_program_to_end(shell(
      "trap '' INT; kill -INT $PPID; sleep 0.2; kill -INT $PPID; while :; do sleep 0.05; done"));
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->interrupted);
  EXPECT_EQ(end->signal, SIGKILL);
}

}  // namespace
}  // namespace roofline
