// Decides whether the goal of a session is reached. There are two kinds of goals. A share of the roof is
// reached when the minimum time by the roofs is at least this share of the best time. A share of the best
// value is reached when further evaluations probably gain no more than it. For this, the strategy's model
// must expect a much smaller gain, and many evaluations must have found no new best. How much smaller and how
// many was calibrated over recordings: at most one session in twenty ends further from the best than its goal
// (docs/notes/search-experiments.md).
#include "tuner/session/search_goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace warptune::tuner::session {

namespace {

// The expected gain is that of as many evaluations as fit into this time, or of a fixed number of them if the
// budget counts evaluations.
constexpr double kSecondsAhead = 60.0;
constexpr std::uint64_t kEvaluationsAhead = 50;
// The model may be wrong. So the expected gain must be smaller than the goal by the factor kDoubt. Also, the
// last kMinEvaluationsSinceBest evaluations must have found no new best, and at least kMinRated evaluations
// must have had a value.
constexpr double kDoubt = 30.0;
constexpr std::uint64_t kMinEvaluationsSinceBest = 80;
constexpr std::uint64_t kMinRated = 20;
// A goal below this share needs more evaluations without a new best, and is still missed more often.
constexpr double kFineShare = 0.01;
constexpr std::uint64_t kMinEvaluationsOfFine = 120;

}  // namespace

std::optional<ExpectedGain> expected_gain(const SessionPlan& plan, const SessionSearch& search,
                                          const evaluation::Evaluator& evaluator, std::uint64_t evaluated) {
  ExpectedGain gain;
  if (plan.budget.evaluations) {
    gain.evaluations = kEvaluationsAhead;
  } else {
    const double elapsed_s = evaluator.elapsed_s();
    if (evaluated == 0 || !(elapsed_s > 0.0)) return std::nullopt;
    gain.seconds = kSecondsAhead;
    gain.evaluations =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(evaluated) * kSecondsAhead / elapsed_s));
  }
  const std::optional<double> share = search.expected_gain(gain.evaluations);
  if (!share) return std::nullopt;
  gain.share = std::min(*share, 1.0);  // A share of the best value.
  return gain;
}

bool is_probably_within(
    double share, const SearchState& state,
    const std::function<std::optional<double>(std::uint64_t evaluations)>& expected_gain) {
  const std::uint64_t needed = share < kFineShare ? kMinEvaluationsOfFine : kMinEvaluationsSinceBest;
  if (state.rated < kMinRated || state.since_best < needed) return false;
  const std::optional<double> gain = expected_gain(kEvaluationsAhead);
  return gain && kDoubt * *gain <= share;
}

void SearchGoal::set_roofs(const model::Roofs& roofs) {
  roof_ns_ = model::roof_time_ns(plan_.work, roofs);
  if (plan_.goal.roof_share && !roof_ns_) {
    throw base::InputError(
        fmt::format("--until {}: the roof of {} on {} is not known; give --until a gain (0.3%) instead",
                    plan_.goal.text, plan_.workload.kernel, plan_.workload.gpu.name));
  }
}

bool SearchGoal::is_reached(const SessionProgress& progress, std::uint64_t evaluated_at_best,
                            const SessionSearch& search) const {
  if (plan_.goal.roof_share)
    return progress.best_time && roof_ns_ >= *plan_.goal.roof_share * progress.best_time->median_ns;
  if (!plan_.goal.gain_share) return false;
  return is_probably_within(*plan_.goal.gain_share, {search.rated(), progress.evaluated - evaluated_at_best},
                            [&](std::uint64_t evaluations) { return search.expected_gain(evaluations); });
}

}  // namespace warptune::tuner::session
