#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "model/renaming.h"
#include "model/value.h"

/// Rows of earlier versions of kernels, whose names become the present ones.
namespace warptune::db::storage {

/// A row of `workload` that can be carried over.
struct EarlierWorkload {
  std::int64_t id = 0;
  std::int64_t kernel_id = 0;
  std::string kernel;
  model::NamedValues problem;                 ///< In the earlier names.
  const model::Renaming* renaming = nullptr;  ///< Of the list that was asked about.
};

/// Workloads whose machine code is the same in the later version, but of those to which somebody may be
/// writing right now.
std::vector<EarlierWorkload> workloads_to_carry(Database& database,
                                                const std::vector<model::Renaming>& renamings);

/// Inside of a transaction. The rows go to the workload of the present names, which is made where there is
/// none, and the earlier one is removed. Returns how many measurements it had.
std::uint64_t carry_workload(Database& database, const EarlierWorkload& workload);

}  // namespace warptune::db::storage
