// Computes the theoretical occupancy of a kernel. Each resource of an SM (registers, shared memory, warps,
// blocks) allows a number of resident blocks, and the minimum of them is reached. The allocation rules are
// those of CUDA's occupancy calculator; occupancy.h names the sources.
#include "profiling/diagnosis/occupancy.h"

#include <algorithm>

namespace warptune::profiling::diagnosis {

namespace {

constexpr std::int64_t kRegisterStep = 256;  // A warp gets a multiple of this.
constexpr std::int64_t kSubPartitions = 4;

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

// Each of the four sub-partitions has its own registers, and a warp belongs to one of them.
std::int64_t blocks_by_registers(const model::GpuDescription& gpu, std::int64_t registers_per_warp,
                                 std::int64_t warps_per_block) {
  const std::int64_t warps_per_partition = gpu.registers_per_sm / kSubPartitions / registers_per_warp;
  return warps_per_partition * kSubPartitions / warps_per_block;
}

}  // namespace

std::string_view to_string(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::kRegisters:
      return "registers";
    case OccupancyLimiter::kSharedMemory:
      return "shared memory";
    case OccupancyLimiter::kWarps:
      return "warps";
    case OccupancyLimiter::kBlocks:
      return "blocks";
  }
  return "";
}

OccupancyLimits occupancy_limits(const model::GpuDescription& gpu, const model::ResourceUse& use) {
  OccupancyLimits limits;
  const std::int64_t max_warps = gpu.max_threads_per_sm / gpu.warp_size;
  limits.warps_per_block =
      std::max<std::int64_t>(1, (use.threads_per_block + gpu.warp_size - 1) / gpu.warp_size);
  limits.registers_per_warp =
      round_up(std::max<std::int64_t>(1, use.registers_per_thread) * gpu.warp_size, kRegisterStep);
  limits.blocks_by_registers = blocks_by_registers(gpu, limits.registers_per_warp, limits.warps_per_block);
  const std::int64_t shared = use.static_shared_bytes + use.dynamic_shared_bytes;
  const bool reserves = gpu.compute_major >= 8;  // The system reserves 1024 bytes for each block.
  limits.shared_bytes_per_block = round_up(shared + (reserves ? 1024 : 0), reserves ? 128 : 256);
  limits.blocks_by_blocks = gpu.max_blocks_per_sm;
  limits.blocks_by_shared_memory = limits.shared_bytes_per_block == 0
                                       ? limits.blocks_by_blocks
                                       : gpu.shared_bytes_per_sm / limits.shared_bytes_per_block;
  limits.blocks_by_warps = max_warps / limits.warps_per_block;
  limits.blocks_per_sm = std::min({limits.blocks_by_registers, limits.blocks_by_shared_memory,
                                   limits.blocks_by_warps, limits.blocks_by_blocks});
  limits.occupancy =
      static_cast<double>(limits.blocks_per_sm * limits.warps_per_block) / static_cast<double>(max_warps);
  const auto limits_by = [&](OccupancyLimiter limiter, std::int64_t blocks) {
    if (blocks == limits.blocks_per_sm) limits.limiters.push_back(limiter);
  };
  limits_by(OccupancyLimiter::kRegisters, limits.blocks_by_registers);
  limits_by(OccupancyLimiter::kSharedMemory, limits.blocks_by_shared_memory);
  limits_by(OccupancyLimiter::kWarps, limits.blocks_by_warps);
  limits_by(OccupancyLimiter::kBlocks, limits.blocks_by_blocks);
  return limits;
}

double theoretical_occupancy(const model::ResourceUse& use, const OccupancyLimits& limits) {
  return use.theoretical_occupancy.value_or(limits.occupancy);
}

std::int64_t resident_blocks_per_sm(const model::ResourceUse& use, const OccupancyLimits& limits) {
  return use.blocks_per_sm.value_or(limits.blocks_per_sm);
}

std::optional<double> waves(const model::GpuDescription& gpu, const model::ResourceUse& use,
                            const OccupancyLimits& limits) {
  const auto at_once = static_cast<double>(resident_blocks_per_sm(use, limits) * gpu.sm_count);
  if (!(at_once > 0.0)) return std::nullopt;
  return static_cast<double>(use.blocks) / at_once;
}

}  // namespace warptune::profiling::diagnosis
