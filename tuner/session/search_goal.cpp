// Decides whether the goal of a session is reached. There are two kinds of goals. A share of the roof is
// reached when the minimum time by the roofs is at least this share of the best time. An expected gain is
// reached when the strategy's model expects that further evaluations reduce the best value by no more than
// this share of it.
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
// The model may be wrong. So an expected gain ends the session only after this many evaluations without a new
// best, and only if this many evaluations had a value.
constexpr std::uint64_t kMinEvaluationsSinceBest = 20;
constexpr std::uint64_t kMinRated = 20;

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

void SearchGoal::set_roofs(const model::Roofs& roofs) {
  roof_ns_ = model::roof_time_ns(plan_.work, roofs);
  if (plan_.goal.roof_share && !roof_ns_) {
    throw base::InputError(
        fmt::format("--until {}: the roof of {} on {} is not known; give --until a gain (0.3%) instead",
                    plan_.goal.text, plan_.workload.kernel, plan_.workload.gpu.name));
  }
}

bool SearchGoal::is_reached(const SessionProgress& progress, std::uint64_t evaluated_at_best,
                            const SessionSearch& search, const evaluation::Evaluator& evaluator) const {
  if (plan_.goal.roof_share)
    return progress.best_value && roof_ns_ >= *plan_.goal.roof_share * progress.best_time.median_ns;
  if (!plan_.goal.gain_share || search.rated() < kMinRated) return false;
  if (progress.evaluated - evaluated_at_best < kMinEvaluationsSinceBest) return false;
  const std::optional<ExpectedGain> gain = expected_gain(plan_, search, evaluator, progress.evaluated);
  return gain && gain->share <= *plan_.goal.gain_share;
}

}  // namespace warptune::tuner::session
