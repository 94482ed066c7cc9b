#include "tuner/json_output/check_json.h"

#include <nlohmann/json.hpp>

#include "tuner/json_output/json_codec.h"

namespace warptune::tuner::json_output {

namespace {

using nlohmann::ordered_json;

constexpr int kCheckVersion = 1;

ordered_json check_finding_json(const kernel_templates::inspection::Finding& finding) {
  const bool error = finding.severity == kernel_templates::inspection::Severity::kError;
  return {{"severity", error ? "error" : "warning"},
          {"file", finding.position.file},
          {"line", finding.position.line},
          {"column", finding.position.column},
          {"message", finding.message}};
}

ordered_json program_json(const checking::CheckedProgram& program) {
  ordered_json row = {{"role", checking::to_string(program.role)},
                      {"configuration", nullptr},
                      {"status", "compiled"},
                      {"reason", nullptr},
                      {"resources", nullptr},
                      {"compile_ms", nullptr},
                      {"from_cache", program.from_cache}};
  if (!program.configuration.empty()) row["configuration"] = to_ordered_json(program.configuration);
  if (program.rejection) {
    row["status"] = model::to_string(program.rejection->status);
    row["reason"] = program.rejection->reason;
  }
  if (program.resources.threads_per_block == 0) return row;
  const model::ResourceUse& use = program.resources;
  row["compile_ms"] = program.compile_ms;
  row["resources"] = {{"entry", program.entry},
                      {"registers_per_thread", use.registers_per_thread},
                      {"static_shared_bytes", use.static_shared_bytes},
                      {"dynamic_shared_bytes", use.dynamic_shared_bytes},
                      {"local_bytes", use.local_bytes},
                      {"spill_bytes", program.spill_bytes},
                      {"threads_per_block", use.threads_per_block},
                      {"blocks", use.blocks},
                      {"theoretical_occupancy", program.occupancy},
                      {"limited_by", program.limited_by}};
  return row;
}

}  // namespace

ordered_json check_json(const checking::CheckReport& report) {
  ordered_json json = {{"format", "warptune-check"},        {"version", kCheckVersion},
                       {"kernel", report.kernel},           {"problem", to_ordered_json(report.problem)},
                       {"errors", report.errors()},         {"warnings", report.finding_warnings()},
                       {"findings", ordered_json::array()}, {"gpus", ordered_json::array()}};
  for (const auto& finding : report.findings) json["findings"].push_back(check_finding_json(finding));
  for (const checking::CheckedGpu& checked : report.gpus) {
    ordered_json gpu = {{"architecture", checked.gpu.architecture()},
                        {"name", checked.gpu.name},
                        {"configurations", finite_or_null(checked.configurations)},
                        {"programs", ordered_json::array()}};
    for (const checking::CheckedProgram& program : checked.programs)
      gpu["programs"].push_back(program_json(program));
    json["gpus"].push_back(std::move(gpu));
  }
  return json;
}

}  // namespace warptune::tuner::json_output
