#include "profiling/resident_context.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "profiling/gpu.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling {
namespace {

class ResidentContextTest : public ::testing::Test {
 protected:
  ResidentContextTest() {
    fake_cuda() = FakeCuda{};
    fake_cuda().devices = 2;
  }
};

TEST_F(ResidentContextTest, TheCurrentContextIsTaken) {
  fake_cuda().current = reinterpret_cast<CUcontext>(5);
  const ResidentContext context(0);
  EXPECT_EQ(context.get(), fake_cuda().current);
  EXPECT_EQ(fake_cuda().contexts, 0);
}

TEST_F(ResidentContextTest, AThreadWithoutAContextGetsThePrimaryOne) {
  {
    const ResidentContext context(1);
    EXPECT_NE(context.get(), nullptr);
    EXPECT_EQ(fake_cuda().contexts, 1);
  }
  EXPECT_EQ(fake_cuda().contexts, 0);
}

TEST_F(ResidentContextTest, AContextOfAnotherDeviceIsRefused) {
  fake_cuda().current = reinterpret_cast<CUcontext>(5);
  fake_cuda().context_device = 1;
  EXPECT_THROW(ResidentContext(0), base::InputError);
  EXPECT_EQ(current_device(), 1);
}

TEST_F(ResidentContextTest, WithoutAContextTheFirstDeviceIsCurrent) { EXPECT_EQ(current_device(), 0); }

TEST_F(ResidentContextTest, OneGpuIsDescribedWithoutTheOthers) {
  fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9;
  fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 132;
  const model::GpuDescription gpu = local_gpu(1);
  EXPECT_EQ(gpu.sm_count, 132);
  EXPECT_EQ(gpu.chip, "GH100");
  EXPECT_THROW(local_gpu(2), base::MachineError);
}

}  // namespace
}  // namespace warptune::profiling
