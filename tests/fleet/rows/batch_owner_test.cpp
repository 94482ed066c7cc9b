#include "fleet/rows/batch_owner.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "tests/fleet/rows/filled_database.h"

namespace warptune::fleet::rows {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using BatchOwnerTest = FilledDatabase;

TEST_F(BatchOwnerTest, EachAttemptHasAnOriginOfItsOwn) {
  const BatchName batch{{"nightly", 3, 1}, "a", 0};
  const auto origin = [](const std::string& identity, const BatchName& name) {
    return owner_of(identity, name, task_class(), task()).origin;
  };
  BatchName other_task = batch;
  other_task.lease.task = 4;
  BatchName other_fence = batch;
  other_fence.lease.fence = 2;
  BatchName other_node = batch;
  other_node.node = "b";
  const std::set<std::int64_t> origins{origin("nightly 1", batch), origin("nightly 2", batch),
                                       origin("nightly 1", other_task), origin("nightly 1", other_fence),
                                       origin("nightly 1", other_node)};
  EXPECT_EQ(origins.size(), 5);
  BatchName later = batch;
  later.sequence = 9;
  EXPECT_EQ(origin("nightly 1", later), origin("nightly 1", batch)) << "batches of one attempt";
  later.sequence += BatchName::kBatchesPerSeries;
  EXPECT_NE(origin("nightly 1", later), origin("nightly 1", batch)) << "the same lease of a restored store";
  EXPECT_NE(identity_of({"nightly", "x", 1}), identity_of({"nightly", "x", 2}))
      << "a campaign that was removed and added again";
}

TEST_F(BatchOwnerTest, OnlyTheWorkloadOfTheTaskIsAllowed) {
  const model::Workload right = db::testing::workload();
  const auto objection = [](const model::Workload& workload, bool is_measured) {
    TaskClass one = task_class();
    one.gpu.name = "*H200*";
    return owner_of("nightly 1", {{"nightly", 0, 1}, "a", 0}, one, task()).objection(workload, is_measured);
  };
  EXPECT_THAT(objection(right, true), IsEmpty());
  model::Workload wrong = right;
  wrong.kernel = "sgemm";
  EXPECT_THAT(objection(wrong, true), HasSubstr("rows of the kernel sgemm"));
  wrong = right;
  wrong.kernel_hash = "another";
  EXPECT_THAT(objection(wrong, true), HasSubstr("another version of the kernel"));
  EXPECT_THAT(objection(wrong, false), IsEmpty()) << "an earlier recording";
  wrong = right;
  wrong.problem = {{"N", std::int64_t{1}}};
  EXPECT_THAT(objection(wrong, true), HasSubstr("another size"));
  wrong.problem = {{"N", 4096.0}};
  EXPECT_THAT(objection(wrong, true), IsEmpty()) << "the same number as a real";
  wrong = right;
  wrong.gpu.name = "NVIDIA A100";
  EXPECT_THAT(objection(wrong, true), HasSubstr("does not fit its task"));
  wrong = right;
  wrong.cache = model::CacheState::kWarm;
  EXPECT_THAT(objection(wrong, true), HasSubstr("warm cache"));
}

TEST_F(BatchOwnerTest, ATaskThatIsMissingOwnsNothing) {
  const Campaign campaign{"nightly", {task_class()}, {task()}};
  EXPECT_NO_THROW(owner_of("nightly 1", {{"nightly", 0, 1}, "a", 0}, campaign));
  EXPECT_THROW(owner_of("nightly 1", {{"nightly", 1, 1}, "a", 0}, campaign), base::InputError);
  const db::RowOwner unlikely = owner("a", UINT64_MAX);
  EXPECT_EQ(unlikely.choice, -1) << "such a lease is refused by the merge";
}

}  // namespace
}  // namespace warptune::fleet::rows
