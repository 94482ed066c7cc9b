#pragma once

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// The smallest ratio of achieved to theoretical occupancy that needs no explanation. Because blocks start
/// and end, every kernel stays about 5 to 15 % below the theoretical occupancy.
inline constexpr double kKeptOccupancy = 0.8;
/// The longest interval between the starts of two blocks on an SM at which starting blocks takes much of the
/// time. Kernels that copy one element per thread reach an interval of 80 to 105 ns on an H200. The threshold
/// is about 1.5 times that.
inline constexpr double kBlockStartNs = 150.0;

/// Returns the time between the starts of two blocks on an SM. The size of the grid must be known.
inline double block_interval_ns(const Facts& facts) {
  return facts.time_ns() * facts.input().gpu.sm_count / static_cast<double>(facts.resources().blocks);
}

/// Returns whether there are several waves of blocks, and the blocks are so short that starting them takes
/// much of their time.
inline bool starts_blocks_all_the_time(const Facts& facts) {
  return facts.waves() >= 2.0 && block_interval_ns(facts) <= kBlockStartNs;
}

}  // namespace warptune::profiling::diagnosis
