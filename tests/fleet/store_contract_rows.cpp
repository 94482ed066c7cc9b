// Batches of rows. store_contract.h says what these tests are.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_P(StoreContract, ABatchIsReadBack) {
  add_one(1);
  const BatchName name{lease_one(kNodeA).key, kNodeA, 0};
  std::string bytes("rows\n\0with zeros\n", 17);
  bytes += std::string(200'000, '\xfe');
  node().publish(name, bytes);
  EXPECT_THAT(administrator().batches({}, "").batches, ElementsAre(name));
  EXPECT_EQ(administrator().batch(name), bytes);
  EXPECT_EQ(connect(Access::kReader)->batch(name), bytes);
}

TEST_P(StoreContract, ABatchNeverChanges) {
  add_one(1);
  const BatchName name{lease_one(kNodeA).key, kNodeA, 0};
  node().publish(name, "first");
  node().publish(name, "second");
  connect(Access::kNode)->publish(name, "third");
  EXPECT_EQ(administrator().batch(name), "first");
  const std::vector<BatchName> listed = administrator().batches({}, "").batches;
  EXPECT_EQ(std::set<BatchName>(listed.begin(), listed.end()), std::set<BatchName>{name});
}

TEST_P(StoreContract, ABatchIsStoredAfterItsLeaseHasEnded) {
  add_one(1);
  const BatchName late{lease_one(kNodeA).key, kNodeA, 3};
  end_leases();
  const Lease second = lease_one(kNodeB);
  node().publish(late, "late rows");
  EXPECT_TRUE(node().finish(kNodeB, second.key, {}));
  const BatchName later{second.key, kNodeB, 0};
  node().publish(later, "rows after the end");
  administrator().cancel("one");
  EXPECT_EQ(administrator().batch(late), "late rows");
  EXPECT_THAT(administrator().batches({}, "").batches, UnorderedElementsAre(late, later));
}

TEST_P(StoreContract, ABatchThatIsNotThereIsRefused) {
  add_one(1);
  const LeaseKey key = lease_one(kNodeA).key;
  EXPECT_THROW(administrator().batch({key, kNodeA, 0}), base::InputError);
  EXPECT_THROW(administrator().batch({key, "../../../campaign.json", 0}), base::InputError);
  EXPECT_THROW(node().publish({{"one", 7, 1}, kNodeA, 0}, "rows of a task that is not there"),
               base::InputError);
  EXPECT_THAT(administrator().batches({}, "").batches, IsEmpty());
}

TEST_P(StoreContract, ACursorContinuesWhereTheListEnded) {
  add_one(1);
  const LeaseKey key = lease_one(kNodeA).key;
  BatchList list = administrator().batches({}, "");
  EXPECT_THAT(list.batches, IsEmpty());
  for (std::uint64_t i = 0; i < 25; ++i) {
    node().publish({key, kNodeA, i}, "rows");
    if (i % 5 == 0) {
      list = connect(Access::kReader)->batches({}, list.cursor);
      EXPECT_THAT(list.batches, ::testing::Contains(BatchName{key, kNodeA, i}));
      EXPECT_LE(list.batches.size(), 6U) << "batches of long ago are listed again";
    }
  }
  list = administrator().batches({}, list.cursor);
  EXPECT_THAT(list.batches, ::testing::Contains(BatchName{key, kNodeA, 24}));
  EXPECT_THAT(administrator().batches({}, "").batches, SizeIs(25));
}

TEST_P(StoreContract, BatchesOfACampaignAndOfATaskAreListed) {
  add_one(2);
  administrator().add_campaign(campaign_of("two", {class_of("scan")}, 1));
  const BatchName other{node().lease(kNodeB, {{"two", 0}})->key, kNodeB, 0};
  BatchName of_task[2];
  for (int i = 0; i < 2; ++i) {
    const LeaseKey key = lease_one(kNodeA).key;
    of_task[key.task] = {key, kNodeA, 0};
  }
  for (const BatchName& name : {of_task[0], other, of_task[1]}) node().publish(name, "rows");
  EXPECT_THAT(administrator().batches({}, "").batches, UnorderedElementsAre(of_task[0], of_task[1], other));
  EXPECT_THAT(administrator().batches({"one", {}}, "").batches, UnorderedElementsAre(of_task[0], of_task[1]));
  EXPECT_THAT(administrator().batches({"two", {}}, "").batches, ElementsAre(other));
  EXPECT_THAT(administrator().batches({"one", 1}, "").batches, ElementsAre(of_task[1]));
}

TEST_P(StoreContract, ACampaignThatIsAddedLaterIsListedAfterTheCursor) {
  add_one(1);
  node().publish({lease_one(kNodeA).key, kNodeA, 0}, "rows");
  const BatchList first = administrator().batches({}, "");
  administrator().add_campaign(campaign_of("a-later-one", {class_of("scan")}, 1));
  const BatchName name{node().lease(kNodeB, {{"a-later-one", 0}})->key, kNodeB, 0};
  node().publish(name, "rows");
  EXPECT_THAT(administrator().batches({}, first.cursor).batches, ::testing::Contains(name));
}

TEST_P(StoreContract, ATextThatIsNoCursorIsRefused) {
  EXPECT_THROW(administrator().batches({}, "no cursor of any store"), base::InputError);
}

}  // namespace warptune::fleet::testing
