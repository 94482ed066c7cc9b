// How a search ends: what is stored of its workload is ranked, the best is timed and confirmed, and told.
#pragma once

#include "base/cancellation.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// Ranks the workload's rows without those that are implausible, runs the final rounds unless the search was
/// cancelled, and ends the recorder's session. Fills in what `result` says of the best, of the default and of
/// what is in doubt.
void conclude(const SessionPlan& plan, evaluation::Evaluator& evaluator, MeasurementRecorder& recorder,
              SessionListener& listener, const base::Cancellation& cancellation, SessionResult& result);

}  // namespace warptune::tuner::session::finals
