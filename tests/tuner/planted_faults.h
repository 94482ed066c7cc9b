#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "model/recording.h"

namespace warptune::tuner {

/// A kernel under tests/profiling/data/diagnosis that has a fault with FAULT=1 and does the same work without
/// it with FAULT=0.
struct PlantedFault {
  std::string kernel;     ///< File name without `.cu`.
  std::string rule;       ///< The rule that must find it.
  bool same_work = true;  ///< The sibling does as much in a launch, so that their times compare.
};
const std::vector<PlantedFault>& planted_faults();

/// Where the kernels are; `recorded` below it has what an H200 showed, one recording each.
std::filesystem::path planted_faults_folder();

/// Expects that diagnosis finds the fault, and no other, where FAULT is 1, and none where it is 0; that no
/// counter is missing; and that the gain is no less than what the sibling has over it.
void expect_found(const PlantedFault& planted, const model::Recording& recording);

inline void PrintTo(const PlantedFault& planted, std::ostream* out) { *out << planted.kernel; }

}  // namespace warptune::tuner
