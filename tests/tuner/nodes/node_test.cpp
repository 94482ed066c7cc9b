// Whole nodes, from the lease to the report. node_store_test.cpp has stores that are away, slow or say no.
#include "tuner/nodes/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "db/store.h"
#include "fleet/rows/row_batch.h"
#include "tests/tuner/node_fixture.h"
#include "tuner/nodes/state_folder.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Kind = NodeEvent::Kind;

class NodeRunTest : public testing::NodeTest {};

TEST_F(NodeRunTest, ATaskIsLeasedRunPublishedAndReported) {
  record(32);
  record(64);
  add_campaign("sizes = { N = [32, 64] }\nbudget = 'all'\n");
  const NodeEnd end = run();
  EXPECT_EQ(end.done, 2U);
  EXPECT_EQ(end.failed + end.other + end.undelivered, 0U);
  EXPECT_FALSE(end.interrupted);
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U), Pair(64, 8U)));
  const fleet::TaskRecord first = task(0);
  EXPECT_EQ(first.state, fleet::TaskState::kDone);
  ASSERT_THAT(first.attempts, SizeIs(1));
  const fleet::TaskOutcome outcome = first.attempts[0].outcome.value();
  EXPECT_EQ(outcome.evaluated, 8U);
  EXPECT_EQ(outcome.best_ns, 1000.0);
  EXPECT_THAT(outcome.failures, ElementsAre(Pair("wrong_result: x[0] is 3, expected 2", 1U)));
  EXPECT_EQ(outcome.gpu, model::fictional_gpu().name);
  EXPECT_GT(outcome.gpu_seconds, 0.0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "state/attempts"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "state/outbox"));
}

TEST_F(NodeRunTest, ANodeEntersItselfWithItsGpusAndTheirRoofs) {
  record(32);
  run();
  const std::vector<fleet::NodeRecord> nodes = store_.nodes();
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_EQ(nodes[0].node.name, "tester");
  EXPECT_THAT(nodes[0].node.id, SizeIs(32));
  ASSERT_THAT(nodes[0].node.gpus, SizeIs(1));
  EXPECT_EQ(nodes[0].node.gpus[0].gpu, model::fictional_gpu());
  EXPECT_EQ(nodes[0].node.gpus[0].roofs.at(0).value, 4.2e12);
  run();
  EXPECT_THAT(store_.nodes(), SizeIs(1));  // The id is kept in the state folder.
}

TEST_F(NodeRunTest, AStoppedNodeGivesItsTaskBackAndALaterOneContinuesIt) {
  record(32, 1000.0);
  add_campaign("sizes = { N = 32 }\nbudget = 6\n");
  options_.pace = 1.0;
  state_->on_publish = [this](testing::MemoryState&) { stop_.cancel(); };
  const NodeEnd end = run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_EQ(task(0).state, fleet::TaskState::kOpen);
  EXPECT_EQ(task(0).attempts.at(0).end, fleet::AttemptEnd::kGivenBack);
  const std::size_t before = published_rows().at(32);
  ASSERT_GT(before, 0U);
  ASSERT_LT(before, 6U);
  stop_.reset();
  state_->on_publish = [](testing::MemoryState&) {};
  options_.state = folder_ / "other";  // Another node.
  options_.pace = 0.0;
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(task(0).attempts.at(1).outcome->evaluated, 6U - before);
  EXPECT_EQ(task(0).attempts.at(1).outcome->continued, before);
  EXPECT_EQ(published_rows().at(32), 6U);
  EXPECT_THAT(texts(Kind::kTaskBegan).back(), HasSubstr("N=32; continues after "));
}

TEST_F(NodeRunTest, RowsOfASuspectNodeAreNotTakenOver) {
  record(32, 1000.0);
  add_campaign("sizes = { N = 32 }\nbudget = 6\n");
  options_.pace = 1.0;
  state_->on_publish = [this](testing::MemoryState&) { stop_.cancel(); };
  run();
  EXPECT_GT(published_rows().at(32), 0U);
  fleet::NodeRecord slow = state_->nodes.begin()->second;
  for (const char* id : {"a", "b"}) {
    state_->nodes[id] = slow;
    state_->nodes[id].node.id = id;
  }
  slow.node.gpus.at(0).roofs.at(0).value *= 0.7;
  state_->nodes[slow.node.id] = slow;
  stop_.reset();
  state_->on_publish = [](testing::MemoryState&) {};
  options_.state = folder_ / "other";  // Another node, which begins from the start.
  options_.pace = 0.0;
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(task(0).attempts.at(1).outcome->evaluated, 6U);
  EXPECT_THAT(texts(Kind::kTaskBegan).back(), ::testing::EndsWith("N=32"));
}

