#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/scoring/run_figures.h"
#include "search/scoring/significance.h"
#include "tuner/replay/strategy_replay.h"

namespace warptune::tuner::replay {

/// A run reaches a margin when its best is at most this share above the recorded best.
constexpr std::array<double, 3> kReplayMargins = {0.10, 0.05, 0.01};
/// Numbers of evaluations after which runs are compared. Those beyond the longest run are left out.
constexpr std::array<std::uint64_t, 4> kReplayBudgets = {20, 50, 100, 200};

/// Seconds after the start of a simulated session at which runs are compared. Those beyond the longest run
/// are left out. If all are beyond it, only the first is kept.
constexpr std::array<double, 10> kReplaySeconds = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

/// The state of the runs of one strategy on one recording. It has no value if there are no runs.
using StateAt = std::optional<search::scoring::AtBudget>;
/// The effort until the runs reached a margin.
using EffortTo = std::optional<search::scoring::Reached>;

/// The figures of one strategy on one recording. If it has no run of the recording, none has a value.
struct RecordingFigures {
  std::vector<StateAt> at;          ///< One for each of the budgets.
  std::vector<StateAt> at_seconds;  ///< One for each of `ReplayFigures::seconds`.
  std::array<EffortTo, kReplayMargins.size()> evaluations_to;
  std::array<EffortTo, kReplayMargins.size()> seconds_to;
  std::optional<double> score;  ///< The score P (docs/replay.md).
  /// The share of the time scored by P that the runs cover. It is the median time at which they end, divided
  /// by the last moment that P scores; at most 1.
  std::optional<double> score_covered;
  std::optional<double> session_s;  ///< The median of `Trace::session_s`, if sessions were simulated.
};

/// The figures of one strategy.
struct StrategyFigures {
  std::string strategy;
  std::vector<RecordingFigures> by_recording;
  /// One for each of the budgets: the means over the common recordings.
  std::vector<search::scoring::AtBudget> at;
  std::vector<search::scoring::AtBudget> at_seconds;  ///< The same for each of `ReplayFigures::seconds`.
  std::optional<double> score;                        ///< The mean over the scored recordings.
  double score_covered = 0.0;                         ///< The minimum over the scored recordings.
  /// CPU time of the strategy itself per evaluation, µs. It is unknown in traces of other tuners.
  std::optional<double> cpu_us;
};

/// A strategy compared with the first one, after `evaluations` evaluations. A slow-down is the best time
/// found, divided by the recorded best.
struct Comparison {
  std::string strategy;
  std::uint64_t evaluations = 0;
  /// (slow-down - 1) of the first, divided by that of this one. Below 1, the first is closer to the best.
  double excess_ratio = 0.0;
  /// The slow-down of this one, divided by that of the first. Above 1, the first is better.
  search::scoring::MeanInterval ratio;
  // Both tests compare pairs: the log slow-down of this strategy minus that of the first. `above` counts the
  // pairs in which the first is better.
  search::scoring::SignedRankTest over_recordings;  ///< One pair per recording: the means of its runs.
  search::scoring::SignedRankTest over_runs;        ///< One pair per recording and repetition.
  /// The p values of both tests, adjusted by Holm's method over all comparisons of the table.
  double adjusted_p = 1.0;       ///< From `over_recordings`.
  double adjusted_p_runs = 1.0;  ///< From `over_runs`.
};

/// All results of a replay.
struct ReplayFigures {
  std::vector<std::uint64_t> budgets;
  /// Empty if no sessions were simulated, because the seconds of the runs are then not wall time.
  std::vector<double> seconds;
  std::vector<std::size_t> common;  ///< Recordings of which every strategy has runs.
  /// The common ones with a cut-off (docs/replay.md) of at least 100 evaluations. If there are none, all
  /// common ones.
  std::vector<std::size_t> scored;
  std::vector<StrategyFigures> strategies;
  std::vector<Comparison> comparisons;
};

/// Throws `base::InputError` when two strategies have the same name or no recording is common to all.
ReplayFigures replay_figures(const std::vector<StrategyRuns>& runs,
                             const std::vector<ReplayWorkload>& workloads);

}  // namespace warptune::tuner::replay
