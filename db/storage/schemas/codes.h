#pragma once

namespace warptune::db::storage::schemas {

/// Version 14 of the schema: digests of the machine code of some configurations of a workload
/// (`model::WorkloadCode`), by which rows are kept when the kernel's text changes without its code. `id` is
/// the workload's. Workloads of earlier versions have none. A merge does not take them.
inline constexpr const char* kVersion14 = R"sql(
CREATE TABLE workload_code(
  id INTEGER PRIMARY KEY REFERENCES workload ON DELETE CASCADE, form TEXT NOT NULL,
  nvrtc_version INTEGER NOT NULL, reference TEXT NOT NULL, configurations TEXT NOT NULL,
  checksum INTEGER NOT NULL) STRICT;
)sql";

}  // namespace warptune::db::storage::schemas
