#include "tuner/nodes/node_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/nodes/attempt_reports.h"

namespace warptune::tuner::nodes {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string end_text(const TaskEnd& end) {
  const AttemptReport& report = end.report;
  std::string text;
  if (!report.outcome) {
    text = fmt::format("{}: {}", fleet::to_string(report.end), report.reason);
  } else if (report.outcome->failed) {
    text = fmt::format("failed: {}", report.outcome->reason);
  } else {
    text = fmt::format("done, {}", base::counted(report.outcome->evaluated, "evaluation"));
    if (report.outcome->best_ns)
      text += fmt::format(", best {}", base::format_time_ns(*report.outcome->best_ns));
  }
  if (!end.delivery.reported) return text + "; the store is away, so this is reported later";
  if (report.outcome && !end.delivery.closed)
    return text + "; its lease had ended before, so it closes nothing";
  return text;
}

}  // namespace

NodeSlot::NodeSlot(SlotOwner& owner, const TaskSettings& settings, LeaseKeeper& keeper, OfferedGpu gpu)
    : owner_(owner),
      settings_(settings),
      keeper_(keeper),
      gpu_(std::move(gpu)),
      random_(base::unforeseen_seed()),
      back_off_(owner.options().poll_interval),
      roofs_(settings.recorded != nullptr ? Roofs::kEntered : Roofs::kUnknown),
      thread_([this] { run(); }) {}

NodeSlot::~NodeSlot() { thread_.join(); }

void NodeSlot::tell(NodeEvent::Kind kind, std::string text, const fleet::LeaseKey& lease,
                    const Delivery& delivery, std::optional<AttemptReport> report) {
  NodeEvent event;
  event.kind = kind;
  event.campaign = lease.campaign;
  if (lease.fence > 0) event.task = lease.task;
  event.gpu = gpu_.ordinal;
  event.text = std::move(text);
  event.batches = delivery.batches;
  event.bytes = delivery.bytes;
  event.report = std::move(report);
  event.reported = delivery.reported;
  event.closed = delivery.closed;
  owner_.tell(event);
}

void NodeSlot::add_to(NodeEnd& end) const {
  end.done += done_.done;
  end.failed += done_.failed;
  end.other += done_.other;
  end.gpus_failed = end.gpus_failed || done_.gpus_failed;
}

void NodeSlot::run() {
  try {
    while (!owner_.stopped().is_cancelled()) {
      try {
        if (!take_turn()) break;
      } catch (const base::Error& error) {
        note_away(error);
        if (has_idled_enough()) break;
      }
      if (failures_ < kMaxGpuFailures) continue;
      done_.gpus_failed = true;
      tell(NodeEvent::Kind::kSlotEnded,
           fmt::format("GPU {} is not used any more: it failed {} times in a row", gpu_.ordinal, failures_));
      break;
    }
  } catch (const std::exception& error) {  // A defect of warptune ends the slot and not the process.
    done_.gpus_failed = true;
    tell(NodeEvent::Kind::kSlotEnded,
         fmt::format("GPU {} is not used any more: {}", gpu_.ordinal, error.what()));
  }
  ended_ = true;
}

// Leases and runs a task, or rests if there is none. Returns false if the slot ends.
bool NodeSlot::take_turn() {
  if (!store_) store_ = owner_.options().store();
  enter_roofs();
  deliver_left();
  ClassDecisions& decisions = owner_.decisions();
  const std::vector<fleet::OpenClass> classes = store_->open_classes();
  if (const std::optional<std::vector<fleet::Refusal>> refusals = decisions.decide(*store_, classes)) {
    store_->set_refusals(owner_.node_id(), *refusals);
    for (const fleet::Refusal& refusal : *refusals)
      tell(NodeEvent::Kind::kRefused,
           fmt::format(
               "{} of class {}: {}",
               refusal.tasks.empty() ? "no task" : base::counted(refusal.tasks.size(), "task") + " left out",
               refusal.class_index, refusal.reason),
           {refusal.campaign, 0, 0});
  }
  const std::vector<fleet::ClassKey> runnable = decisions.runnable_on(gpu_.gpu, classes);
  const bool is_ready = !runnable.empty() && has_room();
  const std::set<fleet::TaskKey> refused = decisions.refused_on(gpu_.ordinal);
  const std::optional<fleet::Lease> lease =
      is_ready ? store_->lease(owner_.node_id(), runnable, refused) : std::nullopt;
  if (back_off_.is_waiting()) tell(NodeEvent::Kind::kStoreBack, "the store is back");
  back_off_.note_success();
  if (lease) {
    run_lease(*lease);
    idle_since_ = steady_clock::now();
    return true;
  }
  if (owner_.options().until_done && !has_work(runnable, refused)) return false;
  if (has_idled_enough()) return false;
  rest(owner_.options().poll_interval);
  return true;
}

