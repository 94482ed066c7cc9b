// Eight nodes run a campaign on one store, and are killed at random moments. At the end, the store has the
// same rows as after the same campaign on one node without any kill.
//
// The nodes are processes of the built program that replay recordings. A killed node is started again, with
// its state folder or with a new one. In the second case nobody gives its lease back. Leases of 60 s would
// make the tests long, so a lease ends here when it was not renewed for some seconds. For this, its time in
// the store is moved into the past by an hour, as if the store's clock had gone on.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "fleet/fleet_store.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/spool/spool_under_test.h"
#include "tests/tuner/killed_nodes.h"
#include "tests/tuner/replayed_campaign.h"

namespace warptune::tuner::nodes {
namespace {

using fleet::postgresql::testing::server_programs;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::KilledNodes;
using testing::ReplayedCampaign;

constexpr std::int64_t kHourMs = 3'600'000;

// One or more campaigns, each in a store of its own, until so many kills are reached.
class NodeKillsTest : public ::testing::Test {
 protected:
  struct Plan {
    int tasks = 0;
    int a_values = 4;
    int kills = 0;
    milliseconds limit{};
  };

  NodeKillsTest() { std::printf("seed %llu\n", static_cast<unsigned long long>(seed_)); }

  void run_round(const Plan& plan, const std::string& address, ReplayedCampaign& campaign,
                 const testing::EndLeases& end_leases, const std::function<void(base::Random&, int)>& each) {
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
    campaign.add_to(*store);
    KilledNodes nodes(*store, address, campaign, end_leases, seed_ + static_cast<std::uint64_t>(rounds_++));
    nodes.run(plan.kills - killed_, start_ + plan.limit, each);
    if (HasFatalFailure()) return;
    killed_ += nodes.killed();
    nodes.expect_batches_kept();
    const testing::CampaignCounts counts = campaign.expect_complete(*store);
    ended_early_ += counts.lost + counts.superseded;
    std::printf(
        "campaign %d: %d tasks, %zu attempts, %zu lost, %zu superseded, %zu batches, %zu rows, %zu of them "
        "measured again; %d kills until now; done %.1f s after the last one\n",
        rounds_, plan.tasks, counts.attempts, counts.lost, counts.superseded, counts.batches, counts.rows,
        counts.measured_again, killed_, static_cast<double>(nodes.recovery().count()) / 1000.0);
    std::fflush(stdout);
  }

