#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"

namespace warptune::tuner::importing {

/// Rows of another tuner's file as rows of a kernel definition.
struct FittedRows {
  /// Its configurations have the definition's parameters, in their order and with their values.
  model::Recording recording;
  std::uint64_t unknown_values =
      0;                     ///< Rows that were left out because the definition lacks one of their values.
  std::uint64_t broken = 0;  ///< Rows that were left out because they break a constraint.
  std::vector<std::string> ignored;  ///< Parameters of the file with one value that the definition lacks.
};

/// Matches the parameters by name and the values by their meaning: 1, 1.0, true and "1" are the same. A
/// parameter that the file lacks is filled in if the definition has one value for it. `cache` is the state in
/// which the file's tuner measured. Throws `base::InputError` with `file` if a parameter does not fit, or if
/// no row is left.
FittedRows fit_rows(const model::Recording& file_rows, const kernel_templates::KernelInstance& instance,
                    model::CacheState cache, const std::filesystem::path& file);

}  // namespace warptune::tuner::importing
