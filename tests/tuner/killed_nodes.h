// Nodes that are processes of the built program, and that a test kills.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "fleet/fleet_store.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::testing {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Asks the store again while it is away, because a test may kill a server.
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

/// The nodes of one run of a campaign `c`, and what the test has seen in the store.
class KilledNodes {
 public:
  // Files that the nodes are given.
  struct Given {
    std::string recordings;
    std::string signers;
  };

  KilledNodes(fleet::FleetStore& store, std::string address, Given given, std::function<void()> age)
      : store_(store), address_(std::move(address)), given_(std::move(given)), age_(std::move(age)) {
    nodes_.resize(8);
  }
  ~KilledNodes() {
    for (OneNode& node : nodes_) end(node);
  }

  // Runs until all tasks are done, and kills at most `kills` nodes meanwhile. `each` is called before
  // each kill, with the number of kills that are left.
  void run(int kills, milliseconds limit, const std::function<void(int)>& each) {
    const auto start = steady_clock::now();
    while (!all_done()) {
      ASSERT_LT(steady_clock::now() - start, limit) << "tasks are left";
      start_missing();
      std::this_thread::sleep_for(milliseconds(20 + random_.below(100)));
      each(kills);
      note_batches();
      ask([&] { return store_.retry("c"); });  // Tasks that were lost three times.
      if (kills <= 0) {
        end_forgotten_leases();
        continue;
      }
      OneNode& chosen = nodes_[random_.below(nodes_.size())];
      if (chosen.pid <= 0 || !runs_task(chosen)) continue;
      end(chosen);
      --kills;
      ++killed_;
      if (random_.below(4) != 0) continue;
      ++chosen.states;
      age_();
    }
  }

  // How many nodes were killed. Fewer than wanted if the campaign was done before.
  int killed() const { return killed_; }
  // The attempts that did not end with a report that closed their task.
  std::size_t lost_attempts() {
    std::size_t lost = 0;
    for (const fleet::TaskRecord& task : ask([&] { return store_.tasks("c"); }))
      lost += task.attempts.size() - 1;
    return lost;
  }

  // Every batch that the test saw is there, and has the same bytes.
  void expect_batches_kept() {
    for (const auto& seen : seen_)
      EXPECT_EQ(base::hash_hex(ask([&] { return store_.batch(seen.first); })), seen.second);
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

  // Whether a node has begun a task, so that a kill interrupts more than its start.
  static bool runs_task(const OneNode& node) {
    return slurp(node.program / "stdout").find("GPU 0: toy") != std::string::npos;
  }

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
      std::filesystem::remove(node.program / "stdout");  // What the killed one printed.
      node.pid = node.program.start({"node", "--store", address_, "--replay", given_.recordings,
                                     "--allowed-signers", given_.signers, "--pace", "1", "--jobs", "2",
                                     "--publish-every", "0.05", "--poll-every", "0.1", "--until-done",
                                     "--state", fmt::format("state-{}", node.states)});
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
    if (steady_clock::now() - changed_ < patience_) return;
    age_();
    patience_ *= 2;  // Attempts that run lose their leases, too, and may be slow on a busy machine.
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
  Given given_;
  std::function<void()> age_;
  std::deque<OneNode> nodes_;
  base::Random random_{base::unforeseen_seed()};
  std::map<fleet::BatchName, std::string> seen_;
  std::string cursor_;
  int killed_ = 0;
  milliseconds patience_{5000};
  std::ptrdiff_t done_ = -1;            // Tasks that were done at the last look.
  steady_clock::time_point changed_{};  // When that number changed.
};

}  // namespace warptune::tuner::testing