  const std::uint64_t seed_ = base::unforeseen_seed();
  const steady_clock::time_point start_ = steady_clock::now();
  int rounds_ = 0;
  int killed_ = 0;
  std::size_t ended_early_ = 0;  // Attempts that did not close their task.
};

class SpoolNodeKillsTest : public NodeKillsTest {
 protected:
  void kill_nodes(const Plan& plan) {
    ReplayedCampaign campaign(plan.tasks, plan.a_values, 100.0);
    do {
      const std::filesystem::path spool = campaign / fmt::format("spool-{}", rounds_);
      run_round(
          plan, "spool:" + spool.string(), campaign,
          [&](milliseconds quiet) { fleet::spool::age_spool_leases(spool, kHourMs, quiet.count()); },
          [](base::Random&, int) {});
    } while (killed_ < plan.kills && !HasFailure());
    EXPECT_EQ(killed_, plan.kills);
    EXPECT_EQ(ended_early_ > 0, plan.kills > 0);
  }
};

TEST_F(SpoolNodeKillsTest, NothingIsLostWhenNodesAreKilled) {
  kill_nodes({16, 4, 16, milliseconds(280'000)});
}

// 1,000 kills together. A part ends within its limit also on a machine that does other work.
class LongSpoolNodeKillsTest : public SpoolNodeKillsTest, public ::testing::WithParamInterface<int> {};

TEST_P(LongSpoolNodeKillsTest, NothingIsLostOver125Kills) { kill_nodes({20, 4, 125, milliseconds(560'000)}); }

INSTANTIATE_TEST_SUITE_P(LongPart, LongSpoolNodeKillsTest, ::testing::Range(1, 9));

class PostgresqlNodeKillsTest : public NodeKillsTest {
 protected:
  // The first process of the server is killed `servers` times, after equal numbers of kills of nodes, and one
  // of the others after some more.
  void kill_nodes(const Plan& plan, int servers) {
    ReplayedCampaign campaign(plan.tasks, plan.a_values, 100.0);
    fleet::postgresql::testing::ServerOptions durable;
    durable.is_durable = true;
    fleet::postgresql::testing::TestServer server(durable);
    int killed_servers = 0;
    int killed_backends = 0;
    int last = 0;  // Kills of nodes at the last look.
    do {
      const std::string database = server.next_database();
      server.value("postgres", "CREATE DATABASE " + database);
      run_round(
          plan, server.uri(database, "postgres"), campaign,
          [&](milliseconds quiet) { end_leases(server, database, quiet); },
          [&](base::Random& random, int killed) {
            const int all = killed_ + killed;
            if (all * servers / std::max(1, plan.kills) > killed_servers) {
              server.kill();
              server.start();
              ++killed_servers;
            } else if (all > last && all % 3 == 0) {
              killed_backends += kill_backend(server, random) ? 1 : 0;
            }
            last = all;
          });
    } while ((killed_ < plan.kills || killed_servers < servers) && !HasFailure());
    std::printf("%d kills of nodes, %d of the server, %d of a process of it\n", killed_, killed_servers,
                killed_backends);
    EXPECT_EQ(killed_, plan.kills);
    EXPECT_EQ(ended_early_ > 0, plan.kills > 0);
    EXPECT_EQ(killed_servers, servers);
  }

 private:
  static void end_leases(const fleet::postgresql::testing::TestServer& server, const std::string& database,
                         milliseconds quiet) {
    testing::ask([&] {
      server.run_script(database, fmt::format("UPDATE warptune.lease SET ends = ends - interval '1 hour'"
                                              " WHERE ends <= clock_timestamp() + interval '{} ms';"
                                              "UPDATE warptune.expiry SET due = clock_timestamp()",
                                              fleet::kLeaseMs - quiet.count()));
      return true;
    });
  }

  // A process that serves a node is killed, so that the server ends all others and recovers.
  static bool kill_backend(const fleet::postgresql::testing::TestServer& server, base::Random& random) {
    try {
      const std::vector<std::string> backends =
          base::split(server.value("postgres",
                                   "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity"
                                   " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"),
                      ' ');
      if (backends.empty() || backends.front().empty()) return false;
      return ::kill(std::stoi(backends[random.below(backends.size())]), SIGKILL) == 0;
    } catch (const base::Error&) {  // The server recovers.
      return false;
    }
  }
};

TEST_F(PostgresqlNodeKillsTest, NothingIsLostWhenNodesAndTheServerAreKilled) {
  REQUIRE_SERVER();
  kill_nodes({8, 4, 8, milliseconds(280'000)}, 2);
}

// 50 kills of the server together.
class LongPostgresqlNodeKillsTest : public PostgresqlNodeKillsTest,
                                    public ::testing::WithParamInterface<int> {};

TEST_P(LongPostgresqlNodeKillsTest, NothingIsLostOverTenKillsOfTheServer) {
  REQUIRE_SERVER();
  kill_nodes({20, 4, 20, milliseconds(560'000)}, 10);
}

INSTANTIATE_TEST_SUITE_P(LongPart, LongPostgresqlNodeKillsTest, ::testing::Range(1, 6));

class LongPostgresqlUnionTest : public PostgresqlNodeKillsTest {};

TEST_F(LongPostgresqlUnionTest, EightNodesStoreTheRowsOfTheSequence) {
  REQUIRE_SERVER();
  kill_nodes({60, 8, 0, milliseconds(560'000)}, 0);
}

}  // namespace
}  // namespace warptune::tuner::nodes
