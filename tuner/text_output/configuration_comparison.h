// Shows configurations side by side on a terminal: as columns of a table, or as points of a Pareto front.
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

/// A table with a column for each measurement. Its rows are the configuration, the time with its interval,
/// the speed-up, FLOP/s and B/s, the share of the roof that limits the work, counters and resources. Rows
/// without a value (no flops, no counters) are left out. Each line ends with a newline.
std::string comparison_table(const std::vector<ReportColumn>& columns, const model::Work& work,
                             const model::Roofs& roofs);

/// The columns that compare the default with the best. When they are the same, or without a default, there is
/// one column.
std::vector<ReportColumn> default_and_best(const std::optional<model::Measurement>& default_measurement,
                                           const model::Measurement& best);

/// A measurement that no other beats in every part of an objective.
struct ParetoPoint {
  std::vector<double> values;  ///< One for each part of the objective.
  model::Measurement measurement;
};
/// The Pareto front of the measured rows that the objective can rate, sorted by the first part. Only the rows
/// of their best source count (`model::best_source`).
std::vector<ParetoPoint> pareto_points(std::vector<model::Measurement> rows,
                                       const model::Objective& objective);
/// The same front of the measurements of a workload in a store; empty for an objective with one part.
std::vector<ParetoPoint> pareto_points(const db::Store& store, const model::Workload& workload,
                                       const model::Objective& objective);
/// A table with one row for each point. A time also has its interval and, if known, its share of the roof.
/// Each row says whether it was confirmed (db/confirmation.h): a session confirms only its best. Each line
/// ends with a newline.
std::string pareto_table(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                         const model::Work& work = {}, const model::Roofs& roofs = {});

/// The Pareto front of an objective with several parts: a heading, the table, and a last line with `product`,
/// the smallest product of the parts. The caller prints the configuration with this product after it.
std::string pareto_text(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                        const model::Work& work, const model::Roofs& roofs, double product);

}  // namespace warptune::tuner::text_output
