#pragma once

#include <cstdint>

#include "db/store.h"
#include "tuner/session/budget.h"

namespace warptune::tuner::nodes {

/// What earlier attempts of a task have used of its budget.
struct SpentBudget {
  std::uint64_t evaluations = 0;
  double seconds = 0.0;
};
/// What the sessions of a workload in a database have used. A replayed session has used its recorded time.
SpentBudget spent_budget(const db::Store& store, const model::Workload& workload);
/// What is left of a budget; 0 if nothing is. The text of the budget stays.
session::Budget remaining(session::Budget budget, const SpentBudget& spent);

}  // namespace warptune::tuner::nodes
