// How a search ends: the workload's rows are ranked, the best are timed again, and the winner is
// confirmed.
#pragma once

#include "base/cancellation.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// Ranks the workload's rows without the implausible ones, runs the final rounds unless the search was
/// cancelled, and ends the recorder's session. Writes into `result` the best, the default's measurement and
/// the doubts about them.
void conclude(const SessionPlan& plan, evaluation::Evaluator& evaluator, MeasurementRecorder& recorder,
              SessionListener& listener, const base::Cancellation& cancellation, SessionResult& result);

}  // namespace warptune::tuner::session::finals