TEST_F(NodeRunTest, WhatAKilledProcessHasMeasuredIsPublishedByTheNextOne) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  // As a process leaves it that is killed before it publishes: a lease, and a database of the attempt.
  const std::string id = StateFolder(options_.state).id();
  const fleet::Lease lease = store_.lease(id, {{"c", 0}}).value();
  const std::filesystem::path attempt = options_.state / "attempts/c.0.1";
  std::filesystem::create_directories(attempt);
  session::TuningRequest request;
  request.kernel = kernel_.string();
  request.recording = folder_ / "recordings/toy-32.wtrec.zst";
  request.search.budget = session::Budget::parse("3");
  request.search.strategy = "exhaustive";
  request.database = attempt / "warptune.db";
  static_cast<void>(db::Store(request.database));
  static_cast<void>(fleet::rows::BatchWriter(request.database, attempt));  // Notes what is not its own.
  session::SilentListener listener;
  session::Tuning(request).run(0, listener, stop_);
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(task(0).attempts.at(0).end, fleet::AttemptEnd::kLost);
  EXPECT_EQ(task(0).attempts.at(1).outcome->evaluated, 5U);
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U)));
}

TEST_F(NodeRunTest, ATaskWithoutAnyRightConfigurationHasFailed) {
  record(32, 10.0, true);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  EXPECT_EQ(run().failed, 1U);
  EXPECT_EQ(task(0).state, fleet::TaskState::kFailed);
  EXPECT_EQ(task(0).attempts.at(0).outcome->reason,
            "no configuration could be measured: wrong_result: x[0] is 3, expected 2");
}

TEST_F(NodeRunTest, ClassesThatANodeCannotRunAreRefusedWithTheReason) {
  record(32);
  add_campaign("sizes = { N = 32 }\ngpus = ['*A100*', '*']\nbudget = 'all'\n");
  std::vector<fleet::TaskClass>& classes = state_->campaigns["c"].classes;
  ASSERT_THAT(classes, SizeIs(2));
  classes[1].kernel_hash = "0123";
  EXPECT_EQ(run().done, 0U);
  const std::vector<fleet::Refusal> refusals = store_.nodes().at(0).refusals;
  ASSERT_THAT(refusals, SizeIs(2));
  EXPECT_THAT(refusals[0].reason, HasSubstr("no GPU of this node fits: the task needs *A100*"));
  EXPECT_THAT(refusals[1].reason, HasSubstr("has the definition of another kernel or version"));
}

TEST_F(NodeRunTest, AReplayRefusesTasksThatWantReproducibleOutputs) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\nreproducible = 'bits'\n");
  EXPECT_EQ(run().done, 0U);
  EXPECT_THAT(store_.nodes().at(0).refusals.at(0).reason,
              HasSubstr("this node replays recordings, which have no outputs"));
}

TEST_F(NodeRunTest, AnUnsignedDefinitionIsRefusedIfOthersCanWriteIntoTheStore) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  state_->is_private = false;
  EXPECT_EQ(run().done, 0U);
  EXPECT_THAT(store_.nodes().at(0).refusals.at(0).reason, HasSubstr("others can write into the store"));
}

TEST_F(NodeRunTest, ATaskWhoseEarlierRowsCannotBeReadIsGivenBackWithTheReason) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  state_->unlistable = true;
  state_->max_attempts = 1;
  EXPECT_EQ(run().other, 1U);
  EXPECT_EQ(task(0).attempts.at(0).end, fleet::AttemptEnd::kGivenBack);
  EXPECT_THAT(task(0).attempts.at(0).reason,
              HasSubstr("the rows of earlier attempts cannot be read: the list of batches is damaged"));
}

TEST_F(NodeRunTest, TransferBeginsWithTheRowsOfOtherTasks) {
  record(32);
  record(64);
  add_campaign("sizes = { N = [32, 64] }\nbudget = 'all'\ntransfer = true\n");
  EXPECT_EQ(run().done, 2U);
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U), Pair(64, 8U)));
}

TEST_F(NodeRunTest, AnIdleNodeEndsAfterTheTimeThatItWasGiven) {
  record(32);
  options_.until_done = false;
  options_.idle_exit_s = 0.05;
  EXPECT_FALSE(run().interrupted);
}

TEST_F(NodeRunTest, TwoNodesCannotShareAStateFolder) {
  record(32);
  const StateFolder other(options_.state);
  try {
    run();
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another node uses the folder"));
  }
}

TEST_F(NodeRunTest, AFolderWithoutRecordingsOffersNothing) { EXPECT_THROW(run(), base::InputError); }

// Nodes with the fake GPU worker, which measures as a GPU would.
class NodeWithGpuTest : public testing::NodeTest {
 protected:
  NodeWithGpuTest() {
    options_.replay.reset();
    options_.compile_workers = 1;
  }
  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER};
};

