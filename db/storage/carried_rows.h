#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "model/renaming.h"
#include "model/value.h"

/// Carries rows of earlier versions of kernels over to the present names (docs/database.md, "Renamed
/// kernels").
namespace warptune::db::storage {

/// A row of the table `workload` that can be carried over.
struct EarlierWorkload {
  std::int64_t id = 0;
  std::int64_t kernel_id = 0;
  std::string kernel;
  model::NamedValues problem;                 ///< With the earlier names.
  const model::Renaming* renaming = nullptr;  ///< Points into the list that was given.
};

/// Returns the workloads whose kernel has a later version with the same machine code. Workloads to which
/// another process may be writing right now are left out.
std::vector<EarlierWorkload> workloads_to_carry(Database& database,
                                                const std::vector<model::Renaming>& renamings);

/// Moves the rows to the workload of the present names and removes the earlier one. A missing workload of the
/// present names is made. It must run within a transaction. Returns the number of measurements that were
/// moved.
std::uint64_t carry_workload(Database& database, const EarlierWorkload& workload);

}  // namespace warptune::db::storage
