// How much a database holds.
#pragma once

#include <cstdint>

namespace warptune::db {

/// The number of stored kernels, GPUs and so on, for `warptune db info`.
struct Totals {
  std::uint64_t kernels = 0, gpus = 0, workloads = 0, sessions = 0, measurements = 0;
  int schema_version = 0;
};

}  // namespace warptune::db
