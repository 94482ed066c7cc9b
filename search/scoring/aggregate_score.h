#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"

namespace warptune::search::scoring {

// The aggregate score P of auto-tuning strategies: Willemsen, Schoonhoven, Filipovic, Torring, van
// Nieuwpoort, van Werkhoven, A methodology for comparing optimization algorithms for auto-tuning, Future
// Generation Computer Systems 159 (2024). A score of 0 is as good as random search. A score of 1 means that
// the optimum was known from the beginning.

/// The point at which random search is expected to pass a percentile between the median and the best time.
struct CutOff {
  std::uint64_t evaluations = 0;
  double seconds = 0.0;  ///< `evaluations` times the median cost of an evaluation.
};
/// The cut-off for a percentile: 0 is the median time, 1 is the best time.
CutOff cut_off(const RecordedSpace& recorded, double percentile);

constexpr double kFirstPercentile = 0.01;
constexpr double kLastPercentile = 0.95;
/// The simulated time of a run that is scored, as a multiple of the last cut-off's time.
constexpr double kScoredBudget = 1.1;
constexpr std::size_t kScoredTimes = 1000;
/// If the last cut-off has fewer evaluations, the score of a space depends almost only on the first samples.
constexpr std::uint64_t kMinCutOff = 100;

/// The simulated times that are scored, in s: equally spaced from the first to the last cut-off.
std::vector<double> scored_times_s(const RecordedSpace& recorded);

/// The best time in ns that random search is expected to have found at each of `times_s`, smoothed by a
/// monotone cubic.
std::vector<double> random_baseline_ns(const RecordedSpace& recorded, std::span<const double> times_s);

/// The best time in ns that a strategy has found at each of `times_s`. After the median of the times at which
/// the runs end, it is constant. Returns an empty vector if no run found anything within these times.
std::vector<double> strategy_curve_ns(const RecordedSpace& recorded, std::span<const Trace> runs,
                                      std::span<const double> times_s);

/// The score of several runs over one recording. At least 25 runs are advisable.
struct Score {
  /// The mean over the scored times at which random search is not expected to be at the optimum. It has no
  /// value if the runs cannot be scored.
  std::optional<double> mean;
  double covered = 0.0;  ///< The share of the scored time before the median end of the runs, at most 1.
};
Score score(const RecordedSpace& recorded, std::span<const Trace> runs);

}  // namespace warptune::search::scoring
