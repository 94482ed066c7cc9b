// The best configurations that a campaign has found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/store.h"
#include "fleet/campaign.h"
#include "fleet/task_record.h"

namespace warptune::fleet {

/// The result of a task.
struct TaskResult {
  std::uint64_t task = 0;
  TaskState state = TaskState::kOpen;
  /// The winner of the task's workload among the rows of all nodes. Empty if there is no correct row of it.
  std::optional<db::Winner> winner{};
  /// The class's objective for the default, divided by that for the winner, minus 1. Empty unless both have a
  /// value.
  std::optional<double> default_loss{};
};

/// The winners of each class of a campaign by its objective, in the order of the classes.
std::vector<std::vector<db::Winner>> campaign_winners(const db::Store& snapshot, const Campaign& campaign);

/// The results of all tasks, in their order. `winners` is from `campaign_winners`. A task names a part of its
/// problem's sizes; the others are those of the definition. So a winner belongs to that one of its
/// tasks that names the largest number of sizes. If a task has ended, only winners on the model of GPU on
/// which it ended count.
std::vector<TaskResult> campaign_results(const Campaign& campaign, const std::vector<TaskRecord>& tasks,
                                         const std::vector<std::vector<db::Winner>>& winners);

}  // namespace warptune::fleet
