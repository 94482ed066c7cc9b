#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "tuner/exporting/cuda_kernel.h"

namespace warptune::tuner::exporting {

namespace {

constexpr const char* kScope = "const Config& config, const Problem& problem, const Device& device";
constexpr const char* kUnused =
    "  static_cast<void>(config);\n  static_cast<void>(problem);\n  static_cast<void>(device);\n";

// The exported function `program_holds`, which evaluates the demands of a program
// (`ExportedProgram::demands`).
std::string demand_text(const CudaKernel& kernel) {
  std::string text = "/// Whether the code of a program holds for a problem on a device.\n";
  text +=
      fmt::format("WARPTUNE_HD constexpr bool program_holds(int program, {}) {{\n{}  switch (program) {{\n",
                  kScope, kUnused);
  for (std::size_t i = 0; i < kernel.programs.programs.size(); ++i) {
    text += fmt::format("    case {}:\n      return true", i);
    for (const std::string& demand : kernel.programs.programs[i].demands) {
      text += fmt::format(" &&\n             warptune_detail::holds({})",
                          db::cell_text(demand, kernel.names.members));
    }
    text += ";\n";
  }
  return text + "    default:\n      return false;\n  }\n}\n";
}

// The programs of each row of the exported `table`.
std::vector<std::vector<std::size_t>> programs_of_rows(const ExportedPrograms& programs) {
  std::vector<std::vector<std::size_t>> all;
  for (const std::size_t program : programs.of_row) all.push_back({program});
  all.push_back(programs.defaults);
  all.insert(all.end(), programs.recommended.begin(), programs.recommended.end());
  return all;
}

// The exported function `program_of`, and `Demands`, with which `select_from` skips rows that may not run.
std::string row_text(const CudaKernel& kernel) {
  std::string text = fmt::format(
      "/// The first program of a row whose code holds for the problem; -1 if there is none.\n"
      "WARPTUNE_HD constexpr int program_of(int row, {}) {{\n  switch (row) {{\n",
      kScope);
  const std::vector<std::vector<std::size_t>> rows = programs_of_rows(kernel.programs);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("    case {}:\n", i);
    for (const std::size_t program : rows[i])
      text += fmt::format("      if (program_holds({0}, config, problem, device)) return {0};\n", program);
    text += "      return -1;\n";
  }
  text += "    default:\n      return -1;\n  }\n}\n";
  return text +
         "struct Demands {\n"
         "  WARPTUNE_HD constexpr bool operator()(int row, const Config& config, const Problem& problem,\n"
         "                                        const Device& device) const {\n"
         "    return program_of(row, config, problem, device) >= 0;\n  }\n};\n";
}

constexpr const char* kChoose =
    "/// What `launch` runs: a configuration and its program; the program is -1 if nothing can run.\n"
    "struct Choice {\n  Selection selection;\n  int program;\n};\n"
    "/// Selects as `select` does, among the rows whose code holds for the problem. Where none does, the\n"
    "/// default is chosen.\n"
    "inline Choice choose(const Device& device, const Problem& problem) {\n"
    "  const Selection found = select_from(table, device, problem, Demands{});\n"
    "  if (found.match == Match::fallback_default && !is_valid(found.config, problem, device))\n"
    "    return {found, -1};\n"
    "  return {found, program_of(found.row, found.config, problem, device)};\n}\n";

std::string shape_text(const CudaKernel& kernel, const kernel_templates::Launch& launch, std::size_t index) {
  std::string text =
      fmt::format("inline warptune_detail::LaunchShape shape_{}({}) {{\n{}", index, kScope, kUnused);
  text += "  warptune_detail::LaunchShape shape;\n";
  if (launch.when) {
    text += fmt::format("  shape.runs = shape.truth_of({});\n  if (!shape.runs) return shape;\n",
                        kernel.cell(*launch.when));
  }
  const auto extents = [&](const char* name, const std::vector<model::Expression>& expressions) {
    for (std::size_t i = 0; i < expressions.size(); ++i)
      text += fmt::format("  shape.set(shape.{}[{}], {});\n", name, i, kernel.cell(expressions[i]));
  };
  extents("grid", launch.grid);
  extents("block", launch.block);
  extents("cluster", launch.cluster);
  if (launch.shared_bytes)
    text += fmt::format("  shape.set_shared_bytes({});\n", kernel.cell(*launch.shared_bytes));
  if (launch.cooperative)
    text += fmt::format("  shape.cooperative = shape.truth_of({});\n", kernel.cell(*launch.cooperative));
  if (launch.carveout) text += fmt::format("  shape.set_carveout({});\n", kernel.cell(*launch.carveout));
  if (launch.cluster_scheduling)
    text += fmt::format("  shape.set_cluster_scheduling({});\n", kernel.cell(*launch.cluster_scheduling));
  return text + "  return shape;\n}\n";
}

std::string kernel_list(const CudaKernel& kernel) {
  std::string text = "inline const void* kernel_of(int program, int launch) {\n  switch (program) {\n";
  for (std::size_t i = 0; i < kernel.programs.programs.size(); ++i) {
    std::vector<std::string> entries;
    for (std::size_t j = 0; j < kernel.programs.programs[i].entries.size(); ++j)
      entries.push_back(fmt::format("program_{}::entry_{}()", i, j));
    text += fmt::format("    case {}: {{\n      const void* const entries[] = {{{}}};\n", i,
                        fmt::join(entries, ", "));
    text += "      return entries[launch];\n    }\n";
  }
  return text + "    default:\n      return nullptr;\n  }\n}\n";
}

}  // namespace

std::string choice_text(const CudaKernel& kernel) {
  std::string text = demand_text(kernel) + row_text(kernel) + kChoose;
  const std::vector<const kernel_templates::Launch*> launches = launches_of(kernel.definition());
  for (std::size_t i = 0; i < launches.size(); ++i) text += shape_text(kernel, *launches[i], i);
  return text + kernel_list(kernel);
}

}  // namespace warptune::tuner::exporting
