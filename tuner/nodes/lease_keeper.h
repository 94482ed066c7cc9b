#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/threads/repeated_step.h"
#include "fleet/fleet_store.h"

namespace warptune::tuner::nodes {

/// Opens a connection to the store. Throws as `fleet::open_store` does.
using StoreOpener = std::function<std::unique_ptr<fleet::FleetStore>()>;

/// Sends heartbeats for the running attempts of a node, from a thread of its own with its own connection. If
/// the store says that a lease is lost or cancelled, the session of that attempt is cancelled. The same
/// happens if the store refuses this lease alone, because its campaign was removed. While the store is away,
/// sessions go on.
class LeaseKeeper {
 public:
  LeaseKeeper(StoreOpener open, std::string node_id, std::chrono::milliseconds interval);
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

  void beat();
  std::vector<fleet::LeaseState> renewed(const std::vector<fleet::LeaseKey>& leases);
  void note(const fleet::LeaseKey& lease, fleet::LeaseState state);

  StoreOpener open_;
  std::string node_id_;
  std::unique_ptr<fleet::FleetStore> store_;  // Only the thread of `beating_` uses it.
  mutable std::mutex mutex_;                  // Guards `entries_`.
  std::vector<Entry> entries_;
  base::threads::RepeatedStep beating_;  // Last, because its thread uses the members above.
};

}  // namespace warptune::tuner::nodes
