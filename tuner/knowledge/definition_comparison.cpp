#include "tuner/knowledge/definition_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/knowledge/known_winners.h"

namespace warptune::tuner::knowledge {

namespace {

using kernel_templates::KernelDefinition;
using Definitions = std::map<std::string, KernelDefinition>;  // By hash.

Definitions definitions_at_hand(const std::vector<model::Workload>& workloads,
                                const std::vector<std::string>& given,
                                const kernel_templates::Permissions& permissions) {
  Definitions all;
  const auto add = [&](KernelDefinition definition) {
    std::string hash = definition.hash;
    all.emplace(std::move(hash), std::move(definition));
  };
  for (const std::string& path : given) add(kernel_templates::load_kernel(path, permissions));
  std::set<std::string> stored;
  for (const model::Workload& workload : workloads) stored.insert(workload.kernel);
  for (const std::string& name : kernel_templates::shipped_kernels())
    if (stored.count(name) != 0) add(kernel_templates::load_kernel(name));
  return all;
}

void compare(const db::Store& store, const model::Workload& workload, const KernelDefinition& definition,
             DefinitionComparison& check) {
  const std::string kernel = fmt::format("{} {}", workload.kernel, model::to_text(workload.problem));
  try {
    const kernel_templates::KernelInstance instance(definition, workload.problem, workload.gpu);
    for (const db::StoredMeasurement& row : store.uncounted_measurements(workload)) {
      ++check.compared;
      const auto fitting = fitting_configuration(instance, row.measurement.configuration);
      if (fitting) continue;
      check.broken.push_back(
          {"measurement", row.id,
           fmt::format("its configuration does not fit the definition of {}: {}", kernel, fitting.error())});
    }
  } catch (const base::InputError& error) {  // The problem is not one of the definition.
    check.broken.push_back(
        {"workload", 0, fmt::format("{} does not fit its definition: {}", kernel, error.message())});
  }
}

}  // namespace

DefinitionComparison compare_with_definitions(const db::Store& store,
                                              const std::vector<std::string>& definitions,
                                              const kernel_templates::Permissions& permissions) {
  const std::vector<model::Workload> workloads = store.workloads();
  const Definitions known = definitions_at_hand(workloads, definitions, permissions);
  DefinitionComparison check;
  for (const model::Workload& workload : workloads) {
    const auto definition = known.find(workload.kernel_hash);
    if (definition == known.end()) {
      ++check.without_definition;
    } else {
      compare(store, workload, definition->second, check);
    }
  }
  return check;
}

}  // namespace warptune::tuner::knowledge
