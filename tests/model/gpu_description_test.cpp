#include "model/gpu_description.h"

#include <gtest/gtest.h>

namespace warptune::model {
namespace {

TEST(GpuDescription, NamesItsArchitecture) {
  EXPECT_EQ(fictional_gpu().architecture(), "sm_90");
  GpuDescription gpu;
  gpu.compute_major = 12;
  EXPECT_EQ(gpu.architecture(), "sm_120");
}

TEST(GpuDescription, KeyFollowsWhatChangesSpeedAndNotTheName) {
  const GpuDescription gpu = fictional_gpu();
  GpuDescription other = gpu;
  other.name = "another name";
  EXPECT_EQ(other.key(), gpu.key());
  EXPECT_EQ(gpu.key().size(), 32U);
  const auto changed = [&gpu](auto change) {
    GpuDescription copy = gpu;
    change(copy);
    return copy.key() != gpu.key();
  };
  EXPECT_TRUE(changed([](GpuDescription& g) { g.compute_minor = 1; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.sm_count = 114; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.l2_bytes = 1; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.memory_bandwidth_bytes_per_s = 1; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.max_clock_khz = 1; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.ecc = !g.ecc; }));
  EXPECT_TRUE(changed([](GpuDescription& g) { g.mig = !g.mig; }));
}

TEST(GpuDescription, GivesExpressionsItsLimits) {
  const NamedValues attributes = fictional_gpu().attributes();
  EXPECT_EQ(*find(attributes, "device_compute_capability"), Value(std::int64_t{90}));
  EXPECT_EQ(*find(attributes, "device_sm_count"), Value(std::int64_t{132}));
  EXPECT_EQ(*find(attributes, "device_shared_bytes_per_block_optin"), Value(std::int64_t{232448}));
  EXPECT_EQ(*find(attributes, "device_shared_bytes_per_sm"), Value(std::int64_t{233472}));
  EXPECT_EQ(*find(attributes, "device_memory_bandwidth_bytes_per_s"), Value(std::int64_t{4800000000000}));
  EXPECT_EQ(attributes.size(), 9U);
}

// NVIDIA's data sheets: H200 67 TFLOP/s, V100 SXM2 15.7, A100 19.5, RTX 3090 35.6.
TEST(GpuDescription, PeaksAtTheDataSheetsFigure) {
  const auto peak = [](int major, int minor, int sms, std::int64_t khz) {
    GpuDescription gpu;
    gpu.compute_major = major;
    gpu.compute_minor = minor;
    gpu.sm_count = sms;
    gpu.max_clock_khz = khz;
    return gpu.peak_fp32_flops() / 1e12;
  };
  EXPECT_NEAR(fictional_gpu().peak_fp32_flops() / 1e12, 67.0, 0.2);
  EXPECT_NEAR(peak(7, 0, 80, 1'530'000), 15.7, 0.1);
  EXPECT_NEAR(peak(8, 0, 108, 1'410'000), 19.5, 0.1);
  EXPECT_NEAR(peak(8, 6, 82, 1'695'000), 35.6, 0.1);
}

}  // namespace
}  // namespace warptune::model
