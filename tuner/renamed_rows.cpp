#include "tuner/renamed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "kernel_templates/renamed_kernels.h"
#include "search/renaming.h"

namespace warptune::tuner {

namespace {

bool has_rows_to_carry(const db::Store& store) {
  return kernel_templates::shipped_renamings_mention(store.kernel_hashes()) &&
         store.has_rows_to_carry(kernel_templates::shipped_renamings());
}

void carry_over(db::Store& store) {
  const std::uint64_t rows = store.carry_over(kernel_templates::shipped_renamings());
  base::log_info(fmt::format("{} measurements of kernels that were renamed have their present names", rows));
}

bool is_shipped(const std::string& kernel) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  return std::find(shipped.begin(), shipped.end(), kernel) != shipped.end();
}

std::vector<search::Parameter> renamed(std::vector<search::Parameter> parameters,
                                       const search::Renaming& renaming) {
  for (search::Parameter& parameter : parameters) {
    for (search::Value& value : parameter.values)
      value = renaming.renamed({{parameter.name, value}}).front().second;
    parameter.name = renaming.renamed(parameter.name);
  }
  return parameters;
}

}  // namespace

db::Store open_database(const std::filesystem::path& path) {
  db::Store store = db::Store::open_existing(path);
  if (!has_rows_to_carry(store)) return store;
  try {
    db::Store writable(path);
    carry_over(writable);
  } catch (const base::MachineError& error) {
    base::log_warning(fmt::format(
        "measurements of kernels that were renamed stay under their earlier names: {}", error.message()));
  }
  return db::Store::open_existing(path);
}

db::Store open_session_database(const std::filesystem::path& path) {
  db::Store store(path);
  if (has_rows_to_carry(store)) carry_over(store);
  return store;
}

bool is_of_other_version(const search::Subject& subject) {
  return is_shipped(subject.kernel) &&
         kernel_templates::load_kernel(subject.kernel).hash != subject.kernel_hash;
}

search::Recording with_present_names(search::Recording recording) {
  search::Subject& subject = recording.subject;
  if (!kernel_templates::shipped_renamings_mention({subject.kernel_hash})) return recording;
  const std::vector<search::Renaming> renamings = kernel_templates::shipped_renamings();
  const search::Renaming* renaming = search::find_renaming(renamings, subject.kernel_hash);
  if (renaming == nullptr || renaming->kernel != subject.kernel || !renaming->is_identical(subject.problem) ||
      !is_shipped(subject.kernel))
    return recording;
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(subject.kernel);
  if (definition.hash != renaming->after) return recording;
  search::Recording present = recording;
  present.subject.kernel_hash = renaming->after;
  present.subject.problem = renaming->renamed(subject.problem);
  present.parameters = renamed(std::move(present.parameters), *renaming);
  present.default_configuration = renaming->renamed(std::move(present.default_configuration));
  for (search::Measurement& row : present.measurements)
    row.configuration = renaming->renamed(std::move(row.configuration));
  try {
    const kernel_templates::KernelInstance instance(std::move(definition), present.subject.problem,
                                                    subject.gpu);
    if (!present.constraints.empty()) present.constraints = instance.space().constraints();
    present.constants = instance.constants();
  } catch (const base::InputError& error) {  // The hash says nothing of a damaged problem.
    base::log_debug(fmt::format("the recording keeps its earlier names: {}", error.what()));
    return recording;
  }
  return present;
}

}  // namespace warptune::tuner
