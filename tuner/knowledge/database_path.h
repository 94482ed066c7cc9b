#pragma once

#include <filesystem>
#include <optional>

#include "base/files.h"

namespace warptune::tuner::knowledge {

/// The database that a person named, else the usual one. Throws `base::MachineError` where nothing says which
/// place is the usual one.
inline std::filesystem::path database_path(const std::optional<std::filesystem::path>& named) {
  return named ? *named : base::data_folder() / "warptune.db";
}

}  // namespace warptune::tuner::knowledge
