#include "base/programs/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "tests/temporary_folder.h"

namespace warptune::base::programs {
namespace {

class RunProgramTest : public ::testing::Test {
 protected:
  ProgramEnd shell(const std::string& command, const std::optional<ProgramLimit>& limit = std::nullopt) {
    return run_program({"/bin/sh", "-c", command}, {"PATH=/usr/bin:/bin", "GIVEN=yes"}, output_, limit);
  }
  std::string printed() const { return read_file(output_); }

  tests::TemporaryFolder folder_;
  std::filesystem::path output_ = folder_ / "output";
  Cancellation cancellation_;
  ProgramLimit limit_{std::chrono::seconds(60), cancellation_};
};

TEST_F(RunProgramTest, TheExitCodeAndBothStreamsAreKept) {
  for (const std::optional<ProgramLimit>& limit : {std::optional<ProgramLimit>(), std::optional(limit_)}) {
    const ProgramEnd end = shell("echo $GIVEN; echo wrong >&2; read line || echo nothing; exit 7", limit);
    EXPECT_EQ(end.exit_code, 7);
    EXPECT_FALSE(end.signal);
    EXPECT_EQ(printed(), "yes\nwrong\nnothing\n");
  }
}

TEST_F(RunProgramTest, ASignalIsNoExitCode) {
  const ProgramEnd end = shell("kill -TERM $$");
  EXPECT_FALSE(end.exit_code);
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST_F(RunProgramTest, OnlyWithALimitTheProgramLeadsAGroup) {
  shell("ps -o pgid= -p $$ | tr -d ' '");
  EXPECT_EQ(printed(), std::to_string(::getpgrp()) + "\n");
  shell("test $(ps -o pgid= -p $$) = $$ && echo leads", limit_);
  EXPECT_EQ(printed(), "leads\n");
}

TEST_F(RunProgramTest, AfterTheTimeTheGroupIsKilled) {
  limit_.time = std::chrono::milliseconds(200);
  const auto began = std::chrono::steady_clock::now();
  const ProgramEnd end = shell("sleep 60 & echo $!; wait", limit_);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
  EXPECT_FALSE(end.exit_code || end.signal);
  const pid_t left = std::stoi(printed());
  for (int i = 0; i < 200 && ::kill(left, 0) == 0; ++i) ::usleep(10000);  // Until it is reaped.
  const std::string state = std::filesystem::exists("/proc/" + std::to_string(left) + "/stat")
                                ? read_file("/proc/" + std::to_string(left) + "/stat")
                                : " Z ";
  EXPECT_NE(state.find(" Z "), std::string::npos) << state;
}

TEST_F(RunProgramTest, WorkThatIsCancelledKillsTheProgram) {
  cancellation_.cancel();
  const ProgramEnd end = shell("sleep 60", limit_);
  EXPECT_FALSE(end.exit_code || end.signal);
}

TEST_F(RunProgramTest, DescriptorsAreNotInherited) {
  const int high = ::fcntl(STDERR_FILENO, F_DUPFD, 300);
  ASSERT_GE(high, 300);
  shell("test -e /proc/self/fd/" + std::to_string(high) + " || echo closed");
  ::close(high);
  EXPECT_EQ(printed(), "closed\n");
}

TEST_F(RunProgramTest, AProgramThatCannotBeStartedIsAnError) {
  EXPECT_THROW(run_program({(folder_ / "missing").string()}, {}, output_), MachineError);
  EXPECT_THROW(run_program({"/bin/true"}, {}, folder_ / "no" / "folder"), MachineError);
}

TEST_F(RunProgramTest, AProgramThatSaysWhyItEndsWith127WasStarted) {
  EXPECT_EQ(shell("echo why; exit 127").exit_code, 127);
  EXPECT_EQ(printed(), "why\n");
}

}  // namespace
}  // namespace warptune::base::programs
