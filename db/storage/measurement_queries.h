#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// Selects what `sound_measurements` reads where `condition` holds, which may name `measurement` and
/// `configuration`, and may order and limit.
std::string measurement_query(const std::string& condition);
/// The ids of a workload's rows in the table: one, or several where kernels of several names have one hash.
std::vector<std::int64_t> workload_ids(Database& database, const model::Workload& workload);

}  // namespace warptune::db::storage
