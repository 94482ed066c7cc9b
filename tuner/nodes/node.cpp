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
#include "base/random.h"
#include "base/version.h"
#include "tuner/nodes/class_decisions.h"
#include "tuner/nodes/node_slot.h"
#include "tuner/nodes/offered_gpus.h"
#include "tuner/nodes/outbox.h"
#include "tuner/nodes/pauses.h"
#include "tuner/nodes/state_folder.h"
#include "tuner/nodes/task_run.h"

namespace warptune::tuner::nodes {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kStopPoll{50};  // How soon a stop reaches the sessions.

NodeEvent event_of(NodeEvent::Kind kind, std::string text) {
  NodeEvent event;
  event.kind = kind;
  event.text = std::move(text);
  return event;
}

std::string machine_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// What all slots use, and what they have done.
class RunningNode : public SlotOwner {
 public:
  RunningNode(const NodeOptions& options, const NodeListener& listener, const base::Cancellation& stop)
      : options_(options),
        listener_(listener),
        stop_(stop),
        state_(options.state),
        outbox_(state_.outbox(), options.full_outbox_bytes) {
    find_store();
    if (options.replay) recorded_.emplace(*options.replay);
    offered_ = recorded_ ? recorded_->gpus(options.devices) : local_offer(options.devices, state_.roofs());
    decisions_ = std::make_unique<ClassDecisions>(DecisionRules{offered_, recorded_ ? &*recorded_ : nullptr,
                                                                state_.bundles(), options.allowed_signers});
  }

  NodeEnd run() {
    recover_attempts(state_.attempts(), outbox_);
    if (enter()) run_slots();
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

  // The roofs of a GPU were measured.
  void note_roofs(fleet::FleetStore& store, const OfferedGpu& gpu) override {
    const std::lock_guard guard(entering_);
    for (OfferedGpu& one : offered_)
      if (one.ordinal == gpu.ordinal) one.roofs = gpu.roofs;
    keep_roofs(state_.roofs(), offered_);
    store.enter_node(described());
    store.set_refusals(state_.id(), decisions_->refusals());
  }

 private:
  void run_slots() {
    {
      LeaseKeeper keeper(options_.store, state_.id(), options_.heartbeat_interval);
      run_slots(keeper);
    }
    leave();  // After the last heartbeat.
  }

  void run_slots(LeaseKeeper& keeper) {
    const TaskSettings settings = settings_of_slots();
    std::vector<std::unique_ptr<NodeSlot>> slots;
    for (const OfferedGpu& gpu : offered_)
      slots.push_back(std::make_unique<NodeSlot>(*this, settings, keeper, gpu));
    while (std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return !slot->has_ended(); })) {
      std::this_thread::sleep_for(kStopPoll);
      if (!stop_.is_cancelled()) continue;
      for (const auto& slot : slots) slot->stop();
    }
    for (const auto& slot : slots) slot->add_to(end_);
  }

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
    for (const OfferedGpu& one : offered_) node.gpus.push_back({one.gpu, one.roofs, one.ordinal});
    return node;
  }

  // What waiting does not mend is said at once, before GPUs are looked for.
  void find_store() const {
    try {
      options_.store();
    } catch (const base::MachineError& error) {
      base::log_info(fmt::format("the store is away: {}", error.message()));  // `enter` waits for it.
    }
  }

  // Enters the node into the store. Waits for a store that is away. Returns false if the node was stopped
  // before.
  bool enter() {
    const fleet::Node node = described();
    BackOff back_off(options_.poll_interval);
    base::Random random(base::unforeseen_seed());
    const auto start = steady_clock::now();
    while (!stop_.is_cancelled()) {
      try {
        options_.store()->enter_node(node);
        if (back_off.is_waiting()) tell(event_of(NodeEvent::Kind::kStoreBack, "the store is back"));
        std::vector<std::string> names;
        for (const OfferedGpu& one : offered_) names.push_back(one.gpu.name);
        tell(event_of(NodeEvent::Kind::kEntered, fmt::format("{}: {}", node.name, fmt::join(names, ", "))));
        return true;
      } catch (const base::MachineError& error) {
        const std::chrono::duration<double> idle = steady_clock::now() - start;
        if (options_.idle_exit_s && idle.count() >= *options_.idle_exit_s) throw;
        if (!back_off.is_waiting())
          tell(event_of(NodeEvent::Kind::kStoreAway, fmt::format("waiting for the store: {}", error.what())));
      }
      rest(back_off.next(), random, stop_);
    }
    return false;
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

std::string_view to_string(NodeEvent::Kind kind) {
  using Kind = NodeEvent::Kind;
  switch (kind) {
    case Kind::kEntered:
      return "entered";
    case Kind::kRefused:
      return "refused";
    case Kind::kRoofsMeasured:
      return "roofs_measured";
    case Kind::kTaskBegan:
      return "task_began";
    case Kind::kPublished:
      return "published";
    case Kind::kTaskEnded:
      return "task_ended";
    case Kind::kStoreAway:
      return "store_away";
    case Kind::kStoreBack:
      return "store_back";
    case Kind::kOutboxFull:
      return "outbox_full";
    case Kind::kSlotEnded:
      return "gpu_ended";
    case Kind::kDelivered:
      return "delivered";
  }
  return "";
}

NodeEnd run_node(const NodeOptions& options, const NodeListener& listener, const base::Cancellation& stop) {
  return RunningNode(options, listener, stop).run();
}

}  // namespace warptune::tuner::nodes
