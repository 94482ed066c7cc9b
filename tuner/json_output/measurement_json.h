#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "db/store.h"
#include "model/measurement.h"
#include "tuner/text_output/configuration_comparison.h"

/// Measurements, winners and Pareto fronts in JSON outputs.
namespace warptune::tuner::json_output {

/// One measurement. `roof_share` is the minimum time that the roofs allow, divided by the measured time.
/// `roof_share` and `binding_roof` are null unless the row is measured and the roofs are known.
/// `verification` says how a session's best was verified.
nlohmann::ordered_json measurement_json(const model::Measurement& measurement, const model::Work& work = {},
                                        const model::Roofs& roofs = {});
/// The same; null for no measurement.
nlohmann::ordered_json measurement_json(const std::optional<model::Measurement>& measurement,
                                        const model::Work& work, const model::Roofs& roofs);

/// The default's time divided by the time of the best; null unless both are measured.
nlohmann::ordered_json speed_up_json(const std::optional<model::Measurement>& default_measurement,
                                     const std::optional<model::Measurement>& best);

/// The best known configuration of a workload with its evidence.
nlohmann::ordered_json winner_json(const db::Winner& winner);

/// The value of an objective, or of one part of it, as members of `json`: `objective`, `objective_value` and
/// `objective_unit`.
void add_objective(nlohmann::ordered_json& json, const model::Objective& objective,
                   const std::optional<double>& value);

/// A Pareto front. Each point has the value of each part of the objective and the measurement.
nlohmann::ordered_json pareto_json(const std::vector<text_output::ParetoPoint>& points,
                                   const model::Objective& objective, const model::Work& work,
                                   const model::Roofs& roofs);

/// How many evaluations ended with each status, all statuses included.
nlohmann::ordered_json by_status_json(const std::map<model::Status, std::uint64_t>& counts);

}  // namespace warptune::tuner::json_output