TEST_F(NodeWithGpuTest, ASessionOnAGpuIsMeasuredAndItsRoofsAreEntered) {
  add_campaign("sizes = { N = 32 }\nbudget = 4\n");
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(task(0).attempts.at(0).outcome->evaluated, 4U);
  EXPECT_EQ(published_rows().at(32), 4U);
  EXPECT_FALSE(store_.nodes().at(0).node.gpus.at(0).roofs.empty());
}

TEST_F(NodeWithGpuTest, TheFirstSessionOfEachProcessMeasuresTheRoofsOfItsGpu) {
  add_campaign("sizes = { N = [32, 64] }\nbudget = 4\n");
  std::vector<std::size_t> known;
  state_->on_publish = [&](const testing::MemoryState& state) {
    known.push_back(state.nodes.begin()->second.node.gpus.at(0).roofs.size());
  };
  EXPECT_EQ(run().done, 2U);
  ASSERT_FALSE(known.empty());
  EXPECT_EQ(known.front(), 1U) << "the store knows the roofs before the first rows";
  EXPECT_THAT(texts(Kind::kRoofsMeasured), SizeIs(1));
  state_->on_publish = [](testing::MemoryState&) {};
  state_->nodes.begin()->second.node.gpus.clear();
  options_.until_done = true;
  run();
  EXPECT_THAT(store_.nodes().at(0).node.gpus.at(0).roofs, SizeIs(1)) << "known from the process before";
  EXPECT_THAT(texts(Kind::kRoofsMeasured), SizeIs(1)) << "a node without a task measures nothing";
}

TEST_F(NodeWithGpuTest, RoofsThatASessionCouldNotMeasureAreMeasuredBeforeItsRowsArePublished) {
  const testing::ScopedVariable without("FAKE_SESSION_WITHOUT_ROOFS", "1");
  add_campaign("sizes = { N = 32 }\nbudget = 4\n");
  std::vector<std::size_t> known;
  state_->on_publish = [&](const testing::MemoryState& state) {
    known.push_back(state.nodes.begin()->second.node.gpus.at(0).roofs.size());
  };
  EXPECT_EQ(run().done, 1U);
  ASSERT_FALSE(known.empty());
  EXPECT_EQ(known.front(), 4U) << "a worker of its own measures two roofs and two rates of the host";
}

TEST_F(NodeWithGpuTest, RoofsOfAnEarlierProcessDoNotCountIfTheyCannotBeMeasuredAgain) {
  add_campaign("sizes = { N = 32 }\nbudget = 4\n");
  EXPECT_EQ(run().done, 1U);
  ASSERT_THAT(store_.nodes().at(0).node.gpus.at(0).roofs, SizeIs(1));
  const testing::ScopedVariable without("FAKE_SESSION_WITHOUT_ROOFS", "1");
  const testing::ScopedVariable dies("FAKE_ROOFS_DIE", "1");
  state_->campaigns.clear();
  state_->tasks.clear();
  add_campaign("sizes = { N = 64 }\nbudget = 4\n");
  EXPECT_EQ(run().done, 1U);
  EXPECT_THAT(store_.nodes().at(0).node.gpus.at(0).roofs, IsEmpty());
}

TEST_F(NodeWithGpuTest, TheRowsOfAGpuWhoseRoofsCannotBeMeasuredAreKept) {
  const testing::ScopedVariable without("FAKE_SESSION_WITHOUT_ROOFS", "1");
  const testing::ScopedVariable dies("FAKE_ROOFS_DIE", "1");
  add_campaign("sizes = { N = 32 }\nbudget = 4\n");
  EXPECT_EQ(run().done, 1U);
  EXPECT_EQ(published_rows().at(32), 4U);
  EXPECT_THAT(store_.nodes().at(0).node.gpus.at(0).roofs, IsEmpty()) << "the node is not judged";
  EXPECT_THAT(texts(Kind::kRoofsMeasured), ElementsAre("the roofs of this GPU cannot be measured"));
}

TEST_F(NodeWithGpuTest, AGpuThatFailsThreeTimesInARowIsNotUsedAnyMore) {
  const testing::ScopedVariable dies("FAKE_SET_UP_DIES", "1");
  add_campaign("sizes = { N = 32 }\nbudget = 4\n");
  const NodeEnd end = run();
  EXPECT_TRUE(end.gpus_failed);
  EXPECT_EQ(end.other, 3U);
  EXPECT_EQ(task(0).attempts.at(2).end, fleet::AttemptEnd::kLost);
  EXPECT_NE(task(0).attempts.at(2).reason, "");
  EXPECT_THAT(texts(Kind::kSlotEnded), ElementsAre("GPU 0 is not used any more: it failed 3 times in a row"));
}

}  // namespace
}  // namespace warptune::tuner::nodes
