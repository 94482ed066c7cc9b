#pragma once

#include <string>
#include <vector>

#include "model/recording.h"

namespace warptune::db::formats {

/// The members that warptune adds to T4 files of `db export`. `metadata.warptune_workloads` has an array of
/// workloads, and each result has the number of its workload. Readers of other tools ignore them.
inline constexpr const char* kT4Workloads = "warptune_workloads";
inline constexpr const char* kT4Workload = "warptune_workload";

/// The implementation of `db::rows_as_t4`. `db/recording_file.h` says what it returns.
std::string rows_as_t4(const std::vector<model::Recording>& recordings);

}  // namespace warptune::db::formats
