#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/read_scope.h"

namespace warptune::tuner::knowledge {

/// What a comparison of stored configurations with the definitions of their kernels found.
struct DefinitionComparison {
  std::uint64_t compared = 0;            ///< Configurations that were compared.
  std::uint64_t without_definition = 0;  ///< Workloads of kernels without an available definition.
  /// Rows whose configuration is not in the space of their definition.
  std::vector<db::DamagedRow> broken;
};

/// Compares the newest row of each configuration with the definition of its kernel: the names and values of
/// the parameters, and the constraints for the row's problem and GPU. A definition is available if it is
/// shipped or given, and has the hash that is stored. `definitions` are paths. Throws `base::InputError` if
/// one cannot be read.
DefinitionComparison compare_with_definitions(const db::Store& store,
                                              const std::vector<std::string>& definitions,
                                              const kernel_templates::Permissions& permissions);

}  // namespace warptune::tuner::knowledge
