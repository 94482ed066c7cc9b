#include "profiling/driver/launch_screening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using kernel_templates::LaunchStep;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class LaunchScreeningTest : public ::testing::Test {
 protected:
  LaunchScreeningTest() {
    fake_cuda() = FakeCuda{};
    fake_cuda().parameter_sizes = {8, 8, 4};
    compiled_.entries = {{"copy", "_Z4copy"}};
    step_.entry = "copy";
    step_.grid = {1000, 1, 1};
    step_.block = {256, 1, 1};
  }

  base::Result<LaunchScreening::Screened> screen() {
    return LaunchScreening(compiled_, gpu_, sizes_, resolved_).screen(nullptr, step_);
  }
  /// Returns why the launch cannot run, or an empty text when it can.
  std::string fault() {
    const auto screened = screen();
    return screened ? "" : screened.error();
  }

  kernel_templates::CompiledKernel compiled_;
  model::GpuDescription gpu_ = model::fictional_gpu();
  std::vector<std::size_t> sizes_ = {8, 8, 4};
  std::vector<kernel_templates::ResolvedArgument> resolved_ =
      std::vector<kernel_templates::ResolvedArgument>(3);
  LaunchStep step_;
};

TEST_F(LaunchScreeningTest, WhatCanRunHasItsResourcesAndItsOccupancy) {
  fake_cuda().static_shared_bytes = 512;
  step_.shared_bytes = 1024;
  fake_cuda().blocks_per_sm = 4;
  const auto screened = screen();
  ASSERT_TRUE(screened) << screened.error();
  EXPECT_EQ(screened->use.registers_per_thread, 32);
  EXPECT_EQ(screened->use.static_shared_bytes, 512);
  EXPECT_EQ(screened->use.dynamic_shared_bytes, 1024);
  EXPECT_EQ(screened->use.threads_per_block, 256);
  EXPECT_EQ(screened->use.blocks, 1000);
  EXPECT_EQ(screened->use.blocks_per_sm, 4);
  EXPECT_DOUBLE_EQ(screened->use.theoretical_occupancy.value(), 4 * 256 / 2048.0);
}

TEST_F(LaunchScreeningTest, APartialWarpCountsAsAWholeOne) {
  step_.block = {33, 1, 1};
  const auto screened = screen();
  ASSERT_TRUE(screened);
  EXPECT_DOUBLE_EQ(screened->use.theoretical_occupancy.value(), 2 * 64 / 2048.0);
}

TEST_F(LaunchScreeningTest, ParametersThatAreNotTheArgumentsAreNamed) {
  fake_cuda().parameter_sizes = {8, 4, 4};
  EXPECT_THAT(fault(), HasSubstr("parameter 2 of copy takes 4 bytes, its argument has 8"));
  fake_cuda().parameter_sizes = {8, 8};
  EXPECT_THAT(fault(), HasSubstr("copy takes 2 parameters, the definition has 3 arguments"));
  fake_cuda().parameter_sizes = {8, 8, 4, 4};
  EXPECT_THAT(fault(), HasSubstr("copy takes more parameters, the definition has 3 arguments"));
}

TEST_F(LaunchScreeningTest, AnArgumentThatIsAVariableIsNoParameter) {
  resolved_[1].symbol = "table";
  fake_cuda().parameter_sizes = {8, 4};
  EXPECT_THAT(fault(), IsEmpty());
}

TEST_F(LaunchScreeningTest, AStepPassesItsOwnArguments) {
  kernel_templates::PassedArgument first;
  first.argument = 2;
  kernel_templates::PassedArgument second;
  second.value.resize(16);
  step_.arguments = std::vector{first, second};
  fake_cuda().parameter_sizes = {4, 16};
  EXPECT_THAT(fault(), IsEmpty());
  fake_cuda().parameter_sizes = {4};
  EXPECT_THAT(fault(), HasSubstr("its launch has 2 arguments"));
}

TEST_F(LaunchScreeningTest, TooManyThreadsAreRefused) {
  step_.block = {32, 32, 1};
  fake_cuda().max_threads = 640;
  fake_cuda().registers = 96;
  EXPECT_THAT(fault(),
              HasSubstr("1024 threads per block: copy can run with at most 640 (96 registers per thread)"));
}

TEST_F(LaunchScreeningTest, SharedMemoryPastTheGpusIsRefusedAndTheLastByteIsNot) {
  fake_cuda().static_shared_bytes = 1024;
  step_.shared_bytes = gpu_.shared_bytes_per_block_optin - 1024;
  EXPECT_THAT(fault(), IsEmpty());
  ++step_.shared_bytes;
  EXPECT_THAT(fault(), HasSubstr("(1024 static, 231425 dynamic)"));
}

TEST_F(LaunchScreeningTest, WhatFitsNoSmIsRefused) {
  fake_cuda().blocks_per_sm = 0;
  EXPECT_THAT(fault(), HasSubstr("no block of copy fits into an SM: 256 threads with 32 registers each"));
  fake_cuda().blocks_per_sm = 1;
  fake_cuda().clusters = 0;
  EXPECT_THAT(fault(), IsEmpty()) << "the launch has no cluster";
  step_.cluster = {4, 2, 1};
  EXPECT_THAT(fault(), HasSubstr("clusters of 8"));
}

