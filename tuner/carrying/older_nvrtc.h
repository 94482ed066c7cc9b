#pragma once

#include <cstdint>
#include <string>

#include "db/store.h"
#include "model/measurement.h"

namespace warptune::tuner::carrying {

/// Measured rows of a workload whose sessions had an older NVRTC than this machine has now.
struct OlderNvrtc {
  std::uint64_t rows = 0;
  int oldest = 0;  ///< The oldest of these versions, 12080 for 12.8.

  void add(const OlderNvrtc& other);
};
OlderNvrtc rows_of_older_nvrtc(const db::Store& store, const model::Workload& workload);
/// The end of a sentence about rows: how many have code of an older NVRTC, and what says whether they hold.
/// Empty if none is.
std::string older_nvrtc_text(const OlderNvrtc& older);

}  // namespace warptune::tuner::carrying
