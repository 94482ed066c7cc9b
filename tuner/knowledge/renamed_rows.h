#pragma once

#include <filesystem>

#include "db/store.h"
#include "model/measurement.h"
#include "model/recording.h"

namespace warptune::tuner::knowledge {

/// Opens a database as `db::Store::open_existing` does, and gives the rows of renamed kernels their present
/// names (docs/database.md, "Renamed kernels"). If the database cannot be written, the names stay, and a
/// warning is logged.
db::Store open_database(const std::filesystem::path& path);
/// Does the same for a session. A session has to write, so it is an error if the database cannot be written.
/// Creates the file if it does not exist.
db::Store open_session_database(const std::filesystem::path& path);

/// How rows of another version are labelled.
inline constexpr const char* kOtherVersion = "measured with an earlier version of the kernel's source";
/// Whether a workload was measured with another version of a shipped kernel than the present one.
bool is_of_other_version(const model::Workload& workload);

/// Gives a recording of an earlier version of a shipped kernel its present names and the constraints of the
/// present definition. Returns it unchanged if the machine code would not be the same, or if the version is
/// unknown.
model::Recording with_present_names(model::Recording recording);

}  // namespace warptune::tuner::knowledge
