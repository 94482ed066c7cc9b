#include "survey/collecting/started_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting {

namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StartedProgramTest, ReturnsTheExitCode) {
  EXPECT_EQ(run_program({"sh", "-c", "exit 7"}, {}).exit_code, 7);
  EXPECT_EQ(run_program({"/bin/true"}, {}).exit_code, 0);
}

TEST(StartedProgramTest, ReturnsTheSignalThatEndedTheProgram) {
  const ProgramEnd end = run_program({"sh", "-c", "kill -KILL $$"}, {});
  EXPECT_FALSE(end.exit_code);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(StartedProgramTest, AProgramThatDoesNotExistIsAnInputError) {
  EXPECT_THAT([] { run_program({"/nowhere/program"}, {}); },
              ThrowsMessage<base::InputError>(HasSubstr("/nowhere/program cannot be started: No such file")));
  EXPECT_THAT([] { run_program({"/"}, {}); },
              ThrowsMessage<base::InputError>(HasSubstr("Permission denied")));
  EXPECT_THROW(run_program({}, {}), base::InputError);
  EXPECT_THROW(run_program({""}, {}), base::InputError);
}

TEST(StartedProgramTest, VariablesAreAddedAndReplaced) {
  ::setenv("WARPTUNE_TEST_OLD", "old", 1);
  ::setenv("WARPTUNE_TEST_KEPT", "kept", 1);
  const std::string test = "test \"$WARPTUNE_TEST_OLD$WARPTUNE_TEST_KEPT$WARPTUNE_TEST_NEW\" = 1kept2";
  EXPECT_EQ(run_program({"sh", "-c", test}, {"WARPTUNE_TEST_OLD=1", "WARPTUNE_TEST_NEW=2"}).exit_code, 0);
}

// Runs a program that says when it is ready, sends this process a signal, and returns how the program ended.
ProgramEnd end_after_signal(const std::string& program, int number) {
  const tests::TemporaryFolder folder;
  const std::string ready = (folder / "ready").string();
  std::thread sender([&] {
    while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(::getpid(), number);
  });
  const ProgramEnd end = run_program({"sh", "-c", program, "sh", ready}, {});
  sender.join();
  return end;
}

TEST(StartedProgramTest, SendsSignalsToTheProgram) {
  const std::string program = "trap 'exit 33' TERM INT; touch \"$1\"; while :; do sleep 0.01; done";
  EXPECT_EQ(end_after_signal(program, SIGTERM).exit_code, 33);
  EXPECT_EQ(end_after_signal(program, SIGINT).exit_code, 33);
}

// Batch systems send them before the time is over.
TEST(StartedProgramTest, SendsSignalsThatAProgramGivesAMeaning) {
  const std::string program = "trap 'exit 33' USR1 USR2 ALRM; touch \"$1\"; while :; do sleep 0.01; done";
  for (const int number : {SIGUSR1, SIGUSR2, SIGALRM})
    EXPECT_EQ(end_after_signal(program, number).exit_code, 33) << number;
}

TEST(StartedProgramTest, RemembersThatASignalCame) {
  const ForwardedSignals outer;
  ::raise(SIGUSR1);
  EXPECT_FALSE(signal_came()) << "it does not ask for the end";
  ::raise(SIGTERM);
  const ForwardedSignals inner;
  EXPECT_TRUE(signal_came());
}

TEST(StartedProgramTest, ASignalEndsAProgramThatDoesNotHandleIt) {
  EXPECT_EQ(end_after_signal("touch \"$1\"; exec sleep 60", SIGTERM).signal, SIGTERM);
}

TEST(StartedProgramTest, RestoresHandlers) {
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGTERM, nullptr, &before);
  run_program({"/bin/true"}, {});
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

// While the records are read, a signal must not lose them.
TEST(StartedProgramTest, ASignalAfterTheEndIsIgnored) {
  const ForwardedSignals signals;
  EXPECT_EQ(run_program({"/bin/true"}, {}).exit_code, 0);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM})
    ::kill(::getpid(), number);
}

TEST(StartedProgramTest, ASignalBeforeTheBeginningReachesTheProgram) {
  const ForwardedSignals signals;
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(run_program({"sleep", "60"}, {}).signal, SIGTERM);
}

}  // namespace

}  // namespace warptune::survey::collecting
