// The command `node`: wrong options, what it prints, and how it ends when it is stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
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
  // A store with one task of the toy kernel, which takes three seconds.
  void prepare() {
    model::Recording recording = testing::toy_recording(testing::write_toy_kernel(warptune_.folder()));
    for (model::Measurement& row : recording.measurements) row.measure_ms = 400.0;
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
    wait_for_text("c task 0, GPU 0: toy");
    ::kill(pid, signal);
    return warptune_.wait(pid);
  }
  // Waits until the program has printed this.
  void wait_for_text(const std::string& text) {
    for (int i = 0; i < 600; ++i) {
      if (testing::slurp(warptune_ / "stdout").find(text) != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << text << " was not printed";
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
  // Neither ends: one has always more bytes, the other waits for a writer.
  ASSERT_EQ(::mkfifo((warptune_ / "pipe").c_str(), 0600), 0);
  for (const std::string& endless : {std::string("/dev/zero"), (warptune_ / "pipe").string()})
    EXPECT_THAT(node({"--store", "spool:s", "--allowed-signers", endless}).err,
                HasSubstr(endless + ": expected a regular file of allowed signers"));
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

TEST_F(NodeCommandTest, EventsAreLinesOfJsonIfProgramsReadThem) {
  prepare();
  const ProgramRun run = node(
      {"--store", "spool:s", "--replay", "recordings", "--pace", "0", "--until-done", "--progress", "json"});
  EXPECT_EQ(run.exit_code, 0);
  std::vector<std::string> events;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
    ASSERT_FALSE(event.is_discarded()) << line;
    EXPECT_EQ(event.at("format"), "warptune-node-progress");
    events.push_back(event.at("event"));
    if (events.back() == "task_began") {
      EXPECT_EQ(event.at("task"), 0);
    }
    if (events.back() != "task_ended") continue;
    EXPECT_EQ(event.at("end"), "done");
    EXPECT_EQ(event.at("evaluated"), 8);
  }
  EXPECT_THAT(events, ::testing::ElementsAre("entered", "task_began", "task_ended", "node_ended"));
}

TEST_F(NodeCommandTest, ANodeWaitsForAStoreThatIsAway) {
  prepare();
  // A database whose server does not run.
  const pid_t pid = warptune_.start({"node", "--store", "postgresql://nobody@localhost:1/nothing", "--replay",
                                     "recordings", "--poll-every", "0.05"});
  wait_for_text("waiting for the store: ");
  ::kill(pid, SIGTERM);
  const ProgramRun run = warptune_.wait(pid);
  EXPECT_EQ(run.exit_code, 0);
}

TEST_F(NodeCommandTest, AReaderThatHasSeenEnoughEndsTheNodeInOrder) {
  prepare();
  const ProgramRun run =
      warptune_.shell("{ $WARPTUNE node --store spool:s --replay recordings; echo $? > code; } | head -1");
  EXPECT_EQ(testing::slurp(warptune_ / "code"), "0\n");
  const nlohmann::json status = warptune_.json_of({"campaign", "status", "c", "--store", "spool:s"});
  EXPECT_EQ(status.at("tasks").at("open"), 1) << "the task was given back";
  EXPECT_EQ(status.at("nodes").at(0).at("lost_count"), 0);
}

TEST_F(NodeCommandTest, ATerminalThatClosesEndsTheNodeInOrderUnlessItIgnoresThat) {
  prepare();
  const ProgramRun hung_up = stopped_by(SIGHUP);
  EXPECT_EQ(hung_up.exit_code, 0);
  EXPECT_THAT(hung_up.out, HasSubstr("given back: the node was stopped"));
  const ProgramRun kept = warptune_.shell(
      "nohup sh -c 'exec $WARPTUNE node --store spool:s --replay recordings --until-done' & "
      "while ! grep -q 'GPU 0: toy' stdout; do sleep 0.1; done; kill -HUP $!; wait $!");
  EXPECT_THAT(kept.out, HasSubstr("1 task done")) << kept.err;
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
