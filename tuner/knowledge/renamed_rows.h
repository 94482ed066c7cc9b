#pragma once

#include <filesystem>

#include "db/store.h"
#include "model/measurement.h"
#include "model/recording.h"

namespace warptune::tuner::knowledge {

/// `db::Store::open_existing`, after the rows of renamed kernels were given their present names
/// (docs/database.md, "Renamed kernels"). Where the database cannot be written they stay, with a warning.
db::Store open_database(const std::filesystem::path& path);
/// The same for a session, which writes: opens or makes the file.
db::Store open_session_database(const std::filesystem::path& path);

/// How rows of another version are shown.
inline constexpr const char* kOtherVersion = "measured with an earlier version of the kernel's source";
/// Whether something was measured with another version of a shipped kernel than the present one.
bool is_of_other_version(const model::Workload& workload);

/// A recording of an earlier version of a shipped kernel under the present names, with the present
/// definition's constraints; where that would not be the same machine code, or the version is unknown, as it
/// is.
model::Recording with_present_names(model::Recording recording);

}  // namespace warptune::tuner::knowledge
