#include "tuner/nodes/lease_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace warptune::tuner::nodes {

LeaseKeeper::LeaseKeeper(StoreOpener open, std::string node_id, std::chrono::milliseconds interval)
    : open_(std::move(open)), node_id_(std::move(node_id)), beating_(interval, [this] { beat(); }) {}

void LeaseKeeper::beat() {
  std::vector<fleet::LeaseKey> leases;
  {
    const std::lock_guard guard(mutex_);
    for (const Entry& entry : entries_) leases.push_back(entry.lease);
  }
  try {
    if (!store_) store_ = open_();
    const std::vector<fleet::LeaseState> states = renewed(leases);
    for (std::size_t i = 0; i < std::min(leases.size(), states.size()); ++i) note(leases[i], states[i]);
  } catch (const base::Error& error) {
    base::log_info(fmt::format("no heartbeat: {}", error.message()));
    store_.reset();
  }
}

// A call with several leases fails as a whole, if the store refuses one of them.
std::vector<fleet::LeaseState> LeaseKeeper::renewed(const std::vector<fleet::LeaseKey>& leases) {
  try {
    return store_->heartbeat(node_id_, leases);
  } catch (const base::InputError&) {
    store_->heartbeat(node_id_, {});  // Throws if the store refuses this node and not a lease.
  }
  std::vector<fleet::LeaseState> states;
  states.reserve(leases.size());
  for (const fleet::LeaseKey& lease : leases) {
    try {
      states.push_back(store_->heartbeat(node_id_, {lease}).at(0));
    } catch (const base::InputError& error) {
      base::log_warning(
          fmt::format("task {} of {} is not run any more: {}", lease.task, lease.campaign, error.message()));
      states.push_back(fleet::LeaseState::kLost);
    }
  }
  return states;
}

void LeaseKeeper::note(const fleet::LeaseKey& lease, fleet::LeaseState state) {
  const std::lock_guard guard(mutex_);
  for (Entry& entry : entries_) {
    if (!(entry.lease == lease)) continue;
    entry.state = state;
    if (state != fleet::LeaseState::kHeld) entry.session->cancel();
  }
}

bool LeaseKeeper::keeps(const fleet::LeaseKey& lease) const {
  const std::lock_guard guard(mutex_);
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.lease == lease; });
}

LeaseKeeper::Kept::Kept(LeaseKeeper& keeper, const fleet::LeaseKey& lease, base::Cancellation& session)
    : keeper_(keeper), lease_(lease) {
  const std::lock_guard guard(keeper_.mutex_);
  keeper_.entries_.push_back({lease, &session});
}

LeaseKeeper::Kept::~Kept() {
  const std::lock_guard guard(keeper_.mutex_);
  std::erase_if(keeper_.entries_, [this](const Entry& entry) { return entry.lease == lease_; });
}

fleet::LeaseState LeaseKeeper::Kept::state() const {
  const std::lock_guard guard(keeper_.mutex_);
  for (const Entry& entry : keeper_.entries_) {
    if (entry.lease == lease_) return entry.state;
  }
  return fleet::LeaseState::kLost;
}

}  // namespace warptune::tuner::nodes
