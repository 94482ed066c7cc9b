#include "profiling/diagnosis/occupancy.h"

#include <gtest/gtest.h>
#if __has_include(<cuda_occupancy.h>)
#define WARPTUNE_HAS_CALCULATOR
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#endif
#include <cuda_occupancy.h>
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#include <climits>
#include <set>
#include <string_view>

#include "base/random.h"

namespace warptune::profiling::diagnosis {

namespace {

model::ResourceUse use_of(std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes) {
  model::ResourceUse use;
  use.threads_per_block = threads;
  use.registers_per_thread = registers;
  use.dynamic_shared_bytes = shared_bytes;
  return use;
}

using Limiters = std::vector<OccupancyLimiter>;

TEST(OccupancyTest, EachResourceCanBeTheLimit) {
  const model::GpuDescription gpu = model::fictional_gpu();
  const OccupancyLimits registers = occupancy_limits(gpu, use_of(256, 128, 0));
  EXPECT_EQ(registers.limiters, Limiters{OccupancyLimiter::kRegisters});
  EXPECT_EQ(registers.blocks_per_sm, 2);
  EXPECT_DOUBLE_EQ(registers.occupancy, 0.25);
  const OccupancyLimits shared = occupancy_limits(gpu, use_of(256, 32, 100 * 1024));
  EXPECT_EQ(shared.limiters, Limiters{OccupancyLimiter::kSharedMemory});
  EXPECT_EQ(shared.blocks_per_sm, 2);
  const OccupancyLimits warps = occupancy_limits(gpu, use_of(768, 16, 0));
  EXPECT_EQ(warps.limiters, Limiters{OccupancyLimiter::kWarps});
  EXPECT_DOUBLE_EQ(warps.occupancy, 0.75);
  const OccupancyLimits blocks = occupancy_limits(gpu, use_of(32, 32, 0));
  EXPECT_EQ(blocks.limiters, Limiters{OccupancyLimiter::kBlocks});
  EXPECT_DOUBLE_EQ(blocks.occupancy, 0.5);
}

TEST(OccupancyTest, SeveralResourcesCanBeTheLimitTogether) {
  const OccupancyLimits limits = occupancy_limits(model::fictional_gpu(), use_of(1024, 32, 0));
  EXPECT_EQ(limits.limiters, (Limiters{OccupancyLimiter::kRegisters, OccupancyLimiter::kWarps}));
  EXPECT_DOUBLE_EQ(limits.occupancy, 1.0);
}

TEST(OccupancyTest, ABlockThatDoesNotFitHasNoOccupancy) {
  const OccupancyLimits limits = occupancy_limits(model::fictional_gpu(), use_of(1024, 255, 0));
  EXPECT_EQ(limits.blocks_per_sm, 0);
  EXPECT_EQ(limits.limiters, Limiters{OccupancyLimiter::kRegisters});
}

#ifdef WARPTUNE_HAS_CALCULATOR
TEST(OccupancyTest, AgreesWithCudasCalculator) {
  struct Chip {
    int major, minor, threads_per_sm, blocks_per_sm;
    std::int64_t shared_per_sm, shared_per_block;
  };
  // The numbers come from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  const Chip chips[] = {{7, 5, 1024, 16, 65536, 65536},   {8, 0, 2048, 32, 167936, 166912},
                        {8, 6, 1536, 16, 102400, 101376}, {8, 9, 1536, 24, 102400, 101376},
                        {9, 0, 2048, 32, 233472, 232448}, {12, 0, 1536, 24, 102400, 101376}};
  base::Random random(7);
  int compared = 0;
  for (const Chip& chip : chips) {
    model::GpuDescription gpu = model::fictional_gpu();
    gpu.compute_major = chip.major;
    gpu.compute_minor = chip.minor;
    gpu.max_threads_per_sm = chip.threads_per_sm;
    gpu.max_blocks_per_sm = chip.blocks_per_sm;
    gpu.shared_bytes_per_sm = chip.shared_per_sm;
    gpu.shared_bytes_per_block_optin = chip.shared_per_block;
    cudaOccDeviceProp device;
    device.computeMajor = chip.major;
    device.computeMinor = chip.minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = chip.threads_per_sm;
    device.regsPerBlock = 65536;
    device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 49152;
    device.sharedMemPerMultiprocessor = static_cast<std::size_t>(chip.shared_per_sm);
    device.numSms = 100;
    device.sharedMemPerBlockOptin = static_cast<std::size_t>(chip.shared_per_block);
    device.reservedSharedMemPerBlock = chip.major >= 8 ? 1024 : 0;
    for (int i = 0; i < 2000; ++i) {
      const auto threads = static_cast<int>(1 + random.below(1024));
      const auto registers = static_cast<int>(16 + random.below(240));
      const auto shared = static_cast<std::size_t>(random.below(2) * random.below(49152));
      cudaOccFuncAttributes function;
      function.maxThreadsPerBlock = INT_MAX;
      function.numRegs = registers;
      function.sharedSizeBytes = 0;
      function.partitionedGCConfig = PARTITIONED_GC_OFF;
      function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
      function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(chip.shared_per_block);
      const cudaOccDeviceState state;
      cudaOccResult result;
      if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared) !=
          CUDA_OCC_SUCCESS)
        continue;  // It does not know this chip.
      const OccupancyLimits limits =
          occupancy_limits(gpu, use_of(threads, registers, static_cast<std::int64_t>(shared)));
      ++compared;
      ASSERT_EQ(limits.blocks_per_sm, result.activeBlocksPerMultiprocessor)
          << chip.major << "." << chip.minor << ": " << threads << " threads, " << registers << " registers, "
          << shared << " bytes";
    }
  }
  EXPECT_GT(compared, 8000);
}
#endif

TEST(Occupancy, TheDriversFiguresGoBeforeTheLimits) {
  const model::GpuDescription gpu = model::fictional_gpu();
  model::ResourceUse use = use_of(256, 32, 0);
  use.blocks = 2 * 8 * gpu.sm_count;
  const OccupancyLimits limits = occupancy_limits(gpu, use);
  EXPECT_EQ(resident_blocks_per_sm(use, limits), 8);
  EXPECT_DOUBLE_EQ(theoretical_occupancy(use, limits), 1.0);
  EXPECT_DOUBLE_EQ(waves(gpu, use, limits), 2.0);
  use.blocks_per_sm = 4;
  use.theoretical_occupancy = 0.5;
  EXPECT_EQ(resident_blocks_per_sm(use, limits), 4);
  EXPECT_DOUBLE_EQ(theoretical_occupancy(use, limits), 0.5);
  EXPECT_DOUBLE_EQ(waves(gpu, use, limits), 4.0);
  EXPECT_DOUBLE_EQ(waves({}, use, limits), 0.0);
}

TEST(OccupancyTest, LimitersHaveDifferentNames) {
  const std::set<std::string_view> names = {
      to_string(OccupancyLimiter::kRegisters), to_string(OccupancyLimiter::kSharedMemory),
      to_string(OccupancyLimiter::kWarps), to_string(OccupancyLimiter::kBlocks)};
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(names.count(""), 0U);
}

}  // namespace

}  // namespace warptune::profiling::diagnosis
