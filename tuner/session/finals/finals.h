#pragma once

#include <cstddef>
#include <vector>

#include "tuner/knowledge/ranking.h"
#include "tuner/session/finals/demanded_outputs.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// The final rounds time at most so many configurations, and only those whose value is at most this many
/// times the best one. The default is timed in addition, and so are those that must be compared
/// (`SearchRequest::compared_named`).
constexpr std::size_t kMaxFinalists = 8;
constexpr double kFinalistRatio = 1.05;

struct FinalsResult {
  /// The configurations that tie with the chosen one, fastest first, without it.
  std::vector<model::NamedValues> tied;
  std::vector<FinalistImprecise> imprecise;  ///< Each configuration once.
  bool interrupted = false;
};

/// Times the best few configurations of a ranking and the default again, in interleaved rounds. If the
/// objective needs energy, measures the energy of the best few again instead (energy_rounds.h).
///
/// The rounds are repeated until they have timed the first of the ranking, because a low early median may be
/// luck. If the objective is the time, the choice is the simplest of those that tie with the fastest and are
/// at most 1 % slower. It is stored as preferred. The new times go into `ranking` and `store`. With every
/// objective the best is then confirmed on new inputs. If it fails or cannot be confirmed on the GPU, it is
/// rejected, and the next one is tried. With `demanded`, rows that it does not keep are passed over until the
/// first of the ranking meets the demand. Without, it is null.
FinalsResult run_finals(const SessionPlan& plan, evaluation::Evaluator& evaluator,
                        const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, const base::Cancellation& cancellation,
                        knowledge::Ranking& ranking, DemandedOutputs* demanded = nullptr);

/// Rejects the implausible rows among those that may be called the best. Rows of other sessions are checked
/// too, as are rows that were stored before the roofs were known.
void reject_implausible(const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, knowledge::Ranking& ranking);

}  // namespace warptune::tuner::session::finals
