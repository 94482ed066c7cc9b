// Reads the lines of a snapshot that follow the first one. Each of them has all winners of one kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/store.h"

namespace warptune::db::formats {

/// What the first line of a snapshot begins with. The version and the hash follow.
inline constexpr std::string_view kSnapshotMark = "warptune-snapshot";

/// Reads the winners in a line of a snapshot. Throws `base::InputError` without a position.
std::vector<Winner> read_snapshot_line(std::string_view line);

}  // namespace warptune::db::formats
