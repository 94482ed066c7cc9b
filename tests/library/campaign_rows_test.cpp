// A library whose database is a store of campaigns.
#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "db/store.h"
#include "fleet/fleet_store.h"
#include "fleet/rows/row_batch.h"
#include "tests/library/interface_fixture.h"
#include "tests/tuner/session_data.h"

namespace warptune::library {
namespace {

using ::testing::HasSubstr;

class CampaignRowsTest : public InterfaceTest {
 protected:
  // Publishes the rows of the database in a new store, as a node does. The store takes the database's place.
  void move_rows_to_a_store() {
    const std::filesystem::path rows = folder_ / "node.db";
    db::Store(rows).totals();
    fleet::rows::BatchWriter writer(rows, folder_ / "");
    db::Store(rows).merge(database_);
    database_ = "spool:" + (folder_ / "store").string();
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(database_);
    fleet::Campaign campaign;
    campaign.name = "nightly";
    const model::Workload workload = db::Store::open_existing(rows).workloads().front();
    campaign.classes.resize(1);
    campaign.classes.front().kernel = workload.kernel;
    campaign.classes.front().kernel_hash = workload.kernel_hash;
    campaign.tasks.resize(1);
    store->add_campaign(campaign);
    store->enter_node({"anna", "anna", "1.0", {}});
    const std::optional<fleet::Lease> lease = store->lease("anna", {{"nightly", 0}});
    store->publish({lease.value().key, "anna", 0}, writer.next().value());
  }

  const tuner::testing::ScopedVariable snapshots_{"XDG_CACHE_HOME", (folder_ / "snapshots").string()};
};

TEST_F(CampaignRowsTest, TheRowsOfAllNodesAnswer) {
  move_rows_to_a_store();
  const warptune_selection_info known = info(select(kernel(open()), 4096));
  EXPECT_EQ(known.match, WARPTUNE_MATCH_EXACT);
  EXPECT_STREQ(known.configuration, "BLOCK=256");
}

TEST_F(CampaignRowsTest, NothingIsTunedIntoAStore) {
  move_rows_to_a_store();
  warptune_open_options options{};
  options.struct_size = sizeof options;
  options.database = database_.c_str();
  options.mode = WARPTUNE_MODE_TUNE;
  warptune_library* library = nullptr;
  EXPECT_EQ(warptune_open(&options, &library), WARPTUNE_ERROR_INPUT);
  EXPECT_THAT(warptune_last_error(), HasSubstr("only nodes (warptune node) add rows"));
}

}  // namespace
}  // namespace warptune::library
