#include "tuner/json_output/check_json.h"

#include "model/own_metrics.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

namespace {

using nlohmann::ordered_json;

ordered_json check_finding_json(const kernel_templates::inspection::Finding& finding) {
  const bool error = finding.severity == kernel_templates::inspection::Severity::kError;
  return {{"severity", error ? "error" : "warning"},
          {"place", place_json(finding.position)},
          {"message", finding.message}};
}

ordered_json program_json(const checking::CheckedProgram& program) {
  const std::optional<model::Rejection>& rejection = program.rejection;
  const bool compiled = program.resources.threads_per_block != 0;
  return {
      {"role", checking::to_string(program.role)},
      {"configuration",
       program.configuration.empty() ? ordered_json(nullptr) : values_json(program.configuration)},
      {"status", rejection ? model::to_string(rejection->status) : "compiled"},
      {"reason", rejection ? text_or_null(rejection->reason) : ordered_json(nullptr)},
      {"entry", text_or_null(program.entry)},
      {"resources", resources_json(program.resources)},
      {model::own_metric::kSpillBytes, compiled ? ordered_json(program.spill_bytes) : ordered_json(nullptr)},
      {"computed_occupancy", compiled ? finite_or_null(program.occupancy) : ordered_json(nullptr)},
      {"limited_by", program.limited_by},
      {"compile_ms", compiled ? finite_or_null(program.compile_ms) : ordered_json(nullptr)},
      {"from_cache", program.from_cache}};
}

}  // namespace

ordered_json check_json(const checking::CheckReport& report) {
  ordered_json output = json_head("check");
  output["kernel"] = report.kernel;
  output["problem"] = values_json(report.problem);
  output["host"] = {{"run_count", report.host.runs},
                    {"problems", ordered_json::array()},
                    {"obstacle", text_or_null(report.host.obstacle)}};
  for (const model::NamedValues& problem : report.host.problems)
    output["host"]["problems"].push_back(values_json(problem));
  output["error_count"] = report.errors();
  output["warning_count"] = report.finding_warnings();
  for (const char* list : {"findings", "gpus"}) output[list] = ordered_json::array();
  for (const auto& finding : report.findings) output["findings"].push_back(check_finding_json(finding));
  for (const checking::CheckedGpu& checked : report.gpus) {
    ordered_json row = {{"gpu", gpu_json(checked.gpu)},
                        {"configuration_count", finite_or_null(checked.configurations)},
                        {"programs", ordered_json::array()}};
    for (const checking::CheckedProgram& program : checked.programs)
      row["programs"].push_back(program_json(program));
    output["gpus"].push_back(std::move(row));
  }
  return output;
}

}  // namespace warptune::tuner::json_output
