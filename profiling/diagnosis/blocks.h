#pragma once

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// Of theoretical occupancy: starting and ending of blocks alone keeps even kernels some 5 to 15 % below.
inline constexpr double kKeptOccupancy = 0.8;
/// On an H200 copies of one element a thread end at a block every 80 to 105 ns an SM; half again as much.
inline constexpr double kBlockStartNs = 150.0;

/// Time between the starts of two blocks on an SM; the grid must be known.
inline double block_interval_ns(const Facts& facts) {
  return facts.time_ns() * facts.input().gpu.sm_count / static_cast<double>(facts.resources().blocks);
}

/// Several waves of blocks, so short that starting them takes much of their time.
inline bool starts_blocks_all_the_time(const Facts& facts) {
  return facts.waves() >= 2.0 && block_interval_ns(facts) <= kBlockStartNs;
}

}  // namespace warptune::profiling::diagnosis
