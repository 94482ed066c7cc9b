// The GPU of a session whose configurations a caller chooses. lab_session_test.cpp measures in such sessions.
#include "tuner/session/measurement_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::session {
namespace {

model::GpuDescription model_of(const std::string& name, int sm_count) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.name = name;
  gpu.sm_count = sm_count;
  return gpu;
}

const profiling::GpuList kGpus{{model_of("L4", 58), model_of("H200", 132), model_of("H200", 132)}, ""};

TEST(FindDeviceTest, TheFirstGpuOfTheModelIsTaken) {
  EXPECT_EQ(find_device(kGpus, std::nullopt, model_of("H200", 132)), 1);
  EXPECT_EQ(find_device(kGpus, std::nullopt, model_of("A100", 108)), std::nullopt);
  EXPECT_EQ(find_device({}, std::nullopt, model_of("L4", 58)), std::nullopt);
}

TEST(FindDeviceTest, TheNamedGpuIsTakenIfItHasTheModel) {
  EXPECT_EQ(find_device(kGpus, 2, model_of("H200", 132)), 2);
  EXPECT_THROW(find_device(kGpus, 3, model_of("H200", 132)), base::MachineError);
  try {
    find_device(kGpus, 0, model_of("H200", 132));
    FAIL() << "an L4 is no H200";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("--device 0: this GPU is not a H200"));
  }
}

}  // namespace
}  // namespace warptune::tuner::session
