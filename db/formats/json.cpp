#include <cmath>
#include <type_traits>

#include "db/formats/exported_winners.h"
#include "db/formats/format_list.h"
#include "db/recordings/values_json.h"
#include "model/fields.h"

namespace warptune::db::formats {

namespace {

recordings::Json measurement_to_json(const model::Measurement& measurement) {
  recordings::Json resources;
  const auto add = [&](const char* name, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      resources[name] = recordings::finite_or_null(value);
    } else {
      resources[name] = value;
    }
  };
  model::visit_fields(measurement.resources, [&](const char* name, const auto& value) {
    if constexpr (requires { model::stored_number(value); }) {
      add(name, model::stored_number(value));
    } else {
      add(name, value);
    }
  });
  recordings::Json counters = recordings::Json::object();
  for (const auto& [name, value] : measurement.counters) counters[name] = recordings::finite_or_null(value);
  return {{"configuration", recordings::to_json(measurement.configuration)},
          {"median_ns", recordings::finite_or_null(measurement.time.median_ns)},
          {"low_ns", recordings::finite_or_null(measurement.time.low_ns)},
          {"high_ns", recordings::finite_or_null(measurement.time.high_ns)},
          {"samples", measurement.samples_ns.size()},
          {"replayed", measurement.replayed},
          {"resources", resources},
          {"counters", counters}};
}

recordings::Json winner_to_json(const Winner& winner) {
  recordings::Json json = {{"gpu", recordings::to_json(winner.workload.gpu)},
                           {"gpu_key", winner.workload.gpu.key()},
                           {"problem", recordings::to_json(winner.workload.problem)},
                           {"cache", std::string(model::to_string(winner.workload.cache))},
                           {"best", measurement_to_json(winner.best)},
                           {"default", nullptr},
                           {"work", recordings::to_json(winner.work)},
                           {"roofs", recordings::to_json_by_first_names(winner.roofs)},
                           {"measured", winner.measured},
                           {"evaluated", winner.evaluated},
                           {"environment", recordings::to_json(winner.environment)}};
  if (winner.default_measurement) json["default"] = measurement_to_json(*winner.default_measurement);
  return json;
}

recordings::Json kernel_to_json(const ExportInput& kernel) {
  recordings::Json parameters = recordings::Json::array();
  for (const model::Parameter& parameter : kernel.parameters) {
    recordings::Json values = recordings::Json::array();
    for (const model::Value& value : parameter.values) values.push_back(recordings::to_json(value));
    parameters.push_back({{"name", parameter.name}, {"values", values}});
  }
  recordings::Json constraints = recordings::Json::array();
  for (const model::Constraint& constraint : kernel.constraints) {
    constraints.push_back({{"expression", constraint.expression.text()}, {"reason", constraint.reason}});
  }
  recordings::Json winners = recordings::Json::array();
  for (const Winner* winner : exportable(kernel)) winners.push_back(winner_to_json(*winner));
  return {{"kernel", kernel.kernel},
          {"kernel_hash", kernel.kernel_hash},
          {"parameters", parameters},
          {"constraints", constraints},
          {"problem", recordings::to_json(kernel.problem)},
          {"default_configuration", recordings::to_json(kernel.default_configuration)},
          {"winners", winners}};
}

std::string write_json(const std::vector<ExportInput>& kernels) {
  recordings::Json all = recordings::Json::array();
  for (const ExportInput& kernel : kernels) all.push_back(kernel_to_json(kernel));
  const recordings::Json json = {{"format", "warptune-winners"}, {"version", 1}, {"kernels", all}};
  return json.dump(2, ' ', false, recordings::Json::error_handler_t::replace) + "\n";
}

}  // namespace

ExportFormat json_format() { return {"json", "winners with their evidence", write_json}; }

}  // namespace warptune::db::formats
