#include "tuner/gpus/described_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace warptune::tuner::gpus {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    DescribedGpu::parse(text);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DescribedGpuTest, HasTheLimitsOfItsComputeCapability) {
  for (const char* text : {"cc=80,sms=108", "sms=108, cc=8.0"}) {
    const std::optional<DescribedGpu> parsed = DescribedGpu::parse(text);
    ASSERT_TRUE(parsed) << text;
    const model::GpuDescription gpu = parsed->description();
    EXPECT_EQ(gpu.architecture(), "sm_80");
    EXPECT_EQ(gpu.sm_count, 108);
    EXPECT_EQ(gpu.shared_bytes_per_block_optin, 163 * 1024);
    EXPECT_TRUE(parsed->fits(gpu));
  }
  EXPECT_EQ(DescribedGpu::parse("cc=121,sms=48")->description().max_threads_per_sm, 1536);
  EXPECT_EQ(DescribedGpu::parse("cc=10.3,sms=160")->description().compute_minor, 3);
}

TEST(DescribedGpuTest, TheBandwidthDistinguishesModels) {
  const auto h100 = DescribedGpu::parse("cc=90,sms=132,bandwidth=3350");
  ASSERT_TRUE(h100);
  model::GpuDescription gpu = h100->description();
  EXPECT_EQ(gpu.memory_bandwidth_bytes_per_s, 3'350'000'000'000);
  gpu.memory_bandwidth_bytes_per_s = 3'352'320'000'000;
  EXPECT_TRUE(h100->fits(gpu)) << "vendors round it";
  gpu.memory_bandwidth_bytes_per_s = 4'916'736'000'000;
  EXPECT_FALSE(h100->fits(gpu));
  EXPECT_TRUE(DescribedGpu::parse("cc=90,sms=132")->fits(gpu));
  gpu.memory_bandwidth_bytes_per_s = 0;
  EXPECT_TRUE(h100->fits(gpu)) << "it is unknown";
}

TEST(DescribedGpuTest, ANameIsNoDescription) { EXPECT_FALSE(DescribedGpu::parse("NVIDIA A100")); }

TEST(DescribedGpuTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal("cc=80"), HasSubstr("sms is missing"));
  EXPECT_THAT(refusal("sms=80"), HasSubstr("cc is missing"));
  EXPECT_THAT(refusal("cc=8,sms=108"), HasSubstr("'8' is not a compute capability"));
  EXPECT_THAT(refusal("cc=80,sms=0"), HasSubstr("'0' is not a number of SMs"));
  for (const char* bandwidth : {"0", "-5", "1.5e3", "", "1000001", "99999999999"}) {
    EXPECT_THAT(refusal(std::string("cc=80,sms=108,bandwidth=") + bandwidth),
                HasSubstr("is not a bandwidth in GB/s"));
  }
  EXPECT_THAT(refusal("cc=80,sms=108,l2=5"), HasSubstr("found 'l2=5'"));
  EXPECT_THAT(refusal("cc=40,sms=8"), HasSubstr("the limits of compute capability 4.0 are not known"));
}

}  // namespace
}  // namespace warptune::tuner::gpus
