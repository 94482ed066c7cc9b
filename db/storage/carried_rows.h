#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "model/measurement.h"
#include "model/renaming.h"
#include "model/value.h"

/// Moves rows of earlier versions of kernels to the present names of their parameters and problem entries
/// (docs/database.md, "Renamed kernels").
namespace warptune::db::storage {

/// A row of the table `workload` whose kernel is an earlier version.
struct EarlierWorkload {
  std::int64_t id = 0;
  std::int64_t kernel_id = 0;
  std::string kernel;
  model::NamedValues problem;                 ///< With the earlier names.
  const model::Renaming* renaming = nullptr;  ///< Points into the list given to `workloads_to_carry`.
};

/// Returns the workloads whose kernel has a later version with the same machine code. Workloads to which
/// another process may be writing right now are left out.
std::vector<EarlierWorkload> workloads_to_carry(Database& database,
                                                const std::vector<model::Renaming>& renamings);

/// The same for one workload whose kernel's text changed without its code. `renaming` has no names, and must
/// outlive the result. Returns std::nullopt if nothing is stored of the workload, or if another process may
/// be writing to it right now.
std::optional<EarlierWorkload> workload_to_carry(Database& database, const model::Workload& workload,
                                                 const model::Renaming& renaming);

/// Moves the rows to the workload with the present names, which is made if it is missing, and removes the
/// earlier workload. It must run within a transaction. Returns the number of moved measurements.
std::uint64_t carry_workload(Database& database, const EarlierWorkload& workload);

}  // namespace warptune::db::storage
