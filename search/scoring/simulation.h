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

/// The end of a simulated run. Without a budget the run ends when the strategy has exhausted the space.
struct SimulationBudget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;      ///< Simulated seconds. The evaluation that exceeds them still counts.
  std::uint64_t min_evaluations = 0;  ///< `seconds` ends a run only after so many evaluations.
};

struct SimulationOptions {
  SimulationBudget budget;
  std::uint64_t seed = 1;
  std::size_t pending = 1;                  ///< The number of evaluations that are pending at a time.
  std::vector<model::Configuration> first;  ///< Passed to the strategy as `StrategyOptions::first`.
  std::vector<Observation> source;          ///< Passed to the strategy as `StrategyOptions::source`.
};

/// One evaluation of a run.
struct TracePoint {
  /// The simulated time of its end. It may be unknown in traces of other tools.
  std::optional<double> seconds;
  std::optional<double> objective_ns;                        ///< No value for a failure.
  double best_ns = std::numeric_limits<double>::infinity();  ///< The best so far, including this evaluation.
};

/// A run over a recording. The first evaluation is `points[0]`.
struct Trace {
  std::string strategy;
  std::uint64_t repeat = 0;  ///< Counts the strategy's runs over the recording, from 0.
  std::vector<TracePoint> points;
  /// The CPU time of the strategy's calls. It is unknown in traces of other tools.
  std::optional<double> strategy_cpu_s;
  /// The simulated time at the end of the session, final rounds included. It has no value if no session was
  /// simulated.
  std::optional<double> session_s;

  /// Appends an evaluation and updates the best.
  void add(std::optional<double> seconds, std::optional<double> objective_ns);
  /// Adds CPU time of the strategy, in s.
  void add_cpu(double seconds) { strategy_cpu_s = strategy_cpu_s.value_or(0.0) + seconds; }
  /// The best objective in ns after `evaluations`. A run that ended earlier keeps its last best. Infinity if
  /// nothing was found.
  double best_after(std::uint64_t evaluations) const;
  /// The best objective in ns after so many simulated seconds, in the same way.
  double best_after_seconds(double seconds) const;
};

/// Runs a strategy over a recording. The simulated time is the sum of the recorded costs of the evaluations.
/// It does not contain the strategy's own time, so that runs are reproducible. Evaluations that are pending
/// at the end of the budget are not reported to the strategy.
///
/// Throws `base::InputError` for an unknown strategy or if `pending` is 0. Throws `base::InternalError` if a
/// strategy breaks its contract: if it asks for a configuration twice, or for one outside of the space.
Trace simulate(std::string_view strategy, const RecordedSpace& recorded, const SimulationOptions& options);

/// Runs a strategy that the caller created for `recorded.space()`.
Trace simulate(Strategy& strategy, const RecordedSpace& recorded, const SimulationOptions& options);

}  // namespace warptune::search::scoring
