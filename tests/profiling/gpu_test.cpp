#include "profiling/gpu.h"

#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>

#include "profiling/known_gpu.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

TEST(EnumerateGpusTest, SaysInOneLineWhyThereIsNoGpu) {
  const GpuList list = enumerate_gpus();
  EXPECT_EQ(list.gpus.empty(), !list.reason.empty());
  EXPECT_EQ(list.reason.find('\n'), std::string::npos) << list.reason;
}

using GpuListTest = GpuTest;

TEST_F(GpuListTest, DescribesTheGpuInPlausibleNumbers) {
  const model::GpuDescription gpu = enumerate_gpus().gpus.at(0);
  EXPECT_FALSE(gpu.name.empty());
  EXPECT_FALSE(gpu.chip.empty());
  EXPECT_GE(gpu.compute_major, 7);
  EXPECT_GT(gpu.sm_count, 0);
  EXPECT_GT(gpu.l2_bytes, 1 << 20);
  EXPECT_GT(gpu.memory_bytes, std::int64_t{1} << 30);
  EXPECT_GT(gpu.memory_bandwidth_bytes_per_s, 100'000'000'000);
  EXPECT_GT(gpu.max_clock_khz, 500'000);
  EXPECT_GE(gpu.shared_bytes_per_block_optin, gpu.shared_bytes_per_block);
  EXPECT_GE(gpu.shared_bytes_per_sm, gpu.shared_bytes_per_block_optin);
  EXPECT_EQ(gpu.warp_size, 32);
  std::cout << gpu.name << ' ' << gpu.chip << ' ' << gpu.sm_count << " SMs, L2 " << gpu.l2_bytes << ", "
            << gpu.memory_bandwidth_bytes_per_s << " B/s, " << gpu.max_clock_khz << " kHz, key " << gpu.key()
            << '\n';
}

TEST_F(GpuListTest, RecognisesWhatTheDriverDescribed) {
  const GpuList list = enumerate_gpus();
  model::GpuDescription other = list.gpus.at(0);
  other.name = "another GPU";
  const std::optional<model::GpuDescription> found = recognise_gpu({other, list.gpus.at(0)}, std::nullopt);
  if (list.gpus.at(0).mig) {
    EXPECT_FALSE(found);
    return;
  }
  ASSERT_TRUE(found) << "NVML's description differs from the driver's";
  EXPECT_EQ(found->key(), list.gpus.at(0).key());
}

TEST_F(GpuListTest, ReadsTheEnvironment) {
  const model::Environment environment = read_environment(0);
  EXPECT_FALSE(environment.warptune_version.empty());
  EXPECT_GE(environment.driver_version, 12000);
  EXPECT_GE(environment.nvrtc_version, 12000);
  EXPECT_GT(environment.sm_clock_mhz, 0);
  EXPECT_GT(environment.memory_clock_mhz, 0);
  EXPECT_EQ(environment.throttle_reasons.substr(0, 2), "0x");
}

}  // namespace
}  // namespace warptune::profiling
