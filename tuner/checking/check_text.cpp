#include "tuner/checking/check_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::checking {

namespace {

std::string bytes_text(std::int64_t bytes) {
  return bytes < 10240 ? fmt::format("{}", bytes)
                       : fmt::format("{:.1f} Ki", static_cast<double>(bytes) / 1024.0);
}

std::vector<std::string> program_row(const CheckedProgram& program) {
  std::vector<std::string> row = {std::string(to_string(program.role))};
  if (program.rejection && program.resources.threads_per_block == 0) {
    row.insert(row.end(), {"", "", "", "", "", ""});
    row.push_back(fmt::format("{}: {}", model::to_string(program.rejection->status),
                              base::first_line(program.rejection->reason)));
    return row;
  }
  const model::ResourceUse& use = program.resources;
  row.push_back(fmt::format("{}", use.registers_per_thread));
  row.push_back(bytes_text(use.static_shared_bytes + use.dynamic_shared_bytes));
  row.push_back(bytes_text(program.spill_bytes));
  row.push_back(fmt::format("{:.0f} %", 100.0 * program.occupancy));
  row.push_back(fmt::format("{}", fmt::join(program.limited_by, ", ")));
  row.push_back(fmt::format("{:.0f}{}", program.compile_ms, program.from_cache ? " *" : ""));
  row.push_back(program.configuration.empty() ? program.entry : model::to_text(program.configuration));
  return row;
}

}  // namespace

std::string findings_text(const kernel_templates::inspection::Findings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    const bool error = finding.severity == kernel_templates::inspection::Severity::kError;
    text += fmt::format("{}: {}: {}\n", base::to_string(finding.position), error ? "error" : "warning",
                        finding.message);
  }
  return text;
}

std::string programs_text(const CheckReport& report) {
  std::string text = fmt::format("{} {}\n", report.kernel, model::to_text(report.problem));
  bool any_cached = false;
  for (const CheckedGpu& checked : report.gpus) {
    text += fmt::format("\n{}, {}: size of the space {:.6g}\n", checked.gpu.architecture(), checked.gpu.name,
                        checked.configurations);
    text_output::TextTable table({"program", "registers", "shared bytes", "spill bytes", "occupancy",
                                  "limited by", "compiled in ms", "configuration"},
                                 {1, 2, 3, 4, 6});
    for (const CheckedProgram& program : checked.programs) {
      table.add(program_row(program));
      any_cached = any_cached || program.from_cache;
    }
    text += table.text();
  }
  return text + (any_cached ? "* compiled by an earlier command\n" : "");
}

std::string host_text(const CheckReport& report) {
  const HostCheck& host = report.host;
  std::vector<std::string> problems;
  problems.reserve(host.problems.size());
  for (const model::NamedValues& problem : host.problems) problems.push_back(model::to_text(problem));
  std::string text;
  if (host.runs > 0) {
    text += fmt::format("\nRun on the host's CPU and compared with the reference: {} at {}.\n",
                        base::counted(host.runs, "run"), fmt::join(problems, "; "));
  }
  if (!host.obstacle.empty())
    text += fmt::format("{}{} run on the host's CPU: {}.\n", text.empty() ? "\n" : "",
                        host.runs > 0 ? "Not all is" : "Nothing is", host.obstacle);
  return text;
}

std::string verdict_text(const CheckReport& report) {
  if (report.findings.empty())
    return fmt::format("{}: no errors and no warnings were found\n", report.kernel);
  return fmt::format("{}: {}, {}\n", report.kernel, base::counted(report.errors(), "error"),
                     base::counted(report.finding_warnings(), "warning"));
}

}  // namespace warptune::tuner::checking
