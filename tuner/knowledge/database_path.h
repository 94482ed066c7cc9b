#pragma once

#include <filesystem>
#include <optional>

#include "base/files.h"

namespace warptune::tuner::knowledge {

/// Returns the path that the user gave (`named`). Without one, returns the path of the default database.
/// Throws `base::MachineError` when that is needed and neither `XDG_DATA_HOME` nor `HOME` is set.
inline std::filesystem::path database_path(const std::optional<std::filesystem::path>& named) {
  return named ? *named : base::data_folder() / "warptune.db";
}

}  // namespace warptune::tuner::knowledge
