// The command `node`: wrong options, what it prints, and how it ends when it is stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "db/recording_file.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::HasSubstr;
using testing::ProgramRun;

class NodeCommandTest : public ::testing::Test {
 protected:
  // A store with one task of the toy kernel, which takes two seconds.
  void prepare() {
    model::Recording recording = testing::toy_recording(testing::write_toy_kernel(warptune_.folder()));
    for (model::Measurement& row : recording.measurements) row.measure_ms = 200.0;
    std::filesystem::create_directories(warptune_ / "recordings");
    db::write_recording(warptune_ / "recordings/toy.wtrec.zst", recording);
    warptune_.file("c.toml", "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nbudget = 'all'\n");
    warptune_.shell(
        "$WARPTUNE campaign init --store spool:s && $WARPTUNE campaign add c.toml --store spool:s");
  }
  // How a node ends after this signal, which comes when its task has begun.
  ProgramRun stopped_by(int signal) {
    std::filesystem::remove(warptune_ / "stdout");  // What an earlier node printed.
    const pid_t pid = warptune_.start({"node", "--store", "spool:s", "--replay", "recordings"});
    for (int i = 0; i < 600; ++i) {
      if (testing::slurp(warptune_ / "stdout").find("c task 0, GPU 0: toy") != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ::kill(pid, signal);
    return warptune_.wait(pid);
  }
  ProgramRun node(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "node");
    return warptune_.run(arguments);
  }

  testing::Warptune warptune_;
};

TEST_F(NodeCommandTest, WrongOptionsAreOneSentence) {
  EXPECT_THAT(node({}).err, HasSubstr("--store is missing"));
  EXPECT_THAT(node({"--store", "spool:nowhere"}).err, HasSubstr("nowhere"));
  EXPECT_THAT(node({"--store", "spool:s", "--pace", "2"}).err, HasSubstr("--pace needs --replay"));
  EXPECT_THAT(node({"--store", "spool:s", "--idle-exit", "soon"}).err,
              HasSubstr("--idle-exit soon: expected a number from 0 to 604800"));
  EXPECT_THAT(node({"--store", "spool:s", "--publish-every", "0"}).err,
              HasSubstr("--publish-every 0: expected"));
  EXPECT_THAT(node({"--store", "spool:s", "--jobs", "0"}).err, HasSubstr("jobs"));
  EXPECT_THAT(node({"--store", "spool:s", "--allowed-signers", "missing"}).err, HasSubstr("missing"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{}, {"--store", "spool:nowhere"}, {"--store", "spool:s", "--device", "x"}})
    EXPECT_EQ(node(wrong).exit_code, 2);
}

TEST_F(NodeCommandTest, PrintsALineForEachTaskAndASumAtTheEnd) {
  prepare();
  const ProgramRun run =
      node({"--store", "spool:s", "--replay", "recordings", "--pace", "0", "--until-done"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("c task 0, GPU 0: toy"));
  EXPECT_THAT(run.out, HasSubstr("c task 0, GPU 0: done, 8 evaluations, best 1.00 us"));
  EXPECT_THAT(run.out, HasSubstr("1 task done, 0 failed, 0 attempts with another end"));
}

TEST_F(NodeCommandTest, ANodeWithoutAGpuSaysWhatToDo) {
  prepare();
  const ProgramRun run = node({"--store", "spool:s"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("no GPU"));
  EXPECT_THAT(run.err, HasSubstr("--replay"));
}

TEST_F(NodeCommandTest, ASignalGivesTheTaskBackAndAnotherNodeContinues) {
  prepare();
  const ProgramRun terminated = stopped_by(SIGTERM);
  EXPECT_EQ(terminated.exit_code, 0);
  EXPECT_THAT(terminated.out, HasSubstr("given back: the node was stopped"));
  EXPECT_EQ(stopped_by(SIGINT).exit_code, 130);
  const ProgramRun last =
      node({"--store", "spool:s", "--replay", "recordings", "--pace", "0", "--until-done"});
  EXPECT_THAT(last.out, HasSubstr("1 task done"));
}

}  // namespace
}  // namespace warptune::tuner::nodes
