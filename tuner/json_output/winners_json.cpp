#include "tuner/json_output/winners_json.h"

#include "db/formats/exported_winners.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

namespace {

using nlohmann::ordered_json;

ordered_json kernel_json(const db::ExportInput& kernel) {
  ordered_json json = {{"kernel", kernel.kernel}, {"kernel_hash", kernel.kernel_hash}};
  json["problem"] = values_json(kernel.problem);
  json["default_configuration"] = values_json(kernel.default_configuration);
  json["has_check"] = kernel.has_check;
  for (const char* list : {"parameters", "constraints", "winners"}) json[list] = ordered_json::array();
  for (const model::Parameter& parameter : kernel.parameters)
    json["parameters"].push_back(
        parameter_json(parameter, model::find(kernel.default_configuration, parameter.name)));
  for (const model::Constraint& constraint : kernel.constraints)
    json["constraints"].push_back(
        {{"expression", constraint.expression.text()}, {"reason", text_or_null(constraint.reason)}});
  for (const db::Winner* winner : db::formats::exportable(kernel))
    json["winners"].push_back(winner_json(*winner));
  return json;
}

std::string write_winners(const std::vector<db::ExportInput>& kernels) {
  ordered_json output = json_head("winners");
  output["kernels"] = ordered_json::array();
  for (const db::ExportInput& kernel : kernels) output["kernels"].push_back(kernel_json(kernel));
  return to_text(output) + "\n";
}

}  // namespace

db::ExportFormat winners_format() { return {"json", "winners with their evidence", write_winners}; }

}  // namespace warptune::tuner::json_output
