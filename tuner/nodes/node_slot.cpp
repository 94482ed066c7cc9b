#include "tuner/nodes/node_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace warptune::tuner::nodes {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstBackOff{1000};
constexpr milliseconds kMaxBackOff{60'000};
constexpr milliseconds kRestStep{50};

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
      thread_([this] { run(); }) {}

NodeSlot::~NodeSlot() { thread_.join(); }

void NodeSlot::tell(NodeEvent::Kind kind, std::string text, const fleet::LeaseKey& lease) {
  owner_.tell({kind, lease.campaign, lease.task, gpu_.ordinal, std::move(text)});
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
  const std::set<fleet::TaskKey> refused = decisions.refused_on(gpu_.ordinal);
  const std::optional<fleet::Lease> lease =
      runnable.empty() ? std::nullopt : store_->lease(owner_.node_id(), runnable, refused);
  if (back_off_.count() > 0) tell(NodeEvent::Kind::kStoreBack, "the store is back");
  back_off_ = milliseconds(0);
  if (lease) {
    run_lease(*lease);
    idle_since_ = steady_clock::now();
    return true;
  }
  const std::chrono::duration<double> idle = steady_clock::now() - idle_since_;
  if (owner_.options().until_done && !has_work(runnable, refused)) return false;
  if (owner_.options().idle_exit_s && idle.count() >= *owner_.options().idle_exit_s) return false;
  rest(owner_.options().poll_interval);
  return true;
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
      if (delivery.reported) tell(NodeEvent::Kind::kDelivered, "rows and the report were delivered", lease);
    } catch (const base::InputError& error) {  // Trying again would not help, and would keep this GPU idle.
      tell(NodeEvent::Kind::kRefused,
           fmt::format("the store refuses the rows of an earlier attempt; they are now in {}: {}",
                       owner_.outbox().set_aside(lease).string(), error.message()),
           lease);
    }
  }
}

void NodeSlot::run_lease(const fleet::Lease& lease) {
  session_.reset();
  if (owner_.stopped().is_cancelled()) session_.cancel();
  const RunnableClass runnable = owner_.decisions().runnable({lease.key.campaign, lease.task.class_index});
  TaskRun task(settings_, owner_.outbox(), keeper_);
  const auto began = [&](std::uint64_t continued) {
    std::string text = fmt::format("{} {}", lease.task_class.kernel, model::to_text(lease.task.sizes));
    if (continued > 0) text += fmt::format("; continues after {}", base::counted(continued, "evaluation"));
    tell(NodeEvent::Kind::kTaskBegan, std::move(text), lease.key);
  };
  const TaskEnd end = task.run(*store_, lease, runnable, gpu_, session_, owner_.stopped(), began);
  note_end(lease, end);
  // The store or the disk failed before the session began: the same would happen at once.
  if (!end.report.outcome && end.report.end == fleet::AttemptEnd::kGivenBack)
    rest(owner_.options().poll_interval);
}

void NodeSlot::note_end(const fleet::Lease& lease, const TaskEnd& end) {
  failures_ = end.gpu_failed ? failures_ + 1 : 0;
  const bool closed = end.report.outcome && end.delivery.closed;
  if (!closed) {
    ++done_.other;
  } else if (end.report.outcome->failed) {
    ++done_.failed;
  } else {
    ++done_.done;
  }
  tell(NodeEvent::Kind::kTaskEnded, end_text(end), lease.key);
  const auto same = [](const model::RoofReading& a, const model::RoofReading& b) {
    return a.name == b.name && a.value == b.value;
  };
  if (end.roofs.empty() ||
      std::equal(end.roofs.begin(), end.roofs.end(), gpu_.roofs.begin(), gpu_.roofs.end(), same))
    return;
  gpu_.roofs = end.roofs;
  owner_.note_roofs(*store_, gpu_);
}

// The store is away. The time until the next try doubles, with a random part, so that many nodes do not come
// back at the same moment.
void NodeSlot::note_away(const base::Error& error) {
  if (back_off_.count() == 0) tell(NodeEvent::Kind::kStoreAway, error.what());
  back_off_ = std::clamp(2 * back_off_, std::min(kFirstBackOff, owner_.options().poll_interval), kMaxBackOff);
  rest(back_off_);
}

// Rests between half and one and a half times `time`, or until the node is stopped.
void NodeSlot::rest(milliseconds time) {
  const auto until =
      steady_clock::now() + std::chrono::duration_cast<milliseconds>(time * (0.5 + random_.unit()));
  while (steady_clock::now() < until && !owner_.stopped().is_cancelled())
    std::this_thread::sleep_for(std::min<steady_clock::duration>(kRestStep, until - steady_clock::now()));
}

}  // namespace warptune::tuner::nodes
