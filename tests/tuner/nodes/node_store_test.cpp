// Whole nodes with a store that is away, takes leases away, or takes no rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "tests/tuner/node_fixture.h"
#include "tuner/nodes/node.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Kind = NodeEvent::Kind;

class NodeStoreTest : public testing::NodeTest {};

TEST_F(NodeStoreTest, RowsArePublishedWhileTheSessionRuns) {
  record(32, 500.0);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.pace = 1.0;
  state_->on_publish = [this](const testing::MemoryState&) { stop_.cancel(); };
  EXPECT_TRUE(run().interrupted);
  ASSERT_FALSE(texts(Kind::kPublished).empty()) << "what is published after the session is not told so";
  for (const NodeEvent& event : events_) {
    if (event.kind == Kind::kPublished) {
      EXPECT_GT(event.bytes, 0U);
    }
    EXPECT_EQ(event.report.has_value(), event.kind == Kind::kTaskEnded);
  }
}

TEST_F(NodeStoreTest, AStoreThatGoesAwayGetsTheRowsAndTheReportLater) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  state_->on_publish = [](testing::MemoryState& state) { state.away = true; };
  const NodeEnd end = run([this](const NodeEvent& event) {
    if (event.kind != Kind::kTaskEnded) return;
    const std::lock_guard guard(state_->mutex);
    state_->on_publish = [](testing::MemoryState&) {};
    state_->away = false;
  });
  EXPECT_EQ(end.undelivered, 0U);
  EXPECT_EQ(end.done, 1U) << "an attempt counts when its report is delivered";
  EXPECT_EQ(end.other, 0U);
  EXPECT_EQ(task(0).state, fleet::TaskState::kDone);
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U)));
  EXPECT_THAT(texts(Kind::kTaskEnded),
              ElementsAre(HasSubstr("the store is away, so this is reported later")));
  EXPECT_THAT(texts(Kind::kDelivered), SizeIs(1));
}

TEST_F(NodeStoreTest, ALaterProcessDeliversWhatAnEarlierOneCouldNot) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.publish_interval = std::chrono::hours(1);  // The first batch comes after the whole session.
  state_->on_publish = [this](testing::MemoryState& state) {
    state.away = true;
    stop_.cancel();
  };
  EXPECT_EQ(run().undelivered, 1U);
  EXPECT_THAT(state_->batches, IsEmpty());
  stop_.reset();
  state_->on_publish = [](testing::MemoryState&) {};
  state_->away = false;
  EXPECT_EQ(run().undelivered, 0U);
  EXPECT_EQ(task(0).state, fleet::TaskState::kDone);
  EXPECT_THAT(task(0).attempts, SizeIs(1));
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U)));
}

TEST_F(NodeStoreTest, AStoreThatIsAwayAtTheStartIsWaitedFor) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  state_->away = true;
  const NodeEnd end = run([this](const NodeEvent& event) {
    const std::lock_guard guard(state_->mutex);
    if (event.kind == Kind::kStoreAway) state_->away = false;
  });
  EXPECT_EQ(end.done, 1U);
  EXPECT_THAT(texts(Kind::kStoreAway), ElementsAre(HasSubstr("waiting for the store: the store is away")));
  EXPECT_THAT(texts(Kind::kStoreBack), SizeIs(1));
  EXPECT_THAT(texts(Kind::kEntered), SizeIs(1));
}

TEST_F(NodeStoreTest, WaitingForAStoreEndsWithTheNodeOrAfterTheIdleTime) {
  record(32);
  state_->away = true;
  options_.idle_exit_s = 0.05;
  EXPECT_THROW(run(), base::MachineError);
  options_.idle_exit_s.reset();
  stop_.cancel();
  EXPECT_TRUE(run().interrupted);
}

TEST_F(NodeStoreTest, AStoreThatWaitingDoesNotMendIsAnErrorAtOnce) {
  record(32);
  options_.store = []() -> std::unique_ptr<fleet::FleetStore> {
    throw base::InputError("password authentication failed");
  };
  EXPECT_THROW(run(), base::InputError);
}

TEST_F(NodeStoreTest, ALostLeaseEndsTheSessionAndItsRowsArePublished) {
  record(32, 1500.0);  // Much longer than a publication and a heartbeat take on a busy machine.
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.pace = 1.0;
  state_->on_publish = [](testing::MemoryState& state) { state.heartbeat_answer = fleet::LeaseState::kLost; };
  state_->max_attempts = 1;
  const NodeEnd end = run();
  EXPECT_EQ(end.done, 0U);
  EXPECT_EQ(end.other, 1U);
  const fleet::Attempt attempt = task(0).attempts.at(0);
  EXPECT_EQ(attempt.end, fleet::AttemptEnd::kLost);
  EXPECT_FALSE(attempt.outcome) << "a session that was interrupted must never close its task";
  EXPECT_GT(published_rows().at(32), 0U);
  EXPECT_LT(published_rows().at(32), 8U);
  EXPECT_THAT(texts(Kind::kTaskEnded), ElementsAre(HasSubstr("its lease had ended before")));
}

