// Nodes as processes that are killed at any moment.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::fleet::spool {
namespace {

using testing::campaign_of;
using testing::class_of;
using testing::node_of;

constexpr int kNodes = 4;
constexpr std::uint64_t kTasks = 12;   // For each process.
constexpr std::uint64_t kBatches = 3;  // For each attempt.

std::string node_id(int node) { return fmt::format("{:032}", node); }

std::string rows_of(const BatchName& name) {
  return fmt::format("rows {} {} {} {}", name.lease.task, name.lease.fence, name.node, name.sequence);
}

// What nodes have been told that it is stored. Each line is written by one call, after the store has
// returned.
class Acknowledged {
 public:
  explicit Acknowledged(const std::filesystem::path& file)
      : file_(file), descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  ~Acknowledged() { ::close(descriptor_); }
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;

  void add(const std::string& what, const BatchName& name) {
    const std::string line =
        fmt::format("{} {} {} {} {}\n", what, name.lease.task, name.lease.fence, name.node, name.sequence);
    if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(1);
  }
  std::vector<BatchName> read(const std::string& what) const {
    std::vector<BatchName> names;
    std::ifstream in(file_);
    std::string kind;
    BatchName name{{"one", 0, 0}, {}, 0};
    while (in >> kind >> name.lease.task >> name.lease.fence >> name.node >> name.sequence)
      if (kind == what) names.push_back(name);
    return names;
  }

 private:
  std::filesystem::path file_;
  int descriptor_;
};

// Runs at most so many tasks, until there are none.
void run_node(SpoolUnderTest& spool, int number, Acknowledged& acknowledged, std::uint64_t tasks) {
  const auto store = spool.connect(Access::kNode);
  const std::string id = node_id(number);
  store->enter_node(node_of(id));
  for (; tasks > 0; --tasks) {
    const auto lease = store->lease(id, {{"one", 0}, {"one", 1}});
    if (!lease) return;
    for (std::uint64_t sequence = 0; sequence < kBatches; ++sequence) {
      const BatchName name{lease->key, id, sequence};
      store->publish(name, rows_of(name));
      acknowledged.add("batch", name);
      store->heartbeat(id, {lease->key});
    }
    if (store->finish(id, lease->key, {})) acknowledged.add("closed", {lease->key, id, 0});
  }
}

pid_t start_node(SpoolUnderTest& spool, int number, Acknowledged& acknowledged) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    run_node(spool, number, acknowledged, kTasks);
  } catch (const std::exception& error) {
    fmt::print(stderr, "node {}: {}\n", number, error.what());
    ::_exit(1);
  }
  for (;;) ::pause();  // A slow test leaves tasks for the nodes that come.
}

// Kills `kills` nodes, and starts another one in the place of each.
void kill_nodes(SpoolUnderTest& spool, Acknowledged& acknowledged, int kills) {
  std::mt19937 random(1);
  std::vector<pid_t> nodes;
  for (int i = 0; i < kNodes; ++i) nodes.push_back(start_node(spool, i, acknowledged));
  const auto store = spool.connect(Access::kAdministrator);
  for (int i = 0; i < kills; ++i) {
    ::usleep(static_cast<useconds_t>(random() % 3'000));
    const std::size_t node = random() % nodes.size();
    ::kill(nodes[node], SIGKILL);
    int status = 0;
    ::waitpid(nodes[node], &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "a node has failed";
    if (i % 5 == 0) spool.age_leases(kLeaseMs + 1'000);  // Those of living nodes, too.
    if (i % 50 == 49) store->retry("one");
    nodes[node] = start_node(spool, static_cast<int>(node), acknowledged);
  }
  for (const pid_t node : nodes) ::kill(node, SIGKILL);
  for (const pid_t node : nodes) ::waitpid(node, nullptr, 0);
}

void expect_nothing_lost(SpoolUnderTest& spool, const Acknowledged& acknowledged) {
  const auto store = spool.connect(Access::kReader);
  const std::vector<BatchName> listed = store->batches({}, "").batches;
  const std::set<BatchName> names(listed.begin(), listed.end());
  for (const BatchName& name : names) EXPECT_EQ(store->batch(name), rows_of(name));
  const std::vector<BatchName> batches = acknowledged.read("batch");
  EXPECT_FALSE(batches.empty());
  for (const BatchName& name : batches) EXPECT_EQ(names.count(name), 1U) << rows_of(name);
  std::map<std::uint64_t, std::uint64_t> closed;  // The fence of each closed task.
  for (const TaskRecord& task : store->tasks("one")) {
    EXPECT_EQ(task.state, TaskState::kDone) << task.task;
    for (const Attempt& attempt : task.attempts) {
      const bool closes = attempt.end == AttemptEnd::kDone;
      EXPECT_TRUE(!closes || closed.emplace(task.task, attempt.fence).second)
          << task.task << " was closed twice";
    }
  }
  for (const BatchName& name : acknowledged.read("closed"))
    EXPECT_EQ(closed[name.lease.task], name.lease.fence);
}

void kill_nodes_and_check(int kills) {
  SpoolUnderTest spool;
  const tests::TemporaryFolder folder;
  Acknowledged acknowledged(folder / "acknowledged");
  const auto store = spool.connect(Access::kAdministrator);
  store->add_campaign(campaign_of("one", {class_of("sgemm"), class_of("scan", 1)},
                                  static_cast<std::uint64_t>(kills + kNodes) * kTasks / 2));
  kill_nodes(spool, acknowledged, kills);
  // One more node takes over what they have left.
  spool.age_leases(kLeaseMs + 1'000);
  run_node(spool, kNodes, acknowledged, UINT64_MAX);
  store->retry("one");
  run_node(spool, kNodes, acknowledged, UINT64_MAX);
  expect_nothing_lost(spool, acknowledged);
}

TEST(SpoolKillsTest, KilledNodesLoseNothing) { kill_nodes_and_check(60); }

TEST(LongSpoolKillsTest, ManyKilledNodesLoseNothing) { kill_nodes_and_check(1'000); }

}  // namespace
}  // namespace warptune::fleet::spool
