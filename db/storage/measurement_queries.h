#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// A query for `intact_measurements`: the measurements for which `condition` holds. `condition` may name the
/// tables `measurement` and `configuration`, and may end with ORDER BY and LIMIT.
std::string measurement_query(const std::string& condition);
/// The table expression `latest` with the columns `latest_id`, `latest_replayed` and `latest_ns`. Its rows
/// are the newest measurements of the workloads' configurations, as `Store::measurements` returns them. Those
/// without a time are left out. `workloads` must not be empty.
std::string latest_times(const std::vector<std::int64_t>& workloads);
/// The ids of a workload in the table `workload`. There are several if kernels with different names have the
/// same hash.
std::vector<std::int64_t> workload_ids(Database& database, const model::Workload& workload);

}  // namespace warptune::db::storage