TEST_F(NodeStoreTest, ALateReportOfAWholeSessionClosesNothing) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.heartbeat_interval = std::chrono::hours(1);  // The node does not learn that the lease has ended.
  state_->on_publish = [](testing::MemoryState& state) { state.heartbeat_answer = fleet::LeaseState::kLost; };
  EXPECT_EQ(run().other, 1U);
  EXPECT_EQ(task(0).attempts.at(0).end, fleet::AttemptEnd::kSuperseded);
  EXPECT_EQ(task(0).attempts.at(0).outcome->evaluated, 8U);
  EXPECT_THAT(texts(Kind::kTaskEnded), ElementsAre(HasSubstr("so it closes nothing")));
}

TEST_F(NodeStoreTest, ACancelledCampaignEndsTheSession) {
  record(32, 1500.0);  // Much longer than a publication and a heartbeat take on a busy machine.
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.pace = 1.0;
  state_->on_publish = [](testing::MemoryState& state) {
    state.heartbeat_answer = fleet::LeaseState::kCancelled;
  };
  EXPECT_EQ(run().other, 1U);
  EXPECT_EQ(task(0).attempts.at(0).end, fleet::AttemptEnd::kCancelled);
  EXPECT_GT(published_rows().at(32), 0U);
}

TEST_F(NodeStoreTest, ANodeWithAFullOutboxTakesNoTaskUntilTheStoreHasTheRows) {
  record(32, 200.0);
  const model::GpuDescription other = record_on_another_gpu({64, 128});
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\ngpus = ['" + model::fictional_gpu().name +
               "']\n[[tune]]\nkernel = 'toy.cu'\nbudget = 'all'\nsizes = { N = [64, 128] }\ngpus = ['" +
               other.name + "']\n");
  options_.pace = 1.0;
  options_.full_outbox_bytes = 1;
  state_->unpublishable = 0;
  // Either GPU may be the first that finds the outbox full. Until then, the rows of task 0 fill it.
  const NodeEnd end = run([this](const NodeEvent& event) {
    if (event.kind != Kind::kOutboxFull) return;
    const std::lock_guard guard(state_->mutex);
    state_->unpublishable.reset();
  });
  EXPECT_EQ(end.undelivered, 0U);
  for (std::uint64_t index = 0; index < 3; ++index)
    EXPECT_EQ(task(index).state, fleet::TaskState::kDone) << index;
  EXPECT_FALSE(texts(Kind::kOutboxFull).empty());
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U), Pair(64, 8U), Pair(128, 8U)));
}

TEST_F(NodeStoreTest, ANodeWhoseDiskHasNoRoomTakesNoTask) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.min_free_bytes = std::uint64_t{1} << 62;
  options_.idle_exit_s = 0.0;
  EXPECT_EQ(run().done, 0U);
  EXPECT_THAT(texts(Kind::kOutboxFull), ElementsAre(HasSubstr("no task is taken until the disk of")));
  EXPECT_THAT(task(0).attempts, IsEmpty());
}

TEST_F(NodeStoreTest, ATaskIsGivenBackAtOnceIfTheDiskTakesNoFiles) {
  record(32);
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  const std::filesystem::path outbox = options_.state / "outbox";
  const NodeEnd end = run([&](const NodeEvent& event) {
    if (event.kind == Kind::kTaskBegan) {
      std::filesystem::remove_all(outbox);
      std::ofstream(outbox) << "in the way";
    }
    if (event.kind == Kind::kTaskEnded) stop_.cancel();
  });
  EXPECT_EQ(end.other, 1U);
  EXPECT_EQ(task(0).state, fleet::TaskState::kOpen);
  ASSERT_THAT(task(0).attempts, SizeIs(1));
  EXPECT_EQ(task(0).attempts[0].end, fleet::AttemptEnd::kGivenBack);
  EXPECT_THAT(task(0).attempts[0].reason, HasSubstr("cannot keep"));
  std::filesystem::remove(outbox);
  stop_.reset();
  EXPECT_EQ(run().done, 1U) << "the rows that stayed in the state folder do not harm";
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U)));
}

TEST_F(NodeStoreTest, ANodeMayEndByItsIdleTimeAlsoWhileTheStoreIsAway) {
  record(32);
  options_.idle_exit_s = 0.2;
  run([this](const NodeEvent& event) {
    if (event.kind != Kind::kEntered) return;
    const std::lock_guard guard(state_->mutex);
    state_->away = true;
  });
  EXPECT_THAT(texts(Kind::kStoreAway), SizeIs(1));
}

TEST_F(NodeStoreTest, APublicationDoesNotWaitUntilNoRowIsNew) {
  record(32, 2.0);  // Rows come faster than batches are made.
  add_campaign("sizes = { N = 32 }\nbudget = 'all'\n");
  options_.pace = 1.0;
  options_.publish_interval = std::chrono::milliseconds(1);
  run();
  for (const NodeEvent& event : events_) EXPECT_LE(event.batches, 1U) << event.text;
  EXPECT_THAT(published_rows(), ElementsAre(Pair(32, 8U)));
}

}  // namespace
}  // namespace warptune::tuner::nodes
