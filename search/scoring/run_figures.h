#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"

namespace warptune::search::scoring {

/// How soon runs got somewhere; infinite where so many did not.
struct Reached {
  double median = 0.0;
  double lower_quartile = 0.0;
  double upper_quartile = 0.0;
  double share = 0.0;  ///< Of the runs that got there, 0..1.
};

/// Evaluations until a run was within `margin` (0.05: 5 %) of the recorded best. All NaN for no runs.
Reached evaluations_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin);
/// The same in simulated seconds; NaN where the traces lack them.
Reached seconds_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin);

/// For each run, log(best found / recorded best) after `evaluations`; a run that ended earlier keeps its
/// best, one that has found nothing counts as at the worst recorded time.
std::vector<double> log_slow_downs(const RecordedSpace& recorded, std::span<const Trace> runs,
                                   std::uint64_t evaluations);

/// What runs had found after so many evaluations.
struct AtBudget {
  double slow_down = 1.0;     ///< Geometric mean of best found / recorded best.
  double within_share = 0.0;  ///< Of the runs that were within the margin, 0..1.
};
AtBudget at_budget(const RecordedSpace& recorded, std::span<const Trace> runs, std::uint64_t evaluations,
                   double margin = 0.10);

/// The value below which `share` of the values lie, linear between order statistics; infinite beside an
/// infinite neighbour. NaN for no values.
double quantile(std::vector<double> values, double share);

double mean_of(std::span<const double> values);

}  // namespace warptune::search::scoring
