#include <cmath>
#include <type_traits>

#include "db/detail/values_json.h"
#include "db/formats/formats.h"
#include "search/fields.h"

namespace warptune::db::detail {

namespace {

Json measurement_to_json(const search::Measurement& measurement) {
  Json resources;
  visit_fields(measurement.resources, [&](const char* name, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      resources[name] = finite_or_null(value);
    } else {
      resources[name] = value;
    }
  });
  Json counters = Json::object();
  for (const auto& [name, value] : measurement.counters) counters[name] = finite_or_null(value);
  return {{"configuration", to_json(measurement.configuration)},
          {"median_ns", finite_or_null(measurement.time.median_ns)},
          {"low_ns", finite_or_null(measurement.time.low_ns)},
          {"high_ns", finite_or_null(measurement.time.high_ns)},
          {"samples", measurement.samples_ns.size()},
          {"resources", resources},
          {"counters", counters}};
}

Json winner_to_json(const Winner& winner) {
  Json json = {{"gpu", to_json(winner.subject.gpu)},
               {"gpu_key", winner.subject.gpu.key()},
               {"problem", to_json(winner.subject.problem)},
               {"cache", std::string(search::to_string(winner.subject.cache))},
               {"best", measurement_to_json(winner.best)},
               {"default", nullptr},
               {"work", to_json(winner.work)},
               {"roofs", to_json_by_first_names(winner.roofs)},
               {"measured", winner.measured},
               {"evaluated", winner.evaluated},
               {"environment", to_json(winner.environment)}};
  if (winner.default_measurement) json["default"] = measurement_to_json(*winner.default_measurement);
  return json;
}

Json kernel_to_json(const ExportInput& kernel) {
  Json parameters = Json::array();
  for (const search::Parameter& parameter : kernel.parameters) {
    Json values = Json::array();
    for (const search::Value& value : parameter.values) values.push_back(to_json(value));
    parameters.push_back({{"name", parameter.name}, {"values", values}});
  }
  Json constraints = Json::array();
  for (const search::Constraint& constraint : kernel.constraints) {
    constraints.push_back({{"expression", constraint.expression.text()}, {"reason", constraint.reason}});
  }
  Json winners = Json::array();
  for (const Winner* winner : exportable(kernel)) winners.push_back(winner_to_json(*winner));
  return {{"kernel", kernel.kernel},
          {"kernel_hash", kernel.kernel_hash},
          {"parameters", parameters},
          {"constraints", constraints},
          {"problem", to_json(kernel.problem)},
          {"default_configuration", to_json(kernel.default_configuration)},
          {"winners", winners}};
}

}  // namespace

std::string write_json(const std::vector<ExportInput>& kernels) {
  Json all = Json::array();
  for (const ExportInput& kernel : kernels) all.push_back(kernel_to_json(kernel));
  const Json json = {{"format", "warptune-winners"}, {"version", 1}, {"kernels", all}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warptune::db::detail
