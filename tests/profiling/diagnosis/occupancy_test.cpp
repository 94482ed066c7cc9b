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

#include <array>
#include <climits>
#include <optional>
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
constexpr std::array<std::array<int, 2>, 13> kCapabilities = {{{7, 0},
                                                               {7, 5},
                                                               {8, 0},
                                                               {8, 6},
                                                               {8, 7},
                                                               {8, 9},
                                                               {9, 0},
                                                               {10, 0},
                                                               {10, 1},
                                                               {10, 3},
                                                               {11, 0},
                                                               {12, 0},
                                                               {12, 1}}};

cudaOccDeviceProp calculator_device(const model::GpuDescription& gpu) {
  cudaOccDeviceProp device;
  device.computeMajor = gpu.compute_major;
  device.computeMinor = gpu.compute_minor;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = static_cast<int>(gpu.max_threads_per_sm);
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 49152;
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(gpu.shared_bytes_per_sm);
  device.numSms = 100;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(gpu.shared_bytes_per_block_optin);
  device.reservedSharedMemPerBlock = gpu.compute_major >= 8 ? 1024 : 0;
  return device;
}

// The header has the blocks of an SM, and the sizes that its shared memory can be set to. The maximum of
// these is that of an SM. The driver's part of a block is reserved from 8.0 on.
TEST(OccupancyTest, TheLimitsOfEachCapabilityAreThoseOfCudasCalculator) {
  int compared = 0;
  for (const auto& [major, minor] : kCapabilities) {
    const std::optional<model::GpuDescription> gpu = model::gpu_of_capability(major, minor);
    ASSERT_TRUE(gpu.has_value()) << major << "." << minor;
    const cudaOccDeviceProp device = calculator_device(*gpu);
    int blocks = 0;
    if (cudaOccMaxBlocksPerMultiprocessor(&blocks, &device) == CUDA_OCC_SUCCESS) {
      EXPECT_EQ(gpu->max_blocks_per_sm, blocks) << major << "." << minor;
      ++compared;
    }
    std::size_t shared = device.sharedMemPerMultiprocessor;
    const cudaOccError known = cudaOccAlignUpShmemSizeVoltaPlus(&shared, &device);
    if (known == CUDA_OCC_ERROR_UNKNOWN_DEVICE) continue;
    EXPECT_EQ(known, CUDA_OCC_SUCCESS) << major << "." << minor;
    EXPECT_EQ(shared, device.sharedMemPerMultiprocessor) << major << "." << minor;
    std::size_t more = shared + 1;
    EXPECT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&more, &device), CUDA_OCC_ERROR_INVALID_INPUT)
        << major << "." << minor;
    const auto reserved = static_cast<std::int64_t>(device.reservedSharedMemPerBlock);
    EXPECT_EQ(gpu->shared_bytes_per_block_optin, gpu->shared_bytes_per_sm - reserved)
        << major << "." << minor;
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

TEST(OccupancyTest, AgreesWithCudasCalculator) {
  base::Random random(7);
  int compared = 0;
  for (const auto& [major, minor] : kCapabilities) {
    const model::GpuDescription gpu = *model::gpu_of_capability(major, minor);
    const cudaOccDeviceProp device = calculator_device(gpu);
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
      function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
      const cudaOccDeviceState state;
      cudaOccResult result;
      if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared) !=
          CUDA_OCC_SUCCESS)
        continue;  // It does not know this chip.
      const OccupancyLimits limits =
          occupancy_limits(gpu, use_of(threads, registers, static_cast<std::int64_t>(shared)));
      ++compared;
      ASSERT_EQ(limits.blocks_per_sm, result.activeBlocksPerMultiprocessor)
          << major << "." << minor << ": " << threads << " threads, " << registers << " registers, " << shared
          << " bytes";
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
  EXPECT_DOUBLE_EQ(waves(gpu, use, limits).value(), 2.0);
  use.blocks_per_sm = 4;
  use.theoretical_occupancy = 0.5;
  EXPECT_EQ(resident_blocks_per_sm(use, limits), 4);
  EXPECT_DOUBLE_EQ(theoretical_occupancy(use, limits), 0.5);
  EXPECT_DOUBLE_EQ(waves(gpu, use, limits).value(), 4.0);
  EXPECT_EQ(waves({}, use, limits), std::nullopt);
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
