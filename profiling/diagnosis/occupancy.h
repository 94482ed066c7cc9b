#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling::diagnosis {

enum class OccupancyLimiter { kRegisters, kSharedMemory, kWarps, kBlocks };

/// `registers`, `shared memory`, `warps`, `blocks`.
std::string_view to_string(OccupancyLimiter limiter);

/// How many blocks each resource of an SM has room for.
struct OccupancyLimits {
  std::int64_t blocks_by_registers = 0;
  std::int64_t blocks_by_shared_memory = 0;
  std::int64_t blocks_by_warps = 0;
  std::int64_t blocks_by_blocks = 0;  ///< The SM's own limit.
  std::int64_t blocks_per_sm = 0;     ///< The least of them; 0 when a block does not fit at all.
  std::int64_t warps_per_block = 0;
  double occupancy = 0.0;                   ///< Resident warps over the SM's most, 0..1.
  std::vector<OccupancyLimiter> limiters;   ///< All that allow no more than `blocks_per_sm`.
  std::int64_t shared_bytes_per_block = 0;  ///< As allocated: rounded up, with what the system reserves.
  std::int64_t registers_per_warp = 0;      ///< As allocated.
};

/// By the allocation rules of compute capabilities 7.0 to 12.x: registers a warp in steps of 256, warps of a
/// block spread over the four sub-partitions; shared memory in steps of 128 bytes (7.x: 256) and, from 8.0
/// on, 1024 bytes more a block. Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"; CUDA's `cuda_occupancy.h`. The driver's own figure, `ResourceUse::blocks_per_sm`, may be
/// lower where shared memory is carved otherwise or blocks come in clusters.
OccupancyLimits occupancy_limits(const model::GpuDescription& gpu, const model::ResourceUse& use);

/// Resident warps over the SM's most, 0..1: the driver's figure where it was asked, else that of the limits.
double theoretical_occupancy(const model::ResourceUse& use, const OccupancyLimits& limits);
/// Blocks that an SM holds at once, likewise.
std::int64_t resident_blocks_per_sm(const model::ResourceUse& use, const OccupancyLimits& limits);
/// Blocks of the grid over what all SMs hold at once. It has no value when they hold none.
std::optional<double> waves(const model::GpuDescription& gpu, const model::ResourceUse& use,
                            const OccupancyLimits& limits);

}  // namespace warptune::profiling::diagnosis
