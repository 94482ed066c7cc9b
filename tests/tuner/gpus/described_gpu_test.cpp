#include "tuner/gpus/described_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(DescribedGpuTest, ANameIsNoDescription) { EXPECT_FALSE(DescribedGpu::parse("NVIDIA A100")); }

TEST(DescribedGpuTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal("cc=80"), HasSubstr("sms is missing"));
  EXPECT_THAT(refusal("sms=80"), HasSubstr("cc is missing"));
  EXPECT_THAT(refusal("cc=8,sms=108"), HasSubstr("'8' is not a compute capability"));
  EXPECT_THAT(refusal("cc=80,sms=0"), HasSubstr("'0' is not a number of SMs"));
  EXPECT_THAT(refusal("cc=80,sms=108,l2=5"), HasSubstr("found 'l2=5'"));
  EXPECT_THAT(refusal("cc=40,sms=8"), HasSubstr("the limits of compute capability 4.0 are not known"));
}

}  // namespace
}  // namespace warptune::tuner::gpus
