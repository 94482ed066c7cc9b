#include "tuner/nodes/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>

#include "base/error.h"
#include "tests/tuner/memory_store.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() {
    fs::create_directories(folder_ / "outbox");
    fleet::Campaign campaign{"c", {{}}, {{}, {}}};
    store_.add_campaign(campaign);
    lease_ = store_.lease("node", {{"c", 0}}).value().key;
  }
  std::vector<std::uint64_t> sequences() const {
    std::vector<std::uint64_t> all;
    for (const auto& [name, bytes] : state_->batches) all.push_back(name.sequence);
    return all;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<testing::MemoryState> state_ = std::make_shared<testing::MemoryState>();
  testing::MemoryStore store_{state_};
  fleet::LeaseKey lease_;
};

fleet::TaskOutcome some_outcome() {
  fleet::TaskOutcome outcome;
  outcome.evaluated = 3;
  outcome.failures = {{"it \"failed\"\n", 2}};
  outcome.best_ns = 1.5;
  outcome.gpu = "GPU";
  return outcome;
}

TEST_F(OutboxTest, BatchesAreDeliveredInOrderAndThenTheReport) {
  Outbox outbox(folder_ / "outbox");
  std::uint64_t sequence = 0;
  for (const char* bytes : {"a", "b", "c"}) outbox.add_batch(lease_, bytes, sequence++);
  const Delivery rows = outbox.deliver(store_, "node", lease_);
  EXPECT_FALSE(rows.reported);
  EXPECT_THAT(sequences(), ElementsAre(0, 1, 2));
  outbox.add_batch(lease_, "d", 3);
  outbox.add_report(lease_, {some_outcome(), {}, {}});
  EXPECT_TRUE(outbox.has_report(lease_));
  const Delivery all = outbox.deliver(store_, "node", lease_);
  EXPECT_TRUE(all.reported);
  EXPECT_TRUE(all.closed);
  EXPECT_THAT(sequences(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(state_->batches.rbegin()->second, "d");
  EXPECT_EQ(store_.tasks("c").at(0).attempts.at(0).outcome, some_outcome());
  EXPECT_THAT(outbox.leases(), IsEmpty());
}

TEST_F(OutboxTest, ADeliverySaysHowMuchTheStoreGot) {
  Outbox outbox(folder_ / "outbox");
  outbox.add_batch(lease_, "a", 0);
  outbox.add_batch(lease_, "bcd", 1);
  const Delivery delivery = outbox.deliver(store_, "node", lease_);
  EXPECT_EQ(delivery.batches, 2U);
  EXPECT_EQ(delivery.bytes, 4U);
  EXPECT_EQ(outbox.deliver(store_, "node", lease_).batches, 0U);
}

TEST_F(OutboxTest, ItIsFullWhenItsBatchesHaveAsManyBytes) {
  Outbox outbox(folder_ / "outbox", 4);
  outbox.add_batch(lease_, "abc", 0);
  outbox.add_report(lease_, {some_outcome(), {}, {}});
  EXPECT_EQ(outbox.bytes(), 3U);
  EXPECT_FALSE(outbox.is_full());
  outbox.add_batch(lease_, "d", 1);
  EXPECT_TRUE(outbox.is_full());
  outbox.deliver(store_, "node", lease_);
  EXPECT_EQ(outbox.bytes(), 0U);
  EXPECT_FALSE(outbox.is_full());
}

TEST_F(OutboxTest, WhatAnEarlierProcessKeptIsDeliveredByALaterOne) {
  {
    Outbox earlier(folder_ / "outbox");
    earlier.add_batch(lease_, std::string("a\0b", 3), 0);
    earlier.add_report(lease_, {std::nullopt, fleet::AttemptEnd::kGivenBack, "stopped"});
  }
  Outbox later(folder_ / "outbox");
  ASSERT_THAT(later.leases(), ElementsAre(lease_));
  EXPECT_TRUE(later.deliver(store_, "node", lease_).reported);
  EXPECT_EQ(state_->batches.begin()->second, std::string("a\0b", 3));
  EXPECT_EQ(store_.tasks("c").at(0).attempts.at(0).end, fleet::AttemptEnd::kGivenBack);
  EXPECT_EQ(store_.tasks("c").at(0).attempts.at(0).reason, "stopped");
}

TEST_F(OutboxTest, AStoreThatIsAwayLeavesEverythingInTheOutbox) {
  Outbox outbox(folder_ / "outbox");
  outbox.add_batch(lease_, "a", 0);
  outbox.add_report(lease_, {some_outcome(), {}, {}});
  state_->away = true;
  EXPECT_THROW(outbox.deliver(store_, "node", lease_), base::MachineError);
  state_->away = false;
  EXPECT_TRUE(outbox.deliver(store_, "node", lease_).closed);
  EXPECT_THAT(sequences(), ElementsAre(0));
}

TEST_F(OutboxTest, FilesThatDoNotBelongThereAndADamagedReportAreLeftOut) {
  Outbox outbox(folder_ / "outbox");
  outbox.add_batch(lease_, "a", 0);
  fs::create_directories(folder_ / "outbox/not a lease");
  fs::create_directories(folder_ / "outbox/c.x.1");
  std::ofstream(folder_ / "outbox/c.0.1/x.batch") << "foreign";
  std::ofstream(folder_ / "outbox/c.0.1/report.json") << "{";
  EXPECT_THAT(outbox.leases(), SizeIs(1));
  EXPECT_FALSE(outbox.deliver(store_, "node", lease_).reported);
  EXPECT_THAT(sequences(), ElementsAre(0));
}

TEST_F(OutboxTest, AnEmptyFolderOfAnEarlierProcessIsRemoved) {
  fs::create_directories(folder_ / "outbox/c.0.1");
  Outbox outbox(folder_ / "outbox");
  outbox.deliver(store_, "node", lease_);
  EXPECT_THAT(outbox.leases(), IsEmpty());
}

class RefusedRowsTest : public OutboxTest {
 protected:
  // Sets the rows of an attempt aside, and makes them older than all that follow.
  void refuse(Outbox& outbox, std::uint64_t fence, const std::string& bytes) {
    const fleet::LeaseKey lease{"c", 0, fence};
    outbox.add_batch(lease, bytes, 0);
    const fs::path place = outbox.set_aside(lease);
    EXPECT_EQ(place, refused_ / folder_name_of(lease));
    fs::last_write_time(place, fs::file_time_type::clock::now() - std::chrono::hours(1000 - fence));
  }
  std::set<std::uint64_t> fences() const {
    std::set<std::uint64_t> all;
    for (const fs::directory_entry& each : fs::directory_iterator(refused_))
      all.insert(lease_of_folder(each.path()).value().fence);
    return all;
  }

  fs::path refused_ = folder_ / "refused";
};

TEST_F(RefusedRowsTest, TheLastAttemptsAreKept) {
  Outbox outbox(folder_ / "outbox");
  for (std::uint64_t fence = 1; fence <= Outbox::kMaxRefused + 2; ++fence) refuse(outbox, fence, "rows");
  const std::set<std::uint64_t> kept = fences();
  EXPECT_THAT(kept, SizeIs(Outbox::kMaxRefused));
  EXPECT_EQ(*kept.begin(), 3U);
  EXPECT_EQ(*kept.rbegin(), Outbox::kMaxRefused + 2);
}

TEST_F(RefusedRowsTest, TheyHaveALargestSize) {
  Outbox outbox(folder_ / "outbox", 10);
  for (std::uint64_t fence = 1; fence <= 3; ++fence) refuse(outbox, fence, "12345");
  EXPECT_THAT(fences(), ElementsAre(1, 2, 3));
  refuse(outbox, 4, std::string(100, 'x'));
  EXPECT_THAT(fences(), ElementsAre(2, 3, 4)) << "the last one is kept, whatever its size";
  refuse(outbox, 5, "1");
  EXPECT_THAT(fences(), ElementsAre(5)) << "the one before is too large now";
}

TEST(LeaseFolders, ANameIsReadBack) {
  const fleet::LeaseKey lease{"my-campaign_1", 12, 3};
  EXPECT_EQ(folder_name_of(lease), "my-campaign_1.12.3");
  EXPECT_EQ(lease_of_folder("/x/my-campaign_1.12.3"), lease);
  for (const char* other : {"c.1", "c.1.2.3", "c.a.1", "c.1.-1", ""})
    EXPECT_FALSE(lease_of_folder(other)) << other;
}

}  // namespace
}  // namespace warptune::tuner::nodes
