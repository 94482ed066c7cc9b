#include "tuner/knowledge/renamed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "kernel_templates/renamed_kernels.h"
#include "model/renaming.h"

namespace warptune::tuner::knowledge {

namespace {

bool has_rows_to_carry(const db::Store& store) {
  return kernel_templates::shipped_renamings_mention(store.kernel_hashes()) &&
         store.has_rows_to_carry(kernel_templates::shipped_renamings());
}

void carry_over(db::Store& store) {
  const std::uint64_t rows = store.carry_over(kernel_templates::shipped_renamings());
  base::log_info(base::counted(rows, "measurement of a renamed kernel now has its present name",
                               "measurements of renamed kernels now have their present names"));
}

bool is_shipped(const std::string& kernel) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  return std::find(shipped.begin(), shipped.end(), kernel) != shipped.end();
}

std::vector<model::Parameter> renamed(std::vector<model::Parameter> parameters,
                                      const model::Renaming& renaming) {
  for (model::Parameter& parameter : parameters) {
    for (model::Value& value : parameter.values)
      value = renaming.renamed({{parameter.name, value}}).front().second;
    parameter.name = renaming.renamed(parameter.name);
  }
  for (const auto& [name, value] : renaming.added) {
    model::Parameter& parameter = parameters.emplace_back();
    parameter.name = name;
    parameter.values = {value};
  }
  return parameters;
}

}  // namespace

db::Store open_database(const std::filesystem::path& path) {
  {
    db::Store store = db::Store::open_existing(path);
    if (!has_rows_to_carry(store)) return store;
  }  // The store is closed here, so that the next connection is the only one and removes the write-ahead log.
  try {
    db::Store writable(path);
    carry_over(writable);
  } catch (const base::MachineError& error) {
    base::log_warning(fmt::format("measurements of kernels that were renamed keep their earlier names: {}",
                                  error.message()));
  }
  return db::Store::open_existing(path);
}

db::Store open_session_database(const std::filesystem::path& path) {
  db::Store store(path);
  if (has_rows_to_carry(store)) carry_over(store);
  return store;
}

bool is_of_other_version(const model::Workload& workload) {
  return is_shipped(workload.kernel) &&
         kernel_templates::load_kernel(workload.kernel).hash != workload.kernel_hash;
}

model::Recording with_present_names(model::Recording recording) {
  model::Workload& workload = recording.workload;
  if (!kernel_templates::shipped_renamings_mention({workload.kernel_hash})) return recording;
  const std::vector<model::Renaming> renamings = kernel_templates::shipped_renamings();
  const model::Renaming* renaming = model::find_renaming(renamings, workload.kernel_hash);
  if (renaming == nullptr || renaming->kernel != workload.kernel ||
      !renaming->is_identical(workload.problem) || !is_shipped(workload.kernel))
    return recording;
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(workload.kernel);
  if (definition.hash != renaming->after) return recording;
  model::Recording present = recording;
  present.workload.kernel_hash = renaming->after;
  present.workload.problem = renaming->renamed(workload.problem);
  present.parameters = renamed(std::move(present.parameters), *renaming);
  present.default_configuration = renaming->renamed_configuration(std::move(present.default_configuration));
  for (model::Measurement& row : present.measurements)
    row.configuration = renaming->renamed_configuration(std::move(row.configuration));
  try {
    const kernel_templates::KernelInstance instance(std::move(definition), present.workload.problem,
                                                    workload.gpu);
    if (!present.constraints.empty()) present.constraints = instance.space().constraints();
    present.constants = instance.constants();
  } catch (const base::InputError& error) {  // The problem may be damaged although the hash is right.
    base::log_debug(fmt::format("the recording keeps its earlier names: {}", error.what()));
    return recording;
  }
  return present;
}

}  // namespace warptune::tuner::knowledge
