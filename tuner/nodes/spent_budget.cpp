#include "tuner/nodes/spent_budget.h"

#include <algorithm>

namespace warptune::tuner::nodes {

SpentBudget spent_budget(const db::Store& store, const model::Workload& workload) {
  SpentBudget spent;
  for (const db::Session& session : store.sessions(workload)) {
    std::int64_t last_ms = session.started_ms;
    double recorded_ms = 0.0;
    for (const db::StoredMeasurement& row : store.session_measurements(session.id)) {
      ++spent.evaluations;
      spent.measured += row.measurement.status == model::Status::kMeasured ? 1 : 0;
      last_ms = std::max(last_ms, row.measurement.time_stamp_ms);
      recorded_ms += row.measurement.measure_ms;
    }
    spent.seconds += 1e-3 * (session.source == model::RowSource::kReplayed
                                 ? recorded_ms
                                 : static_cast<double>(last_ms - session.started_ms));
  }
  return spent;
}

session::Budget remaining(session::Budget budget, const SpentBudget& spent) {
  const bool is_spent = (budget.evaluations && spent.evaluations >= *budget.evaluations) ||
                        (budget.seconds && spent.seconds >= *budget.seconds);
  if (is_spent && spent.measured == 0) return budget;
  if (budget.evaluations) *budget.evaluations -= std::min(*budget.evaluations, spent.evaluations);
  if (budget.seconds) budget.seconds = std::max(0.0, *budget.seconds - spent.seconds);
  return budget;
}

}  // namespace warptune::tuner::nodes
