#include "tests/tuner/killed_nodes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "tests/fleet/spool/spool_under_test.h"

namespace warptune::tuner::testing {

namespace {

constexpr std::size_t kNodes = 8;
constexpr milliseconds kQuiet{4000};

}  // namespace

KilledNodes::KilledNodes(fleet::FleetStore& store, std::string address, const ReplayedCampaign& campaign,
                         EndLeases end_leases, std::uint64_t seed)
    : store_(store),
      address_(std::move(address)),
      campaign_(campaign),
      end_leases_(std::move(end_leases)),
      random_(seed),
      states_(fleet::spool::memory_folder()),
      nodes_(kNodes),
      quiet_(kQuiet),
      changed_(steady_clock::now()) {}

KilledNodes::~KilledNodes() {
  for (OneNode& node : nodes_) end(node);
}

void KilledNodes::run(int kills, steady_clock::time_point limit,
                      const std::function<void(base::Random&, int)>& each) {
  while (!look_at_tasks()) {
    ASSERT_LT(steady_clock::now(), limit) << "tasks are left after " << killed_ << " kills";
    start_missing();
    std::this_thread::sleep_for(milliseconds(10 + random_.below(80)));
    each(random_, killed_);
    note_batches();
    end_quiet_leases(killed_ == kills);
    if (killed_ < kills && kill_one()) {
      ++killed_;
      last_kill_ = steady_clock::now();
    }
  }
  ended_ = steady_clock::now();
}

// Whether a node has begun a task.
bool KilledNodes::runs_task(const OneNode& node) {
  return slurp(node.program / "stdout").find("GPU 0: toy") != std::string::npos;
}

void KilledNodes::end(OneNode& node) {
  if (node.pid <= 0) return;
  ::kill(node.pid, SIGKILL);
  ::waitpid(node.pid, nullptr, 0);
  node.pid = 0;
}

// Two of three kills wait until the node runs a task, because too little would be done otherwise. One in four
// nodes loses its disk with its process, so that nobody gives its lease back.
bool KilledNodes::kill_one() {
  OneNode& chosen = nodes_[random_.below(nodes_.size())];
  if (chosen.pid <= 0 || (random_.below(3) != 0 && !runs_task(chosen))) return false;
  end(chosen);
  if (random_.below(4) == 0) ++chosen.states;
  return true;
}

void KilledNodes::start_missing() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    OneNode& node = nodes_[i];
    if (node.pid > 0 && ::waitpid(node.pid, nullptr, WNOHANG) == node.pid) node.pid = 0;
    if (node.pid > 0) continue;
    std::filesystem::remove(node.program / "stdout");  // What the killed one printed.
    const std::string state = (states_ / fmt::format("{}-{}", i, node.states)).string();
    node.pid = node.program.start({"node", "--store", address_, "--replay", campaign_.recordings(),
                                   "--allowed-signers", campaign_.signers(), "--pace", "1", "--jobs", "2",
                                   "--publish-every", "0.3", "--poll-every", "0.1", "--until-done", "--state",
                                   state});
  }
}

// Whether all tasks are done. Tasks that were lost three times are opened again.
bool KilledNodes::look_at_tasks() {
  const std::vector<fleet::TaskRecord> tasks = ask([&] { return store_.tasks("c"); });
  const auto count = [&](fleet::TaskState state) {
    return std::count_if(tasks.begin(), tasks.end(),
                         [&](const fleet::TaskRecord& task) { return task.state == state; });
  };
  if (count(fleet::TaskState::kQuarantined) > 0) ask([&] { return store_.retry("c"); });
  const auto done = count(fleet::TaskState::kDone);
  if (done != done_) changed_ = steady_clock::now();
  done_ = done;
  return done == static_cast<std::ptrdiff_t>(tasks.size());
}

// Nodes that run renew their leases every 15 s, so that some of them lose a lease in which they work. On a
// busy machine, all of them could lose theirs again and again, so leases become longer at the end.
void KilledNodes::end_quiet_leases(bool patient) {
  if (random_.below(50) == 0 && !patient) end_leases_(milliseconds(0));
  end_leases_(quiet_);
  if (!patient || steady_clock::now() - changed_ < 2 * quiet_) return;
  quiet_ *= 2;
  changed_ = steady_clock::now();
}

void KilledNodes::note_batches() {
  fleet::BatchList list = ask([&] { return store_.batches({}, cursor_); });
  cursor_ = std::move(list.cursor);
  for (const fleet::BatchName& name : list.batches)
    seen_.emplace(name, base::hash_hex(ask([&] { return store_.batch(name); })));
}

void KilledNodes::expect_batches_kept() {
  for (const auto& seen : seen_)
    EXPECT_EQ(base::hash_hex(ask([&] { return store_.batch(seen.first); })), seen.second);
  EXPECT_FALSE(seen_.empty());
}

}  // namespace warptune::tuner::testing
