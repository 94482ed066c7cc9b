// Nodes that are processes of the built program, and that a test kills.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "fleet/fleet_store.h"
#include "tests/tuner/program.h"
#include "tests/tuner/replayed_campaign.h"

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

/// How a test lets the time of leases pass: it ends those that were not renewed for this long.
using EndLeases = std::function<void(milliseconds)>;

/// The nodes of one run of a campaign, and what the test has seen in the store.
class KilledNodes {
 public:
  KilledNodes(fleet::FleetStore& store, std::string address, const ReplayedCampaign& campaign,
              EndLeases end_leases, std::uint64_t seed);
  KilledNodes(const KilledNodes&) = delete;
  KilledNodes& operator=(const KilledNodes&) = delete;
  ~KilledNodes();

  /// Runs until all tasks are done, and kills at most `kills` nodes meanwhile. `each` is called before each
  /// kill, with the number of kills until then. Fails the test when that takes until `limit`.
  void run(int kills, steady_clock::time_point limit, const std::function<void(base::Random&, int)>& each);
  /// How many nodes were killed. Fewer than wanted if the campaign was done before.
  int killed() const { return killed_; }
  /// How long the nodes needed after the last kill.
  milliseconds recovery() const { return std::chrono::duration_cast<milliseconds>(ended_ - last_kill_); }
  /// Every batch that the test saw is there, and has the same bytes.
  void expect_batches_kept();

 private:
  struct OneNode {
    Warptune program{};
    pid_t pid = 0;
    int states = 0;  // How many state folders it has had.
  };

  static bool runs_task(const OneNode& node);
  static void end(OneNode& node);
  void start_missing();
  bool kill_one();
  bool look_at_tasks();
  void end_quiet_leases(bool patient);
  void note_batches();

  fleet::FleetStore& store_;
  std::string address_;
  const ReplayedCampaign& campaign_;
  EndLeases end_leases_;
  base::Random random_;
  tests::TemporaryFolder states_;
  std::deque<OneNode> nodes_;
  std::map<fleet::BatchName, std::string> seen_;
  std::string cursor_;
  int killed_ = 0;
  steady_clock::time_point last_kill_ = steady_clock::now();
  steady_clock::time_point ended_{};
  milliseconds quiet_;                  // A lease ends when it was not renewed for this time.
  std::ptrdiff_t done_ = 0;             // Tasks that were done at the last look.
  steady_clock::time_point changed_{};  // When that number changed.
};

}  // namespace warptune::tuner::testing
