// What further evaluations may gain, and whether a session's goal is reached.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tuner/evaluation/evaluator.h"
#include "tuner/session/session_search.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// The gain that the strategy's model expects of further evaluations. If the budget counts evaluations, this
/// is the gain of the next 50. Otherwise it is the gain of as many as the session evaluates in a minute.
/// Returns std::nullopt if the strategy has no model, or if the rate of evaluations is unknown.
std::optional<ExpectedGain> expected_gain(const SessionPlan& plan, const SessionSearch& search,
                                          const evaluation::Evaluator& evaluator, std::uint64_t evaluated);

/// How far a search has come.
struct SearchState {
  std::uint64_t rated = 0;       ///< The number of evaluations with a value.
  std::uint64_t since_best = 0;  ///< The number of evaluations after that of the best.
};
/// Whether the best of a search is probably at most `share` of it slower than the fastest configuration.
/// `expected_gain`: that of the search's strategy (`search::Strategy::expected_gain`).
bool is_probably_within(double share, const SearchState& state,
                        const std::function<std::optional<double>(std::uint64_t evaluations)>& expected_gain);

/// The goal of a plan (`--until`): a share of the roof, or how much slower than the fastest configuration the
/// best may be. docs/search.md says how often the latter is missed.
class SearchGoal {
 public:
  explicit SearchGoal(const SessionPlan& plan) : plan_(plan) {}

  /// Throws `base::InputError` when the goal is a share of a roof and the roof is unknown.
  void set_roofs(const model::Roofs& roofs);
  /// `evaluated_at_best`: the number of evaluations when the present best was found.
  bool is_reached(const SessionProgress& progress, std::uint64_t evaluated_at_best,
                  const SessionSearch& search) const;

 private:
  const SessionPlan& plan_;
  std::optional<double> roof_ns_;  // The minimum time of the work by the roofs, if known.
};

}  // namespace warptune::tuner::session
