#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/strategy.h"

namespace warptune::search::scoring {

/// When a simulated run ends; without either, when the strategy has no more to ask.
struct SimulationBudget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;  ///< Simulated; the evaluation that passes it still counts.
  /// The end of the time counts only after so many evaluations.
  std::uint64_t min_evaluations = 0;
};

struct SimulationOptions {
  SimulationBudget budget;
  std::uint64_t seed = 1;
  std::size_t pending = 1;                  ///< Evaluations asked for before the oldest is told.
  std::vector<model::Configuration> first;  ///< Handed to the strategy: `StrategyOptions::first`.
  std::vector<Observation> source;          ///< Likewise: `StrategyOptions::source`.
};

/// One evaluation of a run.
struct TracePoint {
  double seconds = 0.0;  ///< Simulated time when it was told; NaN when unknown (traces of others).
  double objective_ns = std::numeric_limits<double>::quiet_NaN();  ///< NaN for a failure.
  double best_ns = std::numeric_limits<double>::infinity();        ///< So far, this one included.
};

/// A run over a recording: evaluation i is `points[i - 1]`.
struct Trace {
  std::string strategy;
  std::uint64_t repeat = 0;
  std::vector<TracePoint> points;
  double strategy_cpu_s = 0.0;  ///< Of the thread inside the strategy's own calls; NaN when unknown.

  /// Adds an evaluation and keeps the best.
  void add(double seconds, double objective_ns);
  /// Best after `evaluations`, or at the end where the run ended earlier; infinity when nothing was found.
  double best_after(std::uint64_t evaluations) const;
};

/// Runs a strategy over a recording. Simulated time is the sum of the recorded costs, one evaluation after
/// another; the strategy's own time is not part of it, so that runs repeat exactly. Evaluations pending at
/// the end of the budget are not told. Throws `base::InputError` for an unknown strategy or no pending
/// evaluation, `base::InternalError` when a strategy breaks its contract (asks twice or outside the space).
Trace simulate(std::string_view strategy, const RecordedSpace& recorded, const SimulationOptions& options);

/// The same with a strategy made by the caller for `recorded.space()`.
Trace simulate(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options);

}  // namespace warptune::search::scoring
