// Ends a search: it ranks the rows, runs the final rounds, and writes the best into the session's result.
#include "tuner/session/finals/conclusion.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/row_sources.h"
#include "tuner/knowledge/ranking.h"
#include "tuner/session/finals/choice.h"
#include "tuner/session/finals/demanded_outputs.h"
#include "tuner/session/finals/finals.h"

namespace warptune::tuner::session::finals {

namespace {

std::vector<ImplausibleRow> implausible_of(const std::vector<db::StoredMeasurement>& rows) {
  std::vector<ImplausibleRow> implausible;
  for (const db::StoredMeasurement& row : rows) {
    if (row.measurement.status == model::Status::kImplausible)
      implausible.push_back({row.measurement.configuration, row.measurement.reason});
  }
  return implausible;
}

// The rows that this session ranks. A session that measures on a GPU does not rank replayed rows. No session
// ranks imported rows. A session with a purpose ranks only its own.
std::vector<db::StoredMeasurement> rows_of(const SessionPlan& plan, const db::Store& store,
                                           std::int64_t session_id) {
  std::vector<db::StoredMeasurement> rows = plan.objective.is_time_like()
                                                ? store.uncounted_measurements(plan.workload)
                                                : store.measurements(plan.workload);
  model::keep_sources(rows, plan.source());
  if (!plan.purpose.empty())
    std::erase_if(rows, [&](const db::StoredMeasurement& row) { return row.session_id != session_id; });
  return rows;
}

}  // namespace

void conclude(const SessionPlan& plan, evaluation::Evaluator& evaluator, MeasurementRecorder& recorder,
              SessionListener& listener, const base::Cancellation& cancellation, SessionResult& result) {
  db::Store& store = recorder.store();
  recorder.note_roofs(evaluator);
  std::vector<db::StoredMeasurement> rows = rows_of(plan, store, result.session_id);
  result.implausible = implausible_of(rows);
  knowledge::Ranking ranking(std::move(rows), plan.objective, plan.default_configuration);
  const profiling::verification::PlausibilityCheck& plausibility = recorder.plausibility();
  reject_implausible(plausibility, store, listener, ranking);
  result.interrupted = result.interrupted || cancellation.is_cancelled();
  std::optional<DemandedOutputs> demanded;
  if (plan.reproducible) demanded.emplace(plan, store, ranking);
  if (!result.interrupted) {
    FinalsResult rounds = run_finals(plan, evaluator, plausibility, store, listener, cancellation, ranking,
                                     demanded ? &*demanded : nullptr);
    result.tied = std::move(rounds.tied);
    result.imprecise = std::move(rounds.imprecise);
    result.interrupted = rounds.interrupted;
  }
  if (demanded) {
    demanded->reach_first_met();
    demanded->report(result);
  }
  recorder.warn(evaluator.take_warnings());
  recorder.finish(result.interrupted);
  if (const knowledge::RatedRow* best = ranking.best()) {
    result.best = with_counters(best->stored, store);
    result.best_value = best->value;
    result.work_doubt = plausibility.doubt(*result.best);
  }
  if (!result.work_doubt) result.work_doubt = recorder.work_doubt();
  if (ranking.removed() > 0) result.implausible = implausible_of(rows_of(plan, store, result.session_id));
  if (const db::StoredMeasurement* row = ranking.default_row())
    result.default_measurement = with_counters(*row, store);
}

}  // namespace warptune::tuner::session::finals
