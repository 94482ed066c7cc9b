// Writes the counting plan, which the injected library reads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/counters/planned_counting.h"

namespace warptune::survey::collecting::counting {

/// A kernel whose launches are to be counted.
struct PlannedKernel {
  std::string name;  ///< Demangled.
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
};

/// What the injected library counts. The numbers of kernels and configurations in its records are positions
/// in these lists.
struct CountingPlan {
  std::vector<PlannedKernel> kernels;                        ///< At most `kMaxPlannedKernels`.
  std::vector<profiling::counters::CountingConfig> configs;  ///< At most `kMaxPlannedConfigs`.
  std::uint32_t launches = 0;    ///< How many launches of each kernel are counted in each process.
  std::uint64_t longest_ns = 0;  ///< As in `RawPlan`.
};

/// The bytes of the plan's file (counting_plan.h).
std::string plan_bytes(const CountingPlan& plan);

}  // namespace warptune::survey::collecting::counting
