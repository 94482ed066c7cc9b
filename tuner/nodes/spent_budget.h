#pragma once

#include <cstdint>

#include "db/store.h"
#include "tuner/session/budget.h"

namespace warptune::tuner::nodes {

/// What earlier attempts of a task have used of its budget.
struct SpentBudget {
  std::uint64_t evaluations = 0;
  double seconds = 0.0;
  std::uint64_t measured = 0;  ///< Evaluations that measured a time.
};
/// What the sessions of a workload in a database have used. A replayed session has used its recorded time.
SpentBudget spent_budget(const db::Store& store, const model::Workload& workload);
/// What is left of a budget; 0 if nothing is. The text of the budget stays. If everything was spent without
/// measuring any time, the task failed and a person retries it: the whole budget is left.
session::Budget remaining(session::Budget budget, const SpentBudget& spent);

}  // namespace warptune::tuner::nodes
