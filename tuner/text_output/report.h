#pragma once

#include <optional>
#include <string>
#include <string_view>
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
std::vector<ParetoPoint> pareto_points(const db::Store& store, const model::Subject& subject,
                                       const model::Objective& objective);
/// It as a table, one row a point, beside a time its per cent of the roof where that is known; lines end with
/// a newline.
std::string pareto_table(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                         const model::Work& work = {}, const model::Roofs& roofs = {});

/// A value of a part of an objective: `12.3 us` for `time`, `0.53 J`, `412 W`, else a number.
std::string objective_value_text(std::string_view part, double value);

/// `12.3 us (12.2 us to 12.4 us)`: the median with its 95 % interval.
std::string time_with_interval(const model::TimeSummary& time);

/// The median for people; `> 512 us` for one that was dropped as slower.
std::string time_text(const model::Measurement& measurement);
/// Its 95 % interval, `123 us to 125 us`; empty for one that was dropped.
std::string interval_text(const model::Measurement& measurement);

/// Per cent of the roof, `87.3 %`; `< 40.1 %` for one that was dropped; empty where `roof_ns`
/// (`model::roof_time_ns`) is 0.
std::string roof_share_text(const model::Measurement& measurement, double roof_ns);
/// `of the memory roof`: which one binds.
std::string roof_heading(const model::Work& work, const model::Roofs& roofs);

/// `2025-01-31 12:00:00 UTC`.
std::string date_text(std::int64_t unix_ms);

/// A counter for people: `87.3 %`, `1.07 GB`, `3.2`.
std::string format_counter(std::string_view unit, double value);

}  // namespace warptune::tuner::text_output
