// Eight nodes run a campaign on one store, and are killed at random moments. At the end, the store has the
// same rows as after the same campaign on one node without any kill.
//
// The nodes are processes of the built program that replay recordings. A killed node is started again, with
// its state folder or with a new one. In the second case nobody gives its lease back, so the test makes
// leases older by an hour, as if time had passed. Nodes that run lose their leases by that, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/files.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "fleet/fleet_store.h"
#include "fleet/rows/snapshot.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/spool/spool_under_test.h"
#include "tests/tuner/killed_nodes.h"
#include "tests/tuner/session_data.h"
#include "tuner/campaigns/campaign_file.h"
#include "tuner/nodes/node.h"

namespace warptune::tuner::nodes {
namespace {

namespace fs = std::filesystem;
using fleet::postgresql::testing::server_programs;
using std::chrono::milliseconds;
using testing::KilledNodes;

constexpr std::int64_t kHourMs = 3'600'000;

using RowSet = std::map<std::string, std::set<std::string>>;  // Configurations by workload.

class NodeKillsTest : public ::testing::Test {
 protected:
  // Records `tasks` sizes of the toy kernel, and reads a campaign with all of them. Its definition is signed,
  // because nodes need that with a database.
  void prepare(int tasks, int a_values) {
    const fs::path kernel = testing::write_toy_kernel(folder_, a_values);
    fs::create_directories(recordings_);
    model::Recording recording = testing::toy_recording(kernel);
    for (model::Measurement& row : recording.measurements) {
      row.compile_ms = 5.0;
      row.measure_ms = 100.0;
    }
    for (int n = 1; n <= tasks; ++n) {
      recording.workload.problem = {{"N", std::int64_t{32} * n}};
      db::write_recording(recordings_ / fmt::format("toy-{}.wtrec.zst", n), recording);
    }
    std::ofstream(folder_ / "c.toml") << fmt::format(
        "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nstrategy = 'exhaustive'\nbudget = 'all'\n"
        "sizes = {{ N = '32..{} step 32' }}\n",
        32 * tasks);
    const std::string key = (folder_ / "key").string();
    const std::string make_key = "ssh-keygen -q -t ed25519 -N '' -f '" + key + "'";
    ASSERT_EQ(std::system(make_key.c_str()), 0);  // NOLINT(cert-env33-c)
    std::ofstream(signers_) << "tester@example.org " << base::read_file(key + ".pub");
    campaign_ = campaigns::read_campaign_file(folder_ / "c.toml", key);
  }

  RowSet rows_of(fleet::FleetStore& store, const std::string& name) {
    fleet::rows::update_snapshot(store, folder_ / name, {}, std::nullopt);
    const db::Store joined = db::Store::open_existing(folder_ / name);
    RowSet rows;
    for (const model::Workload& workload : joined.workloads()) {
      for (const db::StoredMeasurement& row : joined.measurements(workload))
        rows[model::key_of(workload.problem)].insert(model::key_of(row.measurement.configuration));
    }
    EXPECT_TRUE(joined.damage().empty());
    return rows;
  }

  RowSet rows_in_sequence() {
    const std::string address = "spool:" + (folder_ / "sequence").string();
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
    campaigns::add_campaign(*store, campaign_);
    NodeOptions options;
    options.store = [&] { return fleet::open_store(address, fleet::Access::kNode); };
    options.state = folder_ / "sequence-state";
    options.replay = recordings_;
    options.allowed_signers = signers_;
    options.pace = 0.0;
    options.until_done = true;
    const base::Cancellation never;
    const NodeEnd end = run_node(
        options, [](const NodeEvent&) {}, never);
    EXPECT_EQ(end.done, campaign_.campaign.tasks.size());
    return rows_of(*store, "sequence.db");
  }

  testing::TemporaryFolder folder_;
  fs::path recordings_ = folder_ / "recordings";
  fs::path signers_ = folder_ / "allowed_signers";
  campaigns::CampaignFile campaign_;
};

class SpoolNodeKillsTest : public NodeKillsTest {
 protected:
  void kill_nodes(int tasks, int a_values, int kills, milliseconds limit) {
    prepare(tasks, a_values);
    const fs::path spool = folder_ / "spool";
    const std::string address = "spool:" + spool.string();
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
    campaigns::add_campaign(*store, campaign_);
    KilledNodes nodes(*store, address, {recordings_.string(), signers_.string()},
                      [&] { fleet::spool::age_spool_leases(spool, kHourMs); });
    nodes.run(kills, limit, [](int) {});
    EXPECT_TRUE(nodes.all_done());
    nodes.expect_batches_kept();
    EXPECT_GE(nodes.killed(), kills / 2);
    EXPECT_GT(nodes.lost_attempts(), 0U);
    EXPECT_EQ(rows_of(*store, "joined.db"), rows_in_sequence());
  }
};

TEST_F(SpoolNodeKillsTest, NothingIsLostWhenNodesAreKilled) { kill_nodes(16, 4, 16, milliseconds(280'000)); }

class LongSpoolNodeKillsTest : public SpoolNodeKillsTest {};

TEST_F(LongSpoolNodeKillsTest, NothingIsLostOverAThousandKills) {
  kill_nodes(200, 30, 1000, milliseconds(3'000'000));
}

class PostgresqlNodeKillsTest : public NodeKillsTest {
 protected:
  // The server is killed, too, once for each `kills_a_server` kills of nodes.
  void kill_nodes(int tasks, int a_values, int kills, int kills_a_server, milliseconds limit) {
    prepare(tasks, a_values);
    fleet::postgresql::testing::ServerOptions durable;
    durable.is_durable = true;
    fleet::postgresql::testing::TestServer server(durable);
    const std::string address = server.uri("postgres", "postgres");
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
    campaigns::add_campaign(*store, campaign_);
    KilledNodes nodes(*store, address, {recordings_.string(), signers_.string()}, [&] {
      server.run_script("postgres",
                        "UPDATE warptune.lease SET ends = ends - interval '1 hour';"
                        "UPDATE warptune.expiry SET due = due - interval '1 hour'");
    });
    int killed = 0;
    nodes.run(kills, limit, [&](int kills_left) {
      if ((kills - kills_left) / kills_a_server <= killed) return;
      ++killed;
      server.kill();
      server.start();
    });
    EXPECT_TRUE(nodes.all_done());
    EXPECT_GE(killed, kills / kills_a_server / 2);
    nodes.expect_batches_kept();
    EXPECT_GE(nodes.killed(), kills / 2);
    EXPECT_GT(nodes.lost_attempts(), 0U);
    EXPECT_EQ(rows_of(*store, "joined.db"), rows_in_sequence());
  }
};

TEST_F(PostgresqlNodeKillsTest, NothingIsLostWhenNodesAndTheServerAreKilled) {
  REQUIRE_SERVER();
  kill_nodes(8, 4, 8, 4, milliseconds(280'000));
}

class LongPostgresqlNodeKillsTest : public PostgresqlNodeKillsTest {};

TEST_F(LongPostgresqlNodeKillsTest, NothingIsLostOverAThousandKillsOfNodesAndFiftyOfTheServer) {
  REQUIRE_SERVER();
  kill_nodes(200, 30, 1000, 20, milliseconds(3'000'000));
}

}  // namespace
}  // namespace warptune::tuner::nodes
