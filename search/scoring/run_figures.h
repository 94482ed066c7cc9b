#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"

namespace warptune::search::scoring {

/// The effort until runs reached a goal. A quantile is infinite if too few runs reached it.
struct Reached {
  double median = 0.0;
  double lower_quartile = 0.0;
  double upper_quartile = 0.0;
  double share = 0.0;  ///< The share of runs that reached the goal, 0 to 1.
};

/// The number of evaluations until a run was within `margin` of the recorded best (0.05 means 5 %). It has no
/// value without runs.
std::optional<Reached> evaluations_to(const RecordedSpace& recorded, std::span<const Trace> runs,
                                      double margin);
/// The simulated seconds until a run was within `margin` of the recorded best. It has no value without runs,
/// or if a trace lacks these seconds.
std::optional<Reached> seconds_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin);

/// For each run, log(best found / recorded best) after `evaluations`. A run that ended earlier keeps its
/// best. A run that found nothing counts with the worst recorded time.
std::vector<double> log_slow_downs(const RecordedSpace& recorded, std::span<const Trace> runs,
                                   std::uint64_t evaluations);

/// The state of the runs after a number of evaluations.
struct AtBudget {
  double slow_down = 1.0;     ///< The geometric mean of best found / recorded best.
  double within_share = 0.0;  ///< The share of runs within the margin, 0 to 1.
};
/// The state of the runs after `evaluations`. `margin`: 0.1 means 10 % above the recorded best.
AtBudget at_budget(const RecordedSpace& recorded, std::span<const Trace> runs, std::uint64_t evaluations,
                   double margin = 0.10);

/// The state of the runs after so many simulated seconds. A run that ended earlier keeps its best.
AtBudget at_seconds(const RecordedSpace& recorded, std::span<const Trace> runs, double seconds,
                    double margin = 0.10);

/// The quantile of the values, with linear interpolation between order statistics. It is infinite if the
/// upper neighbour is infinite. There must be values.
double quantile(std::vector<double> values, double share);

double mean_of(std::span<const double> values);

}  // namespace warptune::search::scoring
