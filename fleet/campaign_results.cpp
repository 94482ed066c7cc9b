#include "fleet/campaign_results.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/objective.h"

namespace warptune::fleet {

namespace {

// Whether the problem has all sizes that the task names.
bool has_sizes(const model::NamedValues& problem, const model::NamedValues& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& size) {
    const model::Value* const value = model::find(problem, size.first);
    return value != nullptr && *value == size.second;
  });
}

// Whether a winner of the class belongs to another task of the same workloads that names more of its sizes.
bool is_of_another(const Campaign& campaign, const Task& task, const db::Winner& winner) {
  const TaskClass& own = campaign.classes.at(task.class_index);
  return std::any_of(campaign.tasks.begin(), campaign.tasks.end(), [&](const Task& other) {
    const TaskClass& its = campaign.classes.at(other.class_index);
    return other.sizes.size() > task.sizes.size() && its.kernel_hash == own.kernel_hash &&
           its.options.cache == own.options.cache && has_sizes(winner.workload.problem, other.sizes);
  });
}

// The model of the GPU on which the task ended; empty if it has not ended.
std::string gpu_of(const TaskRecord& task) {
  for (auto attempt = task.attempts.rbegin(); attempt != task.attempts.rend(); ++attempt)
    if (attempt->end == AttemptEnd::kDone && attempt->outcome) return attempt->outcome->gpu;
  return "";
}

bool fits(const Campaign& campaign, const TaskRecord& record, const db::Winner& winner) {
  const Task& task = campaign.tasks.at(record.task);
  const TaskClass& its = campaign.classes.at(task.class_index);
  const std::string gpu = gpu_of(record);
  return model::to_string(winner.workload.cache) == its.options.cache &&
         (gpu.empty() || winner.workload.gpu.name == gpu) && its.gpu.fits(winner.workload.gpu) &&
         has_sizes(winner.workload.problem, task.sizes) && !is_of_another(campaign, task, winner);
}

}  // namespace

std::vector<std::vector<db::Winner>> campaign_winners(const db::Store& snapshot, const Campaign& campaign) {
  std::vector<std::vector<db::Winner>> winners;
  for (const TaskClass& one : campaign.classes) {
    const model::Objective objective = model::Objective::parse(one.options.objective);
    winners.push_back(objective.is_time() ? snapshot.winners(one.kernel, one.kernel_hash)
                                          : snapshot.winners(one.kernel, one.kernel_hash, objective));
  }
  return winners;
}

std::vector<TaskResult> campaign_results(const Campaign& campaign, const std::vector<TaskRecord>& tasks,
                                         const std::vector<std::vector<db::Winner>>& winners) {
  std::vector<TaskResult> results;
  for (const TaskRecord& record : tasks) {
    TaskResult result{record.task, record.state};
    const std::uint64_t class_index = campaign.tasks.at(record.task).class_index;
    const model::Objective objective =
        model::Objective::parse(campaign.classes.at(class_index).options.objective);
    std::optional<double> best;
    for (const db::Winner& winner : winners.at(class_index)) {
      const std::optional<double> value = objective.value(winner.best);
      if (!value || (best && *best <= *value) || !fits(campaign, record, winner)) continue;
      best = value;
      result.winner = winner;
    }
    if (result.winner && result.winner->default_measurement && *best > 0.0)
      if (const std::optional<double> of_default = objective.value(*result.winner->default_measurement))
        result.default_loss = *of_default / *best - 1.0;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace warptune::fleet
