#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling::diagnosis {

enum class OccupancyLimiter { kRegisters, kSharedMemory, kWarps, kBlocks };

/// Returns `registers`, `shared memory`, `warps` or `blocks`.
std::string_view to_string(OccupancyLimiter limiter);

/// The number of blocks for which each resource of an SM suffices.
struct OccupancyLimits {
  std::int64_t blocks_by_registers = 0;
  std::int64_t blocks_by_shared_memory = 0;
  std::int64_t blocks_by_warps = 0;
  /// The maximum number of blocks that an SM can hold, whatever they need.
  std::int64_t blocks_by_blocks = 0;
  /// The minimum of them. It is 0 when a block does not fit at all.
  std::int64_t blocks_per_sm = 0;
  std::int64_t warps_per_block = 0;
  /// Resident warps divided by the maximum number of warps of an SM, 0 to 1.
  double occupancy = 0.0;
  /// All resources that allow no more than `blocks_per_sm`.
  std::vector<OccupancyLimiter> limiters;
  /// As allocated: rounded up, with the bytes that the system reserves.
  std::int64_t shared_bytes_per_block = 0;
  std::int64_t registers_per_warp = 0;  ///< As allocated.
};

/// Computes how many blocks of a launch fit into an SM, by the allocation rules of compute capabilities 7.0
/// to 12.x. A warp gets registers in steps of 256. The warps of a block are spread over the four
/// sub-partitions of an SM. A block gets shared memory in steps of 128 bytes (7.x: 256). From 8.0 on the
/// system reserves 1024 bytes more for each block.
///
/// The sources are the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and
/// CUDA's `cuda_occupancy.h`. The driver's own figure is `ResourceUse::blocks_per_sm`. It may be lower when
/// less shared memory is configured, or when blocks come in clusters.
OccupancyLimits occupancy_limits(const model::GpuDescription& gpu, const model::ResourceUse& use);

/// Returns the theoretical occupancy, 0 to 1. It is the driver's figure if `use` has one, and otherwise that
/// of `limits`.
double theoretical_occupancy(const model::ResourceUse& use, const OccupancyLimits& limits);
/// Returns the number of blocks that an SM can hold at once. It is the driver's figure if `use` has one, and
/// otherwise that of `limits`.
std::int64_t resident_blocks_per_sm(const model::ResourceUse& use, const OccupancyLimits& limits);
/// Returns the blocks of the grid divided by the blocks that all SMs can hold at once. Returns std::nullopt
/// if they can hold none.
std::optional<double> waves(const model::GpuDescription& gpu, const model::ResourceUse& use,
                            const OccupancyLimits& limits);

}  // namespace warptune::profiling::diagnosis