bool NodeSlot::has_idled_enough() const {
  const std::chrono::duration<double> idle = steady_clock::now() - idle_since_;
  return owner_.options().idle_exit_s && idle.count() >= *owner_.options().idle_exit_s;
}

// Whether a task of these classes that this GPU can run is open, or runs elsewhere and may become open again.
bool NodeSlot::has_work(const std::vector<fleet::ClassKey>& runnable,
                        const std::set<fleet::TaskKey>& refused) {
  if (refused.empty()) return !runnable.empty();
  return std::any_of(runnable.begin(), runnable.end(), [&](const fleet::ClassKey& key) {
    const fleet::Campaign campaign = store_->campaign(key.campaign);
    const std::vector<fleet::TaskRecord> records = store_->tasks(key.campaign);
    return std::any_of(records.begin(), records.end(), [&](const fleet::TaskRecord& record) {
      const bool is_left =
          record.state == fleet::TaskState::kOpen || record.state == fleet::TaskState::kLeased;
      return is_left && campaign.tasks.at(record.task).class_index == key.index &&
             !refused.contains({key.campaign, record.task});
    });
  });
}

// Delivers what earlier processes have left, and what could not be delivered while the store was away.
void NodeSlot::deliver_left() {
  const std::unique_lock guard(owner_.delivering(), std::try_to_lock);
  if (!guard.owns_lock()) return;
  for (const fleet::LeaseKey& lease : owner_.outbox().leases()) {
    if (keeper_.keeps(lease)) continue;
    try {
      const Delivery delivery = owner_.outbox().deliver(*store_, owner_.node_id(), lease);
      if (!delivery.reported) continue;
      count(delivery);
      tell(NodeEvent::Kind::kDelivered,
           delivery.batches > 0 ? "rows and the report were delivered" : "the report was delivered", lease,
           delivery);
    } catch (const base::InputError& error) {  // Trying again would not help, and would keep this GPU idle.
      tell(NodeEvent::Kind::kRefused,
           fmt::format("the store refuses the rows of an earlier attempt; they are now in {}: {}",
                       owner_.outbox().set_aside(lease).string(), error.message()),
           lease);
    }
  }
}

// Whether the outbox and the disk of the state folder have room for the rows of another session.
bool NodeSlot::has_room() {
  const std::string state = owner_.options().state.string();
  std::string obstacle;
  if (owner_.outbox().is_full()) {
    obstacle = fmt::format("no task is taken until the store has got the {} MiB of rows that wait in {}",
                           owner_.outbox().bytes() >> 20, state);
  } else if (std::error_code error;
             std::filesystem::space(state, error).available < owner_.options().min_free_bytes && !error) {
    obstacle = fmt::format("no task is taken until the disk of {} has {} MiB of free space", state,
                           owner_.options().min_free_bytes >> 20);
  }
  if (!obstacle.empty() && !had_no_room_) tell(NodeEvent::Kind::kOutboxFull, obstacle);
  had_no_room_ = !obstacle.empty();
  return obstacle.empty();
}

