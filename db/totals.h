// How much a database or a session holds, and what a merge has changed.
#pragma once

#include <cstdint>
#include <string>

#include "model/measurement.h"

namespace warptune::db {

/// The number of stored kernels, GPUs and so on, for `warptune db info`.
struct Totals {
  std::uint64_t kernels = 0, gpus = 0, workloads = 0, sessions = 0, measurements = 0;
  int schema_version = 0;
};

/// What a merge has done with the measurements of the other database.
struct MergeCounts {
  std::uint64_t sessions = 0, added = 0;
  std::uint64_t updated = 0;  ///< Rows of this file that the other one knows in a later form.
  std::uint64_t known = 0;    ///< Rows that are already there, in this or in a later form.
  std::uint64_t refused = 0;  ///< Damaged rows, and rows of damaged sessions.
  std::uint64_t skipped = 0;  ///< Rows of the other file that were deleted in this one.
  std::uint64_t removed = 0;  ///< Rows of this file that were deleted in the other one.
};

/// How many rows of a session have the same status and, if they failed, the same reason.
struct OutcomeCount {
  model::Status status = model::Status::kMeasured;
  std::string reason;  ///< Empty for measured and for dropped rows.
  std::uint64_t rows = 0;
};

}  // namespace warptune::db
