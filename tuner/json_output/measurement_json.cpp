#include "tuner/json_output/measurement_json.h"

#include <string>
#include <string_view>
#include <utility>

#include "db/confirmation.h"
#include "model/own_metrics.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/session/finals/verification.h"
#include "tuner/text_output/measurement_text.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

namespace {

ordered_json verification_json(const model::Measurement& row) {
  const std::optional<session::finals::Verification> verification = session::finals::verification_of(row);
  if (!verification) return nullptr;
  return {
      {"launches", verification->launches},
      // The chance to find a kernel that is wrong in one of `one_in` launches.
      {"chance_of_detection",
       {{"one_in", session::finals::Verification::kLaunchesPerError},
        {"chance", verification->chance_of_detection}}},
      {"nondeterministic", verification->nondeterministic()},
      {model::own_metric::kDeviatingLaunches, verification->deviating},
      // The largest difference from the right output, divided by the tolerance.
      {model::own_metric::kDeviationShareOfTolerance, finite_or_null(verification->deviation_of_tolerance)}};
}

bool is_measured(const std::optional<model::Measurement>& measurement) {
  return measurement && measurement->status == model::Status::kMeasured && measurement->time;
}

}  // namespace

ordered_json measurement_json(const model::Measurement& measurement, const model::Work& work,
                              const model::Roofs& roofs) {
  const std::optional<double> roof_ns = model::roof_time_ns(work, roofs);
  const bool has_roof = roof_ns && measurement.status == model::Status::kMeasured;
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  return {{"configuration", values_json(measurement.configuration)},
          {"status", model::to_string(measurement.status)},
          {"reason", text_or_null(measurement.reason)},
          {"replayed", measurement.source == model::RowSource::kReplayed},
          {"imported", measurement.source == model::RowSource::kImported},
          {"median_ns", finite_or_null(median_ns)},
          {"low_ns", finite_or_null(model::low_ns_of(measurement))},
          {"high_ns", finite_or_null(model::high_ns_of(measurement))},
          {"samples", measurement.samples_ns.size()},
          {"roof_share", has_roof && median_ns ? finite_or_null(*roof_ns / *median_ns) : ordered_json()},
          {"binding_roof",
           has_roof ? ordered_json(model::to_string(model::binding_roof(work, roofs))) : ordered_json()},
          {"confirmed", db::is_confirmed(measurement)},
          {"verification", verification_json(measurement)},
          {"resources", resources_json(measurement.resources)},
          {"counters", counters_json(measurement.counters)}};
}

ordered_json measurement_json(const std::optional<model::Measurement>& measurement, const model::Work& work,
                              const model::Roofs& roofs) {
  return measurement ? measurement_json(*measurement, work, roofs) : ordered_json(nullptr);
}

ordered_json speed_up_json(const std::optional<model::Measurement>& default_measurement,
                           const std::optional<model::Measurement>& best) {
  if (!is_measured(default_measurement) || !is_measured(best)) return nullptr;
  return finite_or_null(default_measurement->time->median_ns / best->time->median_ns);
}

ordered_json winner_json(const db::Winner& winner) {
  return {{"workload", workload_json(winner.workload)},
          {"session_id", winner.session_id},
          {"system_database", winner.of_system},
          {"best", measurement_json(winner.best, winner.work, winner.roofs)},
          {"default", measurement_json(winner.default_measurement, winner.work, winner.roofs)},
          {"speed_up", speed_up_json(winner.default_measurement, winner.best)},
          {"work", work_json(winner.work)},
          {"roofs", roofs_json(winner.roofs)},
          {"measured", winner.measured},
          {"evaluated", winner.evaluated},
          {"portable_loss", value_or_null(winner.portable_loss)},
          {"environment", environment_json(winner.environment)}};
}

void add_objective(ordered_json& json, const model::Objective& objective,
                   const std::optional<double>& value) {
  const std::string_view unit =
      objective.parts().size() == 1 ? text_output::objective_unit(objective.parts().front()) : "";
  json["objective"] = objective.text();
  json["objective_value"] = finite_or_null(value);
  json["objective_unit"] = text_or_null(std::string(unit));
}

ordered_json pareto_json(const std::vector<text_output::ParetoPoint>& points,
                         const model::Objective& objective, const model::Work& work,
                         const model::Roofs& roofs) {
  ordered_json front = ordered_json::array();
  for (const text_output::ParetoPoint& point : points) {
    ordered_json parts = ordered_json::array();
    for (std::size_t i = 0; i < point.values.size(); ++i) {
      const std::string& part = objective.parts()[i];
      parts.push_back({{"objective", part},
                       {"objective_value", finite_or_null(point.values[i])},
                       {"objective_unit", text_or_null(std::string(text_output::objective_unit(part)))}});
    }
    front.push_back(
        {{"parts", std::move(parts)}, {"measurement", measurement_json(point.measurement, work, roofs)}});
  }
  return front;
}

ordered_json by_status_json(const std::map<model::Status, std::uint64_t>& counts) {
  ordered_json json = ordered_json::object();
  for (const model::Status status : model::all_statuses()) {
    const auto found = counts.find(status);
    json[std::string(model::to_string(status))] = found == counts.end() ? 0 : found->second;
  }
  return json;
}

}  // namespace warptune::tuner::json_output
