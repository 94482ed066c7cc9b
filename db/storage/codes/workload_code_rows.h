#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/storage/sqlite.h"
#include "model/measurement.h"

/// Rows of the table `workload_code`.
namespace warptune::db::storage::codes {

/// The id of a workload in the table `workload`. Unlike `workload_ids`, it is of one kernel's name.
std::optional<std::int64_t> find_workload(Database& database, const model::Workload& workload);

/// Replaces the code of a workload.
void write_code(Database& database, std::int64_t workload, const model::WorkloadCode& code);
/// Returns std::nullopt if the workload has none, or if the row is damaged.
std::optional<model::WorkloadCode> read_code(Database& database, std::int64_t workload);
/// What is wrong with the row of a workload; empty if nothing is. Throws `base::InputError` if it cannot be
/// read.
std::string problem_of_code(Database& database, std::int64_t workload);

}  // namespace warptune::db::storage::codes
