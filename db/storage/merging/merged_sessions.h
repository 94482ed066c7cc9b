#pragma once

#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

/// The parts of a merge that are not about single measurements. The other database is attached as `other`.
namespace warptune::db::storage::merging {

/// The columns of a table, without those that are named.
std::vector<std::string> columns_without(Database& database, const std::string& table,
                                         const std::vector<std::string>& others);

/// Adds the deletions, GPUs, kernels, workloads and sessions that are missing, and removes what the other
/// database has deleted. If a session differs, the one with the larger revision is kept.
/// Makes the temporary tables `merged_gpu`, `merged_workload` and `merged_session`, which map ids of the
/// other file (`source`) to ids of this file (`target`). Sessions that do not fit their checksums are left
/// out.
void merge_sessions(Database& database, MergeCounts& counts);
/// Keeps the roofs with the larger revision, for each GPU.
void merge_roofs(Database& database);
/// Marks the row with the largest number of a choice as the preferred one of its workload, if it is measured.
void settle_preferred(Database& database);
/// Removes workloads of the merge from which no row was taken.
void remove_unused_workloads(Database& database);

/// A table expression with the rows that were ever chosen: `id`, `workload_id`, `preferred` as stored, and
/// `is_preferred` as it has to be (1 or 0).
extern const char* const kChosenRows;

}  // namespace warptune::db::storage::merging
