#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "search/scoring/run_figures.h"
#include "search/scoring/significance.h"
#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// Margins of the recorded best that runs are to come within.
constexpr std::array<double, 3> kReplayMargins = {0.10, 0.05, 0.01};
/// Evaluations after which runs are compared; those beyond the longest run are left out.
constexpr std::array<std::uint64_t, 4> kReplayBudgets = {20, 50, 100, 200};

/// One strategy on one recording.
struct RecordingFigures {
  std::vector<search::scoring::AtBudget> at;  ///< By budget.
  std::array<search::scoring::Reached, kReplayMargins.size()> evaluations_to;
  std::array<search::scoring::Reached, kReplayMargins.size()> seconds_to;
  double score = 0.0;          ///< The aggregate score P; NaN when it cannot be told.
  double score_covered = 0.0;  ///< Share of the scored time up to the median end of the runs.
};

/// One strategy; NaN throughout for a recording that it has no run of.
struct StrategyFigures {
  std::string strategy;
  std::vector<RecordingFigures> by_recording;
  std::vector<search::scoring::AtBudget> at;  ///< Geometric mean, mean share, over the common recordings.
  double score = 0.0;                         ///< Mean over the scored recordings.
  double score_covered = 0.0;                 ///< The least over them.
  double cpu_us = 0.0;  ///< Of the strategy itself, an evaluation; NaN for traces of others.
};

/// A strategy against the first one, after so many evaluations.
struct Comparison {
  std::string strategy;
  std::uint64_t evaluations = 0;
  double excess_share = 0.0;  ///< (slow-down - 1) of the first over that of this one; below 1: less.
  search::scoring::MeanInterval ratio;  ///< Slow-down of this one over the first's: above 1, the first wins.
  /// Of log slow-downs, this one's less the first's: `above` counts wins of the first.
  search::scoring::SignedRankTest over_recordings;  ///< Means of the runs of each recording.
  search::scoring::SignedRankTest over_runs;        ///< Runs of equal repeat.
  double adjusted_p = 1.0;                          ///< Holm's over all comparisons of the table.
  double adjusted_p_runs = 1.0;                     ///< The same of `over_runs`.
};

/// Everything that a replay says.
struct ReplayFigures {
  std::vector<std::uint64_t> budgets;
  std::vector<std::size_t> common;  ///< Recordings that every strategy has runs of.
  std::vector<std::size_t> scored;  ///< Of those, with a cut-off of 100 evaluations or more (else all).
  std::vector<StrategyFigures> strategies;
  std::vector<Comparison> comparisons;
};

/// Throws `base::InputError` when two strategies have one name or no recording is common to all.
ReplayFigures replay_figures(const std::vector<StrategyRuns>& runs,
                             const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