// Roofs say whether this GPU is like others of its model. Cooling and clocks change, so each process measures
// them once. Its first session does so, as `tune` does. If it could not, they are measured here, by a worker
// of their own. If that fails, too, the store forgets the roofs of an earlier process. Throws if the store is
// away.
void NodeSlot::learn_roofs(std::vector<model::RoofReading> measured) {
  if (roofs_ == Roofs::kUnknown) {
    try {
      gpu_.roofs = measured.empty() ? measure_roofs_of(gpu_, settings_.compile_cache) : std::move(measured);
    } catch (const base::MachineError& error) {
      base::log_warning(fmt::format("GPU {}: {}", gpu_.ordinal, error.message()));
      gpu_.roofs.clear();
    }
    roofs_ = Roofs::kMeasured;
  }
  enter_roofs();
}

// Tells the store roofs that it does not know yet. Throws if it is away.
void NodeSlot::enter_roofs() {
  if (roofs_ != Roofs::kMeasured) return;
  owner_.note_roofs(*store_, gpu_);
  roofs_ = Roofs::kEntered;
  tell(NodeEvent::Kind::kRoofsMeasured, gpu_.roofs.empty() ? "the roofs of this GPU cannot be measured"
                                                           : "the roofs of this GPU are measured");
}

AttemptEvents NodeSlot::events_of(const fleet::Lease& lease) {
  AttemptEvents events;
  events.began = [this, &lease](std::uint64_t continued) {
    std::string text = lease.task_class.kernel;
    if (!lease.task.sizes.empty()) text += " " + model::to_text(lease.task.sizes);
    if (continued > 0) text += fmt::format("; continues after {}", base::counted(continued, "evaluation"));
    tell(NodeEvent::Kind::kTaskBegan, std::move(text), lease.key);
  };
  events.published = [this, &lease](const Delivery& delivery) {
    tell(NodeEvent::Kind::kPublished, base::counted(delivery.batches, "batch", "batches") + " published",
         lease.key, delivery);
  };
  if (roofs_ == Roofs::kUnknown) {
    events.roofs = [this](std::vector<model::RoofReading> measured) { learn_roofs(std::move(measured)); };
  }
  return events;
}

void NodeSlot::run_lease(const fleet::Lease& lease) {
  session_.reset();
  if (owner_.stopped().is_cancelled()) session_.cancel();
  const std::optional<RunnableClass> runnable =
      owner_.decisions().runnable({lease.key.campaign, lease.task.class_index});
  if (!runnable) {  // Another slot has found out.
    owner_.outbox().add_report(lease.key, given_back(fleet::AttemptEnd::kGivenBack,
                                                     "the node does not run tasks of this class any more"));
    owner_.outbox().deliver(*store_, owner_.node_id(), lease.key);
    return;
  }
  TaskRun task(settings_, owner_.outbox(), keeper_);
  const TaskEnd end = task.run(*store_, lease, *runnable, gpu_, session_, events_of(lease));
  note_end(lease, end);
  // The store or the disk failed before the session began: the same would happen at once.
  if (!end.report.outcome && end.report.end == fleet::AttemptEnd::kGivenBack)
    rest(owner_.options().poll_interval);
}

void NodeSlot::note_end(const fleet::Lease& lease, const TaskEnd& end) {
  failures_ = end.gpu_failed ? failures_ + 1 : 0;
  if (end.delivery.reported) count(end.delivery);
  tell(NodeEvent::Kind::kTaskEnded, end_text(end), lease.key, end.delivery, end.report);
}

// Counts an attempt whose report the store has got.
void NodeSlot::count(const Delivery& delivery) {
  if (!delivery.closed) {
    ++done_.other;
  } else if (delivery.failed) {
    ++done_.failed;
  } else {
    ++done_.done;
  }
}

void NodeSlot::note_away(const base::Error& error) {
  if (!back_off_.is_waiting()) tell(NodeEvent::Kind::kStoreAway, error.what());
  rest(back_off_.next());
}

void NodeSlot::rest(milliseconds time) { nodes::rest(time, random_, owner_.stopped()); }

}  // namespace warptune::tuner::nodes
