// Eight nodes run a campaign on one store, and are killed at random moments. At the end, the store has the
// same rows as after the same campaign on one node without any kill.
//
// The nodes are processes of the built program that replay recordings. A killed node is started again, with
// its state folder or with a new one. In the second case nobody gives its lease back, so the test makes
// leases older by an hour, as if time had passed. Nodes that run lose their leases by that, too.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "fleet/fleet_store.h"
#include "fleet/rows/snapshot.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/spool/spool_under_test.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tuner/campaigns/campaign_file.h"
#include "tuner/nodes/node.h"

namespace warptune::tuner::nodes {
namespace {

namespace fs = std::filesystem;
using fleet::testing::server_programs;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::Warptune;

constexpr int kNodes = 8;
constexpr std::int64_t kHourMs = 3'600'000;

using RowSet = std::map<std::string, std::set<std::string>>;  // Configurations by workload.

class NodeKillsTest : public ::testing::Test {
 protected:
  // Records `tasks` sizes of the toy kernel, and writes a campaign with all of them.
  void prepare(int tasks) {
    const fs::path kernel = testing::write_toy_kernel(folder_);
    fs::create_directories(recordings_);
    model::Recording recording = testing::toy_recording(kernel);
    for (model::Measurement& row : recording.measurements) {
      row.compile_ms = 5.0;
      row.measure_ms = 30.0;
    }
    for (int n = 1; n <= tasks; ++n) {
      recording.workload.problem = {{"N", std::int64_t{32} * n}};
      db::write_recording(recordings_ / fmt::format("toy-{}.wtrec.zst", n), recording);
    }
    std::ofstream(folder_ / "c.toml") << fmt::format(
        "name = 'c'\n[[tune]]\nkernel = 'toy.cu'\nstrategy = 'exhaustive'\nbudget = 'all'\n"
        "sizes = {{ N = '32..{} step 32' }}\n",
        32 * tasks);
    campaign_ = campaigns::read_campaign_file(folder_ / "c.toml");
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
  campaigns::CampaignFile campaign_;
};

// Asks the store again while it is away, because a test may kill a server.
template <class Call>
auto ask(Call call) {
  for (int tries = 0;; ++tries) {
    try {
      return call();
    } catch (const base::MachineError&) {
      if (tries == 100) throw;
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
}

// The nodes of one run, and what the test has seen in the store.
class KilledNodes {
 public:
  KilledNodes(fleet::FleetStore& store, std::string address, fs::path recordings, std::function<void()> age)
      : store_(store),
        address_(std::move(address)),
        recordings_(std::move(recordings)),
        age_(std::move(age)) {
    nodes_.resize(kNodes);
  }
  ~KilledNodes() {
    for (OneNode& node : nodes_) end(node);
  }

  // Runs until all tasks are done, and kills `kills` nodes meanwhile. `each` is called before each kill.
  void run(int kills, milliseconds limit, const std::function<void()>& each) {
    const auto start = steady_clock::now();
    while (!(kills <= 0 && all_done())) {
      ASSERT_LT(steady_clock::now() - start, limit) << "tasks are left";
      start_missing();
      std::this_thread::sleep_for(milliseconds(20 + random_.below(100)));
      each();
      note_batches();
      ask([&] { return store_.retry("c"); });  // Tasks that were lost three times.
      if (kills <= 0) {
        end_forgotten_leases();
        continue;
      }
      OneNode& chosen = nodes_[random_.below(nodes_.size())];
      if (chosen.pid <= 0) continue;
      end(chosen);
      --kills;
      if (random_.below(4) != 0) continue;
      ++chosen.states;
      age_();
    }
  }

  // Every batch that the test saw is there, and has the same bytes.
  void expect_batches_kept() {
    for (const auto& [name, digest] : seen_)
      EXPECT_EQ(base::hash_hex(ask([&] { return store_.batch(name); })), digest);
    EXPECT_FALSE(seen_.empty());
  }
  bool all_done() {
    const std::vector<fleet::TaskRecord> tasks = ask([&] { return store_.tasks("c"); });
    return std::all_of(tasks.begin(), tasks.end(),
                       [](const fleet::TaskRecord& task) { return task.state == fleet::TaskState::kDone; });
  }

 private:
  struct OneNode {
    Warptune program;
    pid_t pid = 0;
    int states = 0;  // How many state folders it has had.
  };

  static void end(OneNode& node) {
    if (node.pid <= 0) return;
    ::kill(node.pid, SIGKILL);
    ::waitpid(node.pid, nullptr, 0);
    node.pid = 0;
  }

  void start_missing() {
    for (OneNode& node : nodes_) {
      if (node.pid > 0 && ::waitpid(node.pid, nullptr, WNOHANG) == node.pid) node.pid = 0;
      if (node.pid > 0) continue;
      node.pid = node.program.start({"node", "--store", address_, "--replay", recordings_.string(), "--pace",
                                     "1", "--jobs", "2", "--publish-every", "0.05", "--poll-every", "0.1",
                                     "--until-done", "--state", fmt::format("state-{}", node.states)});
    }
  }

  // A node that is killed between its lease and its first file does not know later that it had the lease.
  // Others get the task when the lease ends.
  void end_forgotten_leases() {
    const std::vector<fleet::TaskRecord> tasks = ask([&] { return store_.tasks("c"); });
    const auto done = std::count_if(tasks.begin(), tasks.end(), [](const fleet::TaskRecord& task) {
      return task.state == fleet::TaskState::kDone;
    });
    if (done != done_) changed_ = steady_clock::now();
    done_ = done;
    if (steady_clock::now() - changed_ < milliseconds(5000)) return;
    age_();
    changed_ = steady_clock::now();
  }

  void note_batches() {
    fleet::BatchList list = ask([&] { return store_.batches({}, cursor_); });
    cursor_ = std::move(list.cursor);
    for (const fleet::BatchName& name : list.batches)
      seen_.emplace(name, base::hash_hex(ask([&] { return store_.batch(name); })));
  }

  fleet::FleetStore& store_;
  std::string address_;
  fs::path recordings_;
  std::function<void()> age_;
  std::deque<OneNode> nodes_;
  base::Random random_{base::unforeseen_seed()};
  std::map<fleet::BatchName, std::string> seen_;
  std::string cursor_;
  std::ptrdiff_t done_ = -1;            // Tasks that were done at the last look.
  steady_clock::time_point changed_{};  // When that number changed.
};

class SpoolNodeKillsTest : public NodeKillsTest {
 protected:
  void kill_nodes(int tasks, int kills, milliseconds limit) {
    prepare(tasks);
    const fs::path spool = folder_ / "spool";
    const std::string address = "spool:" + spool.string();
    const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
    campaigns::add_campaign(*store, campaign_);
    KilledNodes nodes(*store, address, recordings_, [&] { fleet::spool::age_spool_leases(spool, kHourMs); });
    nodes.run(kills, limit, [] {});
    EXPECT_TRUE(nodes.all_done());
    nodes.expect_batches_kept();
    EXPECT_EQ(rows_of(*store, "joined.db"), rows_in_sequence());
  }
};

TEST_F(SpoolNodeKillsTest, NothingIsLostWhenNodesAreKilled) { kill_nodes(16, 16, milliseconds(120'000)); }

class LongSpoolNodeKillsTest : public SpoolNodeKillsTest {};

TEST_F(LongSpoolNodeKillsTest, NothingIsLostOverAThousandKills) {
  kill_nodes(400, 1000, milliseconds(3'000'000));
}

class LongPostgresqlNodeKillsTest : public NodeKillsTest {};

TEST_F(LongPostgresqlNodeKillsTest, NothingIsLostOverAThousandKillsOfNodesAndFiftyOfTheServer) {
  REQUIRE_SERVER();
  prepare(400);
  fleet::testing::ServerOptions durable;
  durable.is_durable = true;
  fleet::testing::TestServer server(durable);
  server.run_script("postgres", "CREATE DATABASE fleet");
  const std::string address = server.uri("fleet", "postgres");
  const std::unique_ptr<fleet::FleetStore> store = fleet::make_store(address);
  campaigns::add_campaign(*store, campaign_);
  KilledNodes nodes(*store, address, recordings_, [] {});
  int calls = 0;
  nodes.run(1000, milliseconds(3'000'000), [&] {
    if (++calls % 20 != 0 || calls > 1000) return;
    server.kill();
    server.start();
  });
  EXPECT_TRUE(nodes.all_done());
  nodes.expect_batches_kept();
  EXPECT_EQ(rows_of(*store, "joined.db"), rows_in_sequence());
}

}  // namespace
}  // namespace warptune::tuner::nodes
