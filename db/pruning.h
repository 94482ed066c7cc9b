#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"

namespace warptune::db {

/// Which rows `Store::prune` removes. The first three fields select workloads and rows. The next ones say
/// which of the selected rows are removed; if none of them is set, all of them are.
struct PruneRequest {
  std::vector<std::string> kernels;       ///< Names; empty: all kernels.
  std::optional<std::string> gpu_key;     ///< No value: all GPUs.
  std::optional<std::int64_t> before_ms;  ///< Rows that are older than this Unix time; no value: of any age.
  bool failed = false;                    ///< Rows without a ranked time.
  bool imported = false;                  ///< Rows that were imported from files.
  std::optional<std::uint64_t>
      beyond;  ///< Rows of all configurations but the best `beyond` of each workload.
  /// Also the best row of each workload, its default's row, preferred rows and confirmed rows.
  bool protected_rows = false;
  bool dry_run = false;  ///< Remove nothing.
};

/// Rows of a workload that are removed.
struct PrunedWorkload {
  std::string kernel;
  std::string kernel_hash;
  std::string problem;  ///< As JSON, in the order of the definition.
  std::string gpu;      ///< The name.
  std::string cache_state;
  std::uint64_t rows = 0;
  std::uint64_t left = 0;  ///< Its rows that remain.
};

struct PruneReport {
  std::vector<PrunedWorkload> workloads;  ///< Those of which rows are removed.
  std::uint64_t rows = 0;
  std::uint64_t sessions = 0;  ///< Sessions of which no row remains. They are removed, too.
  /// Rows that would be removed if `protected_rows` were set, and latest rows of configurations of which an
  /// older row stays: without them, the older row would count again.
  std::uint64_t kept = 0;
  std::uint64_t in_use = 0;  ///< Rows that are not removed because their session is running.
};

// `Store::prune` works in one transaction. Deletions are recorded, so that a merge does not bring the rows
// back (docs/database.md, "Merging").

}  // namespace warptune::db
