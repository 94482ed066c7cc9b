// What a store knows about a task: its state, and the attempts to run it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/campaign.h"
#include "model/fields.h"

namespace warptune::fleet {

/// A lease ends after this time without a heartbeat, by the store's clock.
constexpr std::int64_t kLeaseMs = 60'000;
/// How often a node sends heartbeats.
constexpr std::int64_t kHeartbeatMs = 15'000;
/// A task is quarantined when it was lost so many times, on at least `kQuarantineNodes` different nodes.
constexpr int kQuarantineLosses = 3;
constexpr int kQuarantineNodes = 2;

enum class TaskState {
  kOpen,         ///< Waits for a node.
  kLeased,       ///< A node runs it.
  kDone,         ///< Its session has ended.
  kFailed,       ///< It cannot succeed on any node: the reason is in its outcome.
  kQuarantined,  ///< It was lost too often. A person may retry it.
  kCancelled     ///< A person has cancelled its campaign.
};
/// The names are `open`, `leased`, `done`, `failed`, `quarantined` and `cancelled`.
std::string_view to_string(TaskState state);
std::optional<TaskState> parse_task_state(std::string_view text);
inline void parse_text(const std::string& text, std::optional<TaskState>& state) {
  state = parse_task_state(text);
}

/// How an attempt to run a task has ended.
enum class AttemptEnd {
  kRunning,
  kDone,    ///< Its report has closed the task.
  kFailed,  ///< It has closed the task as failed.
  kLost,    ///< No heartbeat came in time, or the node could not run the task. Counts towards the quarantine.
  kGivenBack,   ///< The node was stopped by a person.
  kSuperseded,  ///< The report came after the lease had ended: it is stored, but closed nothing.
  kCancelled
};
/// The names are `running`, `done`, `failed`, `lost`, `given back`, `superseded` and `cancelled`.
std::string_view to_string(AttemptEnd end);
std::optional<AttemptEnd> parse_attempt_end(std::string_view text);
inline void parse_text(const std::string& text, std::optional<AttemptEnd>& end) {
  end = parse_attempt_end(text);
}

/// What a node reports about a session that has ended.
struct TaskOutcome {
  bool failed = false;   ///< No node could do better: a wrong size, or a definition that contradicts itself.
  std::string reason{};  ///< Why it failed, in one sentence; empty if it has not.
  std::uint64_t evaluated = 0;  ///< Evaluations of this attempt.
  std::uint64_t continued = 0;  ///< Evaluations of earlier attempts that this one took over.
  std::map<std::string, std::uint64_t>
      failures{};            ///< Failed evaluations of this attempt, by the first line of the reason.
  double gpu_seconds = 0.0;  ///< For how long this attempt held its GPU.
  std::optional<double>
      best_ns{};      ///< The time of the best configuration of the workload; empty: none is correct.
  std::string gpu{};  ///< The name of the GPU.

  bool operator==(const TaskOutcome&) const = default;
};

template <model::MaybeConst<TaskOutcome> Object, class Visit>
void visit_fields(Object& outcome, Visit&& visit) {
  visit("failed", outcome.failed);
  visit("reason", outcome.reason);
  visit("evaluated", outcome.evaluated);
  visit("continued", outcome.continued);
  visit("failures", outcome.failures);
  visit("gpu_seconds", outcome.gpu_seconds);
  visit("best_ns", outcome.best_ns);
  visit("gpu", outcome.gpu);
}

struct Attempt {
  std::uint64_t fence = 0;  ///< Larger for each later attempt of the task.
  std::string node{};       ///< The node's id.
  AttemptEnd end = AttemptEnd::kRunning;
  std::string reason{};         ///< Why it was lost or given back; empty otherwise.
  std::int64_t started_ms = 0;  ///< Unix time by the store's clock.
  std::int64_t ended_ms = 0;    ///< 0 while it is running.
  std::optional<TaskOutcome> outcome{};

  bool operator==(const Attempt&) const = default;
};

template <model::MaybeConst<Attempt> Object, class Visit>
void visit_fields(Object& attempt, Visit&& visit) {
  visit("fence", attempt.fence);
  visit("node", attempt.node);
  visit("end", attempt.end);
  visit("reason", attempt.reason);
  visit("started_ms", attempt.started_ms);
  visit("ended_ms", attempt.ended_ms);
  visit("outcome", attempt.outcome);
}

struct TaskRecord {
  std::uint64_t task = 0;  ///< The index in the campaign.
  TaskState state = TaskState::kOpen;
  std::vector<Attempt> attempts{};  ///< Oldest first.
};

/// Whether a task with these attempts is to be quarantined. Attempts up to `retried_fence` do not count: they
/// came before a person retried the task.
bool is_to_be_quarantined(const std::vector<Attempt>& attempts, std::uint64_t retried_fence);

}  // namespace warptune::fleet
