#pragma once

#include <vector>

#include "tuner/knowledge/ranking.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// Whether two configurations timed in the same rounds are as fast: the 95 % interval of the median of their
/// differences round by round includes 0. The interval is that of order statistics, which asks nothing of the
/// distribution (it inverts the sign test: Conover, Practical Nonparametric Statistics, 3rd edition, 3.4;
/// Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3.6). Lists of different lengths are no
/// pairs: then whether the intervals of the two medians overlap.
bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns);

/// Whether `a` is the simpler choice: fewer parameters different from the default's, then fewer registers,
/// then less shared memory, then faster.
bool is_simpler(const model::Measurement& a, const model::Measurement& b,
                const model::NamedValues& default_configuration);

/// Times the best few of a ranking and the default again in interleaved rounds, until the first of the
/// ranking has been among them: a low early median may be luck. By the time, what ties with the fastest is
/// told apart by simplicity, among those at most 1 % slower; the choice is stored as preferred. Times go into
/// `ranking` and store. Whatever the objective, the best is then confirmed on new inputs; what does not stand
/// is rejected, and the next is tried.
struct FinalsResult {
  std::vector<model::NamedValues> tied;      ///< With the choice, fastest first, without itself.
  std::vector<FinalistImprecise> imprecise;  ///< Each once.
  bool interrupted = false;
};
FinalsResult run_finals(const SessionPlan& plan, evaluation::Evaluator& evaluator,
                        const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, const base::Cancellation& cancellation,
                        knowledge::Ranking& ranking);

/// Rejects what is implausible among those that may be called best: rows of other sessions, and those that
/// were stored before the roofs were known.
void reject_implausible(const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, knowledge::Ranking& ranking);

}  // namespace warptune::tuner::session::finals
