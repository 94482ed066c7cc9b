// A node has a thread for each GPU (its slot), one that sends heartbeats, and the calling one, which waits
// for the end. Slots share the decisions about classes and the outbox. Each has its own connection to the
// store.
#include "tuner/nodes/node.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "db/store.h"
#include "tuner/nodes/class_decisions.h"
#include "tuner/nodes/node_slot.h"
#include "tuner/nodes/offered_gpus.h"
#include "tuner/nodes/outbox.h"
#include "tuner/nodes/state_folder.h"
#include "tuner/nodes/task_run.h"

namespace warptune::tuner::nodes {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kStopPoll{50};  // How soon a stop reaches the sessions.

std::string machine_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What all slots use, and what they have done.
class RunningNode : public SlotOwner {
 public:
  RunningNode(const NodeOptions& options, const NodeListener& listener, const base::Cancellation& stop)
      : options_(options), listener_(listener), stop_(stop), state_(options.state), outbox_(state_.outbox()) {
    const bool store_is_private = options.store()->is_private();  // Throws if there is no such store.
    if (options.replay) recorded_.emplace(*options.replay);
    offered_ = recorded_ ? recorded_->gpus(options.devices) : local_offer(options.devices, state_.roofs());
    decisions_ = std::make_unique<ClassDecisions>(DecisionRules{offered_, recorded_ ? &*recorded_ : nullptr,
                                                                state_.bundles(), options.allowed_signers,
                                                                store_is_private});
  }

  NodeEnd run() {
    enter();
    recover_attempts(state_.attempts(), outbox_);
    std::optional<LeaseKeeper> keeper(std::in_place, options_.store, state_.id(),
                                      options_.heartbeat_interval);
    const TaskSettings settings = settings_of_slots();
    std::vector<std::unique_ptr<NodeSlot>> slots;
    for (const OfferedGpu& gpu : offered_)
      slots.push_back(std::make_unique<NodeSlot>(*this, settings, *keeper, gpu));
    while (std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return !slot->has_ended(); })) {
      std::this_thread::sleep_for(kStopPoll);
      if (!stop_.is_cancelled()) continue;
      for (const auto& slot : slots) slot->stop();
    }
    for (const auto& slot : slots) slot->add_to(end_);
    slots.clear();
    keeper.reset();
    leave();
    end_.interrupted = stop_.is_cancelled();
    end_.undelivered = outbox_.leases().size();
    return end_;
  }

  const NodeOptions& options() const override { return options_; }
  const base::Cancellation& stopped() const override { return stop_; }
  const std::string& node_id() const override { return state_.id(); }
  ClassDecisions& decisions() override { return *decisions_; }
  Outbox& outbox() override { return outbox_; }
  std::mutex& delivering() override { return delivering_; }
  void tell(const NodeEvent& event) override {
    const std::lock_guard guard(telling_);
    listener_(event);
  }

  // A session has measured roofs that were not known.
  void note_roofs(fleet::FleetStore& store, const OfferedGpu& gpu) override {
    const std::lock_guard guard(entering_);
    db::Store(state_.roofs()).set_roofs(gpu.gpu, gpu.roofs);
    for (OfferedGpu& one : offered_)
      if (one.gpu.key() == gpu.gpu.key()) one.roofs = gpu.roofs;
    store.enter_node(described());
    store.set_refusals(state_.id(), decisions_->refusals());
  }

 private:
  TaskSettings settings_of_slots() const {
    TaskSettings settings;
    settings.node_id = state_.id();
    settings.attempts = state_.attempts();
    settings.compile_cache = options_.compile_cache;
    const std::size_t workers = options_.compile_workers > 0
                                    ? options_.compile_workers
                                    : std::max<std::size_t>(1, std::thread::hardware_concurrency());
    settings.compile_workers = std::max<std::size_t>(1, workers / offered_.size());
    settings.publish_interval = options_.publish_interval;
    settings.recorded = recorded_ ? &*recorded_ : nullptr;
    settings.pace = options_.pace;
    return settings;
  }

  fleet::Node described() const {
    fleet::Node node;
    node.id = state_.id();
    node.name = options_.name.empty() ? machine_name() : options_.name;
    node.version = WARPTUNE_VERSION;
    for (const OfferedGpu& one : offered_) node.gpus.push_back({one.gpu, one.roofs});
    return node;
  }

  void enter() {
    const fleet::Node node = described();
    options_.store()->enter_node(node);
    std::vector<std::string> names;
    for (const OfferedGpu& one : offered_) names.push_back(one.gpu.name);
    tell({NodeEvent::Kind::kEntered, {}, 0, {}, fmt::format("{}: {}", node.name, fmt::join(names, ", "))});
  }

  // If the store does not learn of the end, the node counts as away 60 s after its last heartbeat.
  void leave() const {
    try {
      options_.store()->leave_node(state_.id());
    } catch (const base::Error& error) {
      base::log_info(fmt::format("the store does not know that this node has ended: {}", error.what()));
    }
  }

  const NodeOptions& options_;
  const NodeListener& listener_;
  const base::Cancellation& stop_;
  StateFolder state_;
  Outbox outbox_;
  std::optional<RecordedOffer> recorded_;
  std::vector<OfferedGpu> offered_;
  std::unique_ptr<ClassDecisions> decisions_;
  std::mutex telling_;
  std::mutex entering_;    // Guards the roofs of `offered_`.
  std::mutex delivering_;  // Held by the slot that delivers what was left.
  NodeEnd end_;
};

}  // namespace

NodeEnd run_node(const NodeOptions& options, const NodeListener& listener, const base::Cancellation& stop) {
  return RunningNode(options, listener, stop).run();
}

}  // namespace warptune::tuner::nodes
