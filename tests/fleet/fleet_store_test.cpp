#include "fleet/fleet_store.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/fleet/store_contract.h"
#include "tests/temporary_folder.h"

namespace warptune::fleet::testing {

TEST(FleetStoreTest, AStoreWithoutRolesDoesNotAddARestrictedCampaign) {
  const tests::TemporaryFolder folder;
  const auto store = make_store("spool:" + (folder / "spool").string());
  EXPECT_THROW(store->add_restricted_campaign(campaign_of("one", {class_of("sgemm")}, 1), "team"),
               base::InputError);
  EXPECT_TRUE(store->campaigns().empty()) << "everybody could lease it";
}

}  // namespace warptune::fleet::testing
