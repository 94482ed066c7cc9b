#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/cancellation.h"
#include "fleet/fleet_store.h"

namespace warptune::tuner::nodes {

/// Opens a connection to the store. Throws as `fleet::open_store` does.
using StoreOpener = std::function<std::unique_ptr<fleet::FleetStore>()>;

/// Sends heartbeats for the running attempts of a node, from a thread of its own with its own connection. If
/// the store says that a lease is lost or cancelled, the session of that attempt is cancelled. While the
/// store is away, sessions go on.
class LeaseKeeper {
 public:
  LeaseKeeper(StoreOpener open, std::string node_id, std::chrono::milliseconds interval);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  /// Whether an attempt with this lease runs now.
  bool keeps(const fleet::LeaseKey& lease) const;

  /// A lease that is kept as long as the object lives.
  class Kept {
   public:
    Kept(LeaseKeeper& keeper, const fleet::LeaseKey& lease, base::Cancellation& session);
    ~Kept();
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    /// The state at the last heartbeat that reached the store.
    fleet::LeaseState state() const;

   private:
    LeaseKeeper& keeper_;
    fleet::LeaseKey lease_;
  };

 private:
  struct Entry {
    fleet::LeaseKey lease;
    base::Cancellation* session;
    fleet::LeaseState state = fleet::LeaseState::kHeld;
  };

  void run();
  void beat(std::unique_ptr<fleet::FleetStore>& store);
  void note(const fleet::LeaseKey& lease, fleet::LeaseState state);

  StoreOpener open_;
  std::string node_id_;
  std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;  // Guards `entries_` and `ends_`.
  std::condition_variable wakes_;
  std::vector<Entry> entries_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace warptune::tuner::nodes
