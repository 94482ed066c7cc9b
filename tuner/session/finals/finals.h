#pragma once

#include <vector>

#include "tuner/knowledge/ranking.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// Whether two configurations that were timed in the same rounds are equally fast. They are if the 95 %
/// interval of the median of their differences, round by round, includes 0. The interval is built from order
/// statistics, which needs no assumption about the distribution. It inverts the sign test (Conover, Practical
/// Nonparametric Statistics, 3rd edition, 3.4; Hollander, Wolfe, Chicken, Nonparametric Statistical Methods,
/// 3.6). Lists of different lengths cannot be paired. They are compared by whether the intervals of their
/// medians overlap. All times are in ns.
bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns);

/// Whether `a` is the simpler choice. The simpler one has fewer parameters that differ from the default, then
/// fewer registers, then less shared memory, then the shorter time.
bool is_simpler(const model::Measurement& a, const model::Measurement& b,
                const model::NamedValues& default_configuration);

/// Times the best few configurations of a ranking and the default again, in interleaved rounds.
///
/// The rounds are repeated until the first of the ranking has been among them, because a low early median may
/// be luck. If the objective is the time, the choice is the simplest of those that tie with the fastest and
/// are at most 1 % slower. It is stored as preferred. The new times go into `ranking` and `store`. With every
/// objective the best is then confirmed on new inputs. If it fails or cannot be confirmed on the GPU, it is
/// rejected, and the next one is tried.
struct FinalsResult {
  /// They tie with the choice; fastest first, without the choice itself.
  std::vector<model::NamedValues> tied;
  std::vector<FinalistImprecise> imprecise;  ///< Each configuration once.
  bool interrupted = false;
};
FinalsResult run_finals(const SessionPlan& plan, evaluation::Evaluator& evaluator,
                        const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, const base::Cancellation& cancellation,
                        knowledge::Ranking& ranking);

/// Rejects the implausible rows among those that may be called the best. Rows of other sessions are checked
/// too, as are rows that were stored before the roofs were known.
void reject_implausible(const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, knowledge::Ranking& ranking);

}  // namespace warptune::tuner::session::finals
