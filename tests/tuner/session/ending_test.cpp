// How the program ends early: it is killed or interrupted, or its output is closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "db/recording_file.h"
#include "db/store.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::session {
namespace {

using ::testing::HasSubstr;

constexpr int kManyValues = 3000;  // Far more than a session can evaluate before it is stopped.

class EndingTest : public ::testing::Test {
 protected:
  void make_kernel(int values) {
    kernel_ = testing::write_toy_kernel(warptune_.folder(), values).string();
    recording_ = (warptune_ / "toy.wtrec.zst").string();
    db::write_recording(recording_, testing::toy_recording(kernel_));
  }

  std::vector<std::string> long_session() const {
    return {"tune", kernel_, "--replay", recording_, "--budget", "all", "--strategy", "random"};
  }

  std::uint64_t stored() const {
    try {
      return db::Store::open_existing(warptune_.database()).totals().measurements;
    } catch (const std::exception&) {
      return 0;  // The database does not exist yet.
    }
  }

  // Starts a long session and waits until it has stored something.
  pid_t start_and_wait_for_rows() {
    const std::uint64_t before = stored();
    const pid_t pid = warptune_.start(long_session());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (stored() < before + 50 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return pid;
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

TEST_F(EndingTest, KilledInTheMiddleItKeepsWhatWasStoredAndGoesOn) {
  make_kernel(kManyValues);
  const pid_t pid = start_and_wait_for_rows();
  const std::uint64_t before = stored();
  ::kill(pid, SIGKILL);
  EXPECT_EQ(warptune_.wait(pid).signal, SIGKILL);
  const std::uint64_t kept = stored();
  EXPECT_GE(before, 50U);
  EXPECT_GE(kept, before);
  EXPECT_LT(kept, 2U * kManyValues);
  const nlohmann::json next = warptune_.tuned({"tune", kernel_, "--replay", recording_, "--budget", "10"});
  EXPECT_EQ(next.at("known_before"), kept);
  EXPECT_EQ(next.at("evaluated"), 10);
}

TEST_F(EndingTest, InterruptedItReportsAndKeepsWhatIsFinished) {
  make_kernel(kManyValues);
  for (const int number : {SIGINT, SIGTERM}) {
    const std::uint64_t before = stored();
    const pid_t pid = start_and_wait_for_rows();
    ::kill(pid, number);
    const testing::ProgramRun done = warptune_.wait(pid);
    EXPECT_EQ(done.exit_code, 130) << done.err;
    EXPECT_THAT(done.out, HasSubstr("configurations evaluated"));
    EXPECT_GT(stored(), before);
    EXPECT_LT(stored(), 2U * kManyValues);
  }
}

TEST_F(EndingTest, AnEmptyDatabaseFileIsBegun) {
  make_kernel(8);
  const std::string database = warptune_.file("empty.db", "");
  EXPECT_EQ(warptune_.run({"list", "--db", database}).exit_code, 0);
  const testing::ProgramRun done =
      warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "5", "--db", database});
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

// From just before it creates the database to 20 ms afterwards. $WARPTUNE_TEST_KILLS is the number of
// sessions.
TEST_F(EndingTest, ABeginningThatIsKilledIsGoneOnWith) {
  make_kernel(8);
  const char* const kills = std::getenv("WARPTUNE_TEST_KILLS");
  const int count = kills != nullptr ? std::stoi(kills) : 20;
  for (int i = 0; i < count; ++i) {
    const std::string database = (warptune_ / ("k" + std::to_string(i) + ".db")).string();
    const std::vector<std::string> tune = {"tune",     kernel_, "--replay", recording_,
                                           "--budget", "5",     "--db",     database};
    const pid_t pid = warptune_.start(tune);
    while (!std::filesystem::exists(database) && ::waitpid(pid, nullptr, WNOHANG) == 0)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 20));
    ::kill(pid, SIGKILL);
    warptune_.wait(pid);
    const testing::ProgramRun done = warptune_.run(tune);
    EXPECT_EQ(done.exit_code, 0) << "killed after " << i % 20 << " ms: " << done.err;
  }
}

TEST_F(EndingTest, AFullLimitOnTheSizeOfFilesIsTold) {
  make_kernel(8);
  const testing::ProgramRun done = warptune_.shell("ulimit -f 16; \"$WARPTUNE\" tune '" + kernel_ +
                                                   "' --replay '" + recording_ + "' --budget 5");
  EXPECT_EQ(done.signal, 0);
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("raise the limit on the size of files (ulimit -f)"));
}

TEST_F(EndingTest, OutputThatCannotBeWrittenIsNotedByTheExitCode) {
  for (const char* command :
       {"\"$WARPTUNE\" --help > /dev/full", "\"$WARPTUNE\" list > /dev/full", "\"$WARPTUNE\" --help >&-",
        "\"$WARPTUNE\" list >&-", "\"$WARPTUNE\" strategies --format json > /dev/full"}) {
    const testing::ProgramRun done = warptune_.shell(command);
    EXPECT_EQ(done.exit_code, 3) << command;
    EXPECT_THAT(done.err, HasSubstr("standard output could not be written")) << command;
  }
}

TEST_F(EndingTest, AReaderThatHasEnoughEndsItQuietly) {
  const testing::ProgramRun done = warptune_.shell("\"$WARPTUNE\" metrics | head -n 1");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.err, "");
}

TEST_F(EndingTest, StandardStreamsClosedAtTheStartSpoilNothing) {
  make_kernel(8);
  const std::string tune = "\"$WARPTUNE\" tune '" + kernel_ + "' --replay '" + recording_ + "' --budget 5";
  EXPECT_EQ(warptune_.shell(tune + " <&- >&- 2>&-").exit_code, 3);
  EXPECT_EQ(stored(), 5U);
  EXPECT_EQ(warptune_.shell(tune + " 2>&-").exit_code, 0);
  EXPECT_EQ(stored(), 10U);
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("session_count"), 2);
}

}  // namespace
}  // namespace warptune::tuner::session
