#include "fleet/gpu_predicate.h"

#include <gtest/gtest.h>

namespace warptune::fleet {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

model::GpuDescription h100() {
  model::GpuDescription gpu;
  gpu.name = "NVIDIA H100 80GB HBM3";
  gpu.compute_major = 9;
  gpu.memory_bytes = 80 * kGib;
  return gpu;
}

TEST(GpuPredicateTest, WithoutPartsEveryGpuFits) {
  EXPECT_TRUE(GpuPredicate{}.fits(h100()));
  EXPECT_EQ(GpuPredicate{}.text(), "any GPU");
}

TEST(GpuPredicateTest, TheNameIsAPatternInAnyCase) {
  EXPECT_TRUE(GpuPredicate{"nvidia h100*"}.fits(h100()));
  EXPECT_TRUE(GpuPredicate{"*H?00*"}.fits(h100()));
  EXPECT_FALSE(GpuPredicate{"*A100*"}.fits(h100()));
  EXPECT_FALSE(GpuPredicate{"H100"}.fits(h100())) << "the pattern describes the whole name";
}

TEST(GpuPredicateTest, BoundsOfTheCapabilityAreInclusive) {
  EXPECT_TRUE((GpuPredicate{"", 90, 90}.fits(h100())));
  EXPECT_FALSE((GpuPredicate{"", 100}.fits(h100())));
  EXPECT_FALSE((GpuPredicate{"", {}, 89}.fits(h100())));
}

TEST(GpuPredicateTest, MemoryHasALowerBound) {
  EXPECT_TRUE((GpuPredicate{"", {}, {}, 80 * kGib}.fits(h100())));
  EXPECT_FALSE((GpuPredicate{"", {}, {}, 80 * kGib + 1}.fits(h100())));
}

TEST(GpuPredicateTest, ThePartsAreSaid) {
  EXPECT_EQ((GpuPredicate{"*H100*", 90, {}, 40 * kGib}.text()),
            "*H100*, compute capability 9.0 and above, memory 40 GiB and above");
  EXPECT_EQ((GpuPredicate{"", 80, 89}.text()), "compute capability 8.0 to 8.9");
  EXPECT_EQ((GpuPredicate{"", 86, 86}.text()), "compute capability 8.6");
  EXPECT_EQ((GpuPredicate{"", {}, 89}.text()), "compute capability 8.9 and below");
}

}  // namespace
}  // namespace warptune::fleet
