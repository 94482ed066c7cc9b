#include "tuner/nodes/earlier_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/tuner/memory_store.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

using fleet::BatchName;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

BatchName batch_of(std::uint64_t task, std::uint64_t fence, std::uint64_t sequence) {
  return {{"c", task, fence}, "n", sequence};
}

TEST(FairOrder, TasksAndTheirAttemptsTakeTurns) {
  std::vector<BatchName> batches;
  for (std::uint64_t sequence = 0; sequence < 3; ++sequence) batches.push_back(batch_of(0, 1, sequence));
  batches.push_back(batch_of(0, 2, 0));
  batches.push_back(batch_of(7, 1, 5));
  EXPECT_THAT(in_fair_order(batches), ElementsAre(batch_of(0, 2, 0), batch_of(7, 1, 5), batch_of(0, 1, 2),
                                                  batch_of(0, 1, 1), batch_of(0, 1, 0)));
  EXPECT_THAT(in_fair_order({}), SizeIs(0));
}

TEST(FairOrder, AnAttemptWithManyBatchesTakesNoPlaceOfOthers) {
  std::vector<BatchName> batches;
  for (std::uint64_t sequence = 0; sequence < 1000; ++sequence) batches.push_back(batch_of(0, 9, sequence));
  for (std::uint64_t task = 1; task < 32; ++task) batches.push_back(batch_of(task, 1, 0));
  const std::vector<BatchName> ordered = in_fair_order(batches);
  EXPECT_THAT(ordered, SizeIs(1031));
  std::set<std::uint64_t> first;
  for (std::size_t i = 0; i < 32; ++i) first.insert(ordered.at(i).lease.task);
  EXPECT_THAT(first, SizeIs(32));
}

// Notes which batches are read. One of them is damaged.
class ReadStore : public testing::MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  std::string batch(const BatchName& name) override {
    read.push_back(name);
    if (name == damaged) throw base::InputError("it is damaged");
    return MemoryStore::batch(name);
  }

  std::vector<BatchName> read;
  BatchName damaged;
};

class EarlierRowsTest : public ::testing::Test {
 protected:
  EarlierRowsTest() {
    fleet::TaskClass other;
    other.kernel = "other";
    store_.add_campaign({"c", {{}, other}, {{0, {}}, {0, {}}, {1, {}}}});
    lease_.key = {"c", 0, 3};
  }
  void publish(const BatchName& name, const std::string& bytes = "rows") { store_.publish(name, bytes); }
  // Reads the batches, merges them, and returns what the log said. None of them is a database.
  std::string log_of(bool transfer, EarlierRowLimits limits = {}) {
    EarlierRows rows(store_, lease_, "n", limits);
    ::testing::internal::CaptureStderr();
    rows.fetch(transfer);
    db::Store database(folder_ / "rows.db");
    rows.merge_own(database);
    rows.merge_others(database);
    return ::testing::internal::GetCapturedStderr();
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<testing::MemoryState> state_ = std::make_shared<testing::MemoryState>();
  ReadStore store_{state_};
  fleet::Lease lease_;
};

TEST_F(EarlierRowsTest, OnlyEarlierAttemptsOfTheTaskAreRead) {
  publish(batch_of(0, 1, 0));
  publish(batch_of(0, 2, 0));
  publish(batch_of(0, 3, 0));
  publish(batch_of(0, 4, 0));
  publish(batch_of(1, 1, 0));
  const std::string log = log_of(false);
  EXPECT_THAT(store_.read, UnorderedElementsAre(batch_of(0, 1, 0), batch_of(0, 2, 0)));
  EXPECT_THAT(log, HasSubstr("batch 0 of task 0 of c, by node n, is left out"));
}

TEST_F(EarlierRowsTest, TransferReadsOtherTasksOfTheKernelInAFairOrder) {
  for (std::uint64_t sequence = 0; sequence < 100; ++sequence) publish(batch_of(1, 1, sequence));
  publish(batch_of(1, 2, 0));
  publish(batch_of(2, 1, 0));   // A task of another kernel.
  publish(batch_of(77, 1, 0));  // There is no such task.
  const std::string log = log_of(true);
  EXPECT_THAT(store_.read, SizeIs(64));
  EXPECT_EQ(store_.read.at(0), batch_of(1, 2, 0));
  EXPECT_EQ(store_.read.at(1), batch_of(1, 1, 99));
  EXPECT_THAT(log, HasSubstr("37 of 101 batches are left out: an attempt reads at most 64"));
}

TEST_F(EarlierRowsTest, ALargeBatchLeavesRoomForOthers) {
  publish(batch_of(0, 1, 1), std::string(100, 'x'));
  publish(batch_of(0, 1, 0), "12345");
  publish(batch_of(0, 2, 0), "12345");
  const std::string log = log_of(false, {10, 10, 10});
  EXPECT_THAT(log, HasSubstr("1 of 3 batches is left out"));
  EXPECT_THAT(log, HasSubstr("batch 0 of task 0"));
  EXPECT_THAT(log, Not(HasSubstr("batch 1 of task 0")));
}

TEST_F(EarlierRowsTest, ABatchThatCannotBeReadIsNamedAndOthersAreRead) {
  publish(batch_of(0, 1, 0));
  publish(batch_of(0, 1, 1));
  store_.damaged = batch_of(0, 1, 1);
  EXPECT_THAT(log_of(false), HasSubstr("batch 1 of task 0 of c, by node n, is left out: it is damaged"));
  EXPECT_THAT(store_.read, SizeIs(2));
}

}  // namespace
}  // namespace warptune::tuner::nodes
