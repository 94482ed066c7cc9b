// One GPU of a node: leases tasks and runs them, one after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cancellation.h"
#include "base/random.h"
#include "fleet/fleet_store.h"
#include "tuner/nodes/class_decisions.h"
#include "tuner/nodes/lease_keeper.h"
#include "tuner/nodes/node.h"
#include "tuner/nodes/offered_gpus.h"
#include "tuner/nodes/outbox.h"
#include "tuner/nodes/pauses.h"
#include "tuner/nodes/task_run.h"

namespace warptune::tuner::nodes {

/// What a slot needs of its node. All functions may be called by several threads.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  virtual const NodeOptions& options() const = 0;
  virtual const base::Cancellation& stopped() const = 0;
  virtual const std::string& node_id() const = 0;
  virtual ClassDecisions& decisions() = 0;
  virtual Outbox& outbox() = 0;
  /// Held by the slot that delivers what earlier processes and stores that were away have left.
  virtual std::mutex& delivering() = 0;
  virtual void tell(const NodeEvent& event) = 0;
  /// Keeps and enters the roofs of a GPU that were measured.
  virtual void note_roofs(fleet::FleetStore& store, const OfferedGpu& gpu) = 0;
};

/// A slot ends after this many sessions in a row that its machine could not run.
constexpr int kMaxGpuFailures = 3;

class NodeSlot {
 public:
  /// Starts the slot's thread. Everything that is given outlives it.
  NodeSlot(SlotOwner& owner, const TaskSettings& settings, LeaseKeeper& keeper, OfferedGpu gpu);
  ~NodeSlot();
  NodeSlot(const NodeSlot&) = delete;
  NodeSlot& operator=(const NodeSlot&) = delete;

  bool has_ended() const { return ended_.load(); }
  /// Interrupts the session. The slot ends when its lease is given back.
  void stop() { session_.cancel(); }
  /// Adds what the slot has done. Only when it has ended.
  void add_to(NodeEnd& end) const;

 private:
  void run();
  bool take_turn();
  bool has_work(const std::vector<fleet::ClassKey>& runnable, const std::set<fleet::TaskKey>& refused);
  void deliver_left();
  void run_lease(const fleet::Lease& lease);
  void note_end(const fleet::Lease& lease, const TaskEnd& end);
  void count(const Delivery& delivery);
  void note_away(const base::Error& error);
  bool has_idled_enough() const;
  bool has_room();
  void learn_roofs(std::vector<model::RoofReading> measured);
  void enter_roofs();
  AttemptEvents events_of(const fleet::Lease& lease);
  void rest(std::chrono::milliseconds time);
  void tell(NodeEvent::Kind kind, std::string text, const fleet::LeaseKey& lease = {},
            const Delivery& delivery = {}, std::optional<AttemptReport> report = {});

  // What this process knows about the roofs of its GPU. Recorded ones were entered with the node.
  enum class Roofs { kUnknown, kMeasured, kEntered };

  SlotOwner& owner_;
  const TaskSettings& settings_;
  LeaseKeeper& keeper_;
  OfferedGpu gpu_;
  std::unique_ptr<fleet::FleetStore> store_;
  base::Random random_;
  base::Cancellation session_;  // Ends the running session. A stop also reaches the next one.
  std::chrono::steady_clock::time_point idle_since_ = std::chrono::steady_clock::now();
  BackOff back_off_;  // Waits while the store is away.
  Roofs roofs_;
  bool had_no_room_ = false;
  int failures_ = 0;  // Sessions in a row that the machine could not run.
  NodeEnd done_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace warptune::tuner::nodes
