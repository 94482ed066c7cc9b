// One attempt of a task: from the lease to its report.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "fleet/fleet_store.h"
#include "model/roof_reading.h"
#include "tuner/nodes/class_decisions.h"
#include "tuner/nodes/lease_keeper.h"
#include "tuner/nodes/offered_gpus.h"
#include "tuner/nodes/outbox.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::nodes {

/// What the attempts of a slot have in common.
struct TaskSettings {
  std::string node_id;
  std::filesystem::path attempts;  ///< The folder with the database of each running attempt.
  std::filesystem::path compile_cache;
  std::size_t compile_workers = 0;
  std::chrono::milliseconds publish_interval{5000};
  const RecordedOffer* recorded = nullptr;  ///< Not null: recordings are replayed.
  double pace = 1.0;                        ///< `NodeOptions::pace`.
};

/// How an attempt ended, for the node.
struct TaskEnd {
  AttemptReport report;
  Delivery delivery;            ///< `reported` is false if the store is away: the outbox has the report.
  std::uint64_t continued = 0;  ///< Evaluations of earlier attempts.
  bool gpu_failed = false;      ///< The machine could not run the session.
};

/// What happens while an attempt runs. Any thread may call the functions.
struct AttemptEvents {
  /// The session begins, after so many evaluations of earlier attempts.
  std::function<void(std::uint64_t continued)> began;
  /// The store got batches while the session runs.
  std::function<void(const Delivery&)> published;
  /// The session has measured these roofs of the GPU, or has ended without measuring any. Called once, before
  /// the first batch goes to the store. May throw `base::Error`; then it is called again. No function: the
  /// roofs are known, and the session does not measure them.
  std::function<void(std::vector<model::RoofReading>)> roofs;
};

/// Runs a lease: merges what earlier attempts published, except rows of suspect nodes (`fleet/suspicion.h`),
/// runs the session, publishes its rows at intervals and at the end, and reports. If the store goes away, the
/// session goes on, and what it cannot publish stays in the outbox.
class TaskRun {
 public:
  TaskRun(const TaskSettings& settings, Outbox& outbox, LeaseKeeper& keeper)
      : settings_(settings), outbox_(outbox), keeper_(keeper) {}

  /// `session` cancels the session. No other thread uses `store` meanwhile.
  TaskEnd run(fleet::FleetStore& store, const fleet::Lease& lease, const RunnableClass& runnable,
              const OfferedGpu& gpu, base::Cancellation& session, const AttemptEvents& events);

 private:
  const TaskSettings& settings_;
  Outbox& outbox_;
  LeaseKeeper& keeper_;
};

/// Rows that a process left in the databases of its attempts when it was killed go into the outbox, and the
/// databases are removed. To be called before any attempt begins.
void recover_attempts(const std::filesystem::path& attempts, Outbox& outbox);

}  // namespace warptune::tuner::nodes