TEST_F(LaunchScreeningTest, CooperativeBlocksMustAllBeResident) {
  step_.cooperative = true;
  step_.grid = {264, 1, 1};  // Two blocks on each of 132 SMs.
  EXPECT_THAT(fault(), IsEmpty());
  step_.grid = {265, 1, 1};
  EXPECT_THAT(
      fault(),
      HasSubstr("its 265 blocks must all be resident at once: only 264 can be (2 on each of 132 SMs)"));
}

TEST_F(LaunchScreeningTest, PageableMemoryIsPassedOnlyToAGpuThatReadsIt) {
  resolved_[1].name = "x";
  resolved_[1].memory = kernel_templates::Memory::kPageable;
  EXPECT_THAT(fault(), HasSubstr("copy gets \"x\", which is in pageable memory"));
  fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] = 1;
  EXPECT_THAT(fault(), IsEmpty());
  fake_cuda().attributes.clear();
  kernel_templates::PassedArgument other;
  other.argument = 0;
  step_.arguments = std::vector{other};
  fake_cuda().parameter_sizes = {8};
  EXPECT_THAT(fault(), IsEmpty()) << "the kernel does not get the argument";
}

TEST_F(LaunchScreeningTest, ManagedMemoryIsRefusedWhereItsPagesCannotMoveWhileTheGpuWorks) {
  resolved_[1].name = "x";
  resolved_[1].memory = kernel_templates::Memory::kManaged;
  EXPECT_THAT(fault(), HasSubstr("\"x\" is in managed memory, which the host and this GPU cannot access"));
  fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1;
  EXPECT_THAT(fault(), IsEmpty());
}

TEST_F(LaunchScreeningTest, LaunchesThatAreAlikeAreScreenedOnceAndOthersAgain) {
  LaunchScreening screening(compiled_, gpu_, sizes_, resolved_);
  ASSERT_TRUE(screening.screen(nullptr, step_));
  ASSERT_TRUE(screening.screen(nullptr, step_));
  EXPECT_EQ(fake_cuda().lookups, 1);
  step_.grid = {1001, 1, 1};
  EXPECT_EQ(screening.screen(nullptr, step_)->use.blocks, 1001);
  EXPECT_EQ(fake_cuda().lookups, 2);
}

TEST_F(LaunchScreeningTest, TheDriverIsToldTheLargestSharedMemoryAndLargeClusters) {
  LaunchScreening screening(compiled_, gpu_, sizes_, resolved_);
  for (const std::int64_t bytes : {1000, 50'000, 2000}) {
    step_.shared_bytes = bytes;
    ASSERT_TRUE(screening.screen(nullptr, step_));
  }
  step_.cluster = {16, 1, 1};
  ASSERT_TRUE(screening.screen(nullptr, step_));
  EXPECT_THAT(fake_cuda().attributes_set,
              ElementsAre(Pair(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000),
                          Pair(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50'000),
                          Pair(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)));
}

TEST_F(LaunchScreeningTest, TheDriverIsToldThePreferredSharedMemoryWhichIsThatOfAllLaunchesOfAKernel) {
  LaunchScreening screening(compiled_, gpu_, sizes_, resolved_);
  step_.carveout = 40;
  ASSERT_TRUE(screening.screen(nullptr, step_));
  EXPECT_THAT(fake_cuda().attributes_set,
              ElementsAre(Pair(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 40)));
  step_.carveout = 50;
  const auto other = screening.screen(nullptr, step_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "the launches of copy have different values of carveout");
  step_.carveout.reset();
  EXPECT_FALSE(screening.screen(nullptr, step_));
}

TEST_F(LaunchScreeningTest, ALaunchHasTheAttributesItNeeds) {
  const LaunchConfig plain(step_, nullptr);
  EXPECT_EQ(plain.config.gridDimX, 1000U);
  EXPECT_EQ(plain.config.blockDimX, 256U);
  EXPECT_EQ(plain.config.numAttrs, 0U);
  step_.cluster = {2, 3, 1};
  step_.cooperative = true;
  const LaunchConfig both(step_, nullptr);
  ASSERT_EQ(both.config.numAttrs, 2U);
  EXPECT_EQ(both.config.attrs[0].value.clusterDim.y, 3U);
  EXPECT_EQ(both.config.attrs[1].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  step_.cluster_scheduling = kernel_templates::ClusterScheduling::kLoadBalancing;
  const LaunchConfig all(step_, nullptr);
  ASSERT_EQ(all.config.numAttrs, 3U);
  EXPECT_EQ(all.config.attrs[2].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  EXPECT_EQ(all.config.attrs[2].value.clusterSchedulingPolicyPreference,
            CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
}

TEST_F(LaunchScreeningTest, AKernelOfAGraphHasItsPriorityAsAnAttribute) {
  const LaunchConfig node(step_, nullptr, -3);
  ASSERT_EQ(node.config.numAttrs, 1U);
  EXPECT_EQ(node.config.attrs[0].id, CU_LAUNCH_ATTRIBUTE_PRIORITY);
  EXPECT_EQ(node.config.attrs[0].value.priority, -3);
}

TEST_F(LaunchScreeningTest, LaunchesThatDifferInTheirClusterSchedulingAreScreenedApart) {
  LaunchScreening screening(compiled_, gpu_, sizes_, resolved_);
  ASSERT_TRUE(screening.screen(nullptr, step_));
  step_.cluster_scheduling = kernel_templates::ClusterScheduling::kSpread;
  ASSERT_TRUE(screening.screen(nullptr, step_));
  EXPECT_EQ(fake_cuda().lookups, 2);
}

}  // namespace
}  // namespace warptune::profiling::driver
