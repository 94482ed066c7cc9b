// Configurations side by side for the terminal: as columns of a table, or as the points of a Pareto front.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/measurement.h"
#include "model/objective.h"

namespace warptune::tuner::text_output {

/// One column of a comparison.
struct ReportColumn {
  std::string title;
  model::Measurement measurement;
};

/// Measurements side by side: configuration, time with interval, speed-up over the first, GFLOP/s, GB/s, per
/// cent of the roof that binds, counters, resources. Rows that say nothing (no flops, no counters) are left
/// out. Lines end with a newline.
std::string comparison_table(const std::vector<ReportColumn>& columns, const model::Work& work,
                             const model::Roofs& roofs);

/// The default beside the best, for a comparison; one column where they are the same or there is no default.
std::vector<ReportColumn> default_beside_best(const std::optional<model::Measurement>& default_measurement,
                                              const model::Measurement& best);

/// A measurement that no other beats in every part of an objective.
struct ParetoPoint {
  std::vector<double> values;  ///< One a part.
  model::Measurement measurement;
};
/// The Pareto front of the measured ones that the objective rates, by its first part.
std::vector<ParetoPoint> pareto_points(std::vector<model::Measurement> rows,
                                       const model::Objective& objective);
/// The same of what a store has of a workload; empty for an objective of one part.
std::vector<ParetoPoint> pareto_points(const db::Store& store, const model::Workload& workload,
                                       const model::Objective& objective);
/// It as a table, one row a point, beside a time its per cent of the roof where that is known; lines end with
/// a newline.
std::string pareto_table(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                         const model::Work& work = {}, const model::Roofs& roofs = {});

}  // namespace warptune::tuner::text_output
