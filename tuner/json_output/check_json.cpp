#include "tuner/json_output/check_json.h"

#include <nlohmann/json.hpp>

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

ordered_json checked_program_json(const checking::CheckedProgram& program) {
  ordered_json row = {{"role", checking::to_string(program.role)},
                      {"configuration", nullptr},
                      {"status", "compiled"},
                      {"reason", nullptr},
                      {"entry", text_or_null(program.entry)},
                      {"resources", nullptr},
                      {"spilled_bytes", nullptr},
                      {"occupancy_share", nullptr},
                      {"limited_by", ordered_json::array()},
                      {"compile_ms", nullptr},
                      {"from_cache", program.from_cache}};
  if (!program.configuration.empty()) row["configuration"] = values_json(program.configuration);
  if (program.rejection) {
    row["status"] = model::to_string(program.rejection->status);
    row["reason"] = program.rejection->reason;
  }
  if (program.resources.threads_per_block == 0) return row;
  row["resources"] = resources_json(program.resources);
  row["spilled_bytes"] = program.spill_bytes;
  row["occupancy_share"] = program.occupancy;
  row["limited_by"] = program.limited_by;
  row["compile_ms"] = program.compile_ms;
  return row;
}

}  // namespace

ordered_json check_json(const checking::CheckReport& report) {
  ordered_json json = json_head("check");
  json["kernel"] = report.kernel;
  json["problem"] = values_json(report.problem);
  json["error_count"] = report.errors();
  json["warning_count"] = report.finding_warnings();
  json["findings"] = ordered_json::array();
  json["gpus"] = ordered_json::array();
  for (const auto& finding : report.findings) json["findings"].push_back(check_finding_json(finding));
  for (const checking::CheckedGpu& checked : report.gpus) {
    ordered_json gpu = {{"gpu", gpu_json(checked.gpu)},
                        {"configuration_count", finite_or_null(checked.configurations)},
                        {"programs", ordered_json::array()}};
    for (const checking::CheckedProgram& program : checked.programs)
      gpu["programs"].push_back(checked_program_json(program));
    json["gpus"].push_back(std::move(gpu));
  }
  return json;
}

}  // namespace warptune::tuner::json_output
