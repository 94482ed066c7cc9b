#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "model/recording.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::exporting {

/// Which rows of a database are exported.
struct RowSelection {
  std::vector<std::string> kernels;        ///< Names; empty: all kernels.
  knowledge::WorkloadSelection workloads;  ///< Its database is not read.
  bool all = false;       ///< The newest measurement of each configuration, not only the best.
  bool replayed = false;  ///< Also rows that were replayed.
  bool imported = false;  ///< Also rows that were imported.
};

/// One recording for each workload of which a row is selected: its rows, without those that do not fit their
/// checksums. The environment, the work and the roofs are those of the best row's session, or of the newest
/// one of the best source.
std::vector<model::Recording> stored_recordings(const db::Store& store, const RowSelection& selection);

}  // namespace warptune::tuner::exporting
