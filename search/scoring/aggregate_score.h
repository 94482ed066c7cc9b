#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"

namespace warptune::search::scoring {

// The aggregate score P of auto-tuning strategies: Willemsen, Schoonhoven, Filipovic, Torring, van
// Nieuwpoort, van Werkhoven, A methodology for comparing optimization algorithms for auto-tuning, Future
// Generation Computer Systems 159 (2024). 0: as good as random search; 1: the optimum from the first moment
// on.

/// Where random search is expected to have passed a percentile between the median and the best time.
struct CutOff {
  std::uint64_t evaluations = 0;
  double seconds = 0.0;  ///< Those times the median cost of an evaluation.
};
/// `percentile` 0 is the median, 1 the best.
CutOff cut_off(const RecordedSpace& recorded, double percentile);

constexpr double kFirstPercentile = 0.01;
constexpr double kLastPercentile = 0.95;
/// Simulated time a scored run needs, in units of the last cut-off's.
constexpr double kScoredBudget = 1.1;
constexpr std::size_t kScoredTimes = 1000;
/// Below this many evaluations of the last cut-off a space scores little but the first samples.
constexpr std::uint64_t kMinCutOff = 100;

/// The times that are scored: equally spaced from the first to the last cut-off, s.
std::vector<double> scored_times_s(const RecordedSpace& recorded);

/// Random search's expected best at those times, ns, smoothed by a monotone cubic.
std::vector<double> random_baseline_ns(const RecordedSpace& recorded, std::span<const double> times_s);

/// A strategy's best at those times, ns: the ranks of the best so far of all runs pooled, their decreasing
/// regression on time averaged over bootstrap samples, back to the time of that rank; constant after the
/// median end of the runs. Empty when no run has both times and a result.
std::vector<double> strategy_curve_ns(const RecordedSpace& recorded, std::span<const Trace> runs,
                                      std::span<const double> times_s);

/// The score of runs (25 or more are advised) over one recording, by time and its mean; NaN and empty when
/// they cannot be scored. Times at which random search is expected at the optimum are left out of the mean.
struct Score {
  double mean = 0.0;
  double covered = 0.0;  ///< Share of the scored time up to the median end of the runs, at most 1.
  std::vector<double> by_time;
};
Score score(const RecordedSpace& recorded, std::span<const Trace> runs);

}  // namespace warptune::search::scoring
