// What more evaluations may gain, and whether a session's goal says that enough is known.
#pragma once

#include <cstdint>
#include <optional>

#include "tuner/evaluation/evaluator.h"
#include "tuner/session/session_search.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// What the strategy's model expects of as many evaluations as another minute has at the session's rate, or
/// of 50 where the budget counts them. Nothing without a model.
std::optional<ExpectedGain> expected_gain(const SessionPlan& plan, const SessionSearch& search,
                                          const evaluation::Evaluator& evaluator, std::uint64_t evaluated);

/// The goal of a plan (`--until`): a share of the roof, or a gain that is not worth going on for.
class SearchGoal {
 public:
  explicit SearchGoal(const SessionPlan& plan) : plan_(plan) {}

  /// Throws `base::InputError` where the goal is a share of a roof that is not known.
  void set_roofs(const model::Roofs& roofs);
  /// `evaluated_at_best`: how many were evaluated when the best was.
  bool is_reached(const SessionProgress& progress, std::uint64_t evaluated_at_best,
                  const SessionSearch& search, const evaluation::Evaluator& evaluator) const;

 private:
  const SessionPlan& plan_;
  std::optional<double> roof_ns_;  // The least time of the work, where a roof is known.
};

}  // namespace warptune::tuner::session
