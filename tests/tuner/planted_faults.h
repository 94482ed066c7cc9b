#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "model/recording.h"

namespace warptune::tuner {

/// A kernel under tests/profiling/data/diagnosis. With FAULT=1 it has a performance fault. With FAULT=0 it
/// does the same work without the fault.
struct PlantedFault {
  std::string kernel;     ///< File name without `.cu`.
  std::string rule;       ///< The rule that must find it.
  bool same_work = true;  ///< Whether FAULT=0 does as much work in a launch, so that times compare.
};
const std::vector<PlantedFault>& planted_faults();

/// The folder of the kernels. Its folder `recorded` has a recording of each kernel on an H200.
std::filesystem::path planted_faults_folder();

/// Checks the diagnosis of a kernel. With FAULT=1 it must find the fault and no other. With FAULT=0 it must
/// find no fault. No counter may be missing. The bound on the gain must not be below the measured gain of
/// FAULT=0.
void expect_found(const PlantedFault& planted, const model::Recording& recording);

inline void PrintTo(const PlantedFault& planted, std::ostream* out) { *out << planted.kernel; }

}  // namespace warptune::tuner
