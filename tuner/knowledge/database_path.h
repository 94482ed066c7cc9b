#pragma once

#include <filesystem>
#include <optional>

#include "base/files.h"

namespace warptune::tuner::knowledge {

/// The database that a person named, otherwise the default one. Throws `base::MachineError` when the
/// environment does not determine the default folder.
inline std::filesystem::path database_path(const std::optional<std::filesystem::path>& named) {
  return named ? *named : base::data_folder() / "warptune.db";
}

}  // namespace warptune::tuner::knowledge
