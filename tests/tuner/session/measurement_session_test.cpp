// The GPU of a session whose configurations a caller chooses. lab_session_test.cpp measures in such sessions.
#include "tuner/session/measurement_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "tests/tuner/program.h"

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

TEST(MeasurementSessionTest, ThatIsCancelledWhileItWaitsForTheGpuStartsNoWorkerAndOpensNoDatabase) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::TemporaryFolder folder;
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel("vector_add"), {},
                                                  model::fictional_gpu());
  gpus::LocalGpus gpus;
  testing::RecordingListener listener;
  base::Cancellation cancellation;
  MeasurementRequest request;
  request.compile_workers = 1;
  request.database = folder / "rows.db";
  cancellation.cancel();
  const MeasurementSession session(request, instance, "profile", 0, gpus, listener, cancellation);
  EXPECT_FALSE(session.has_begun());
  EXPECT_TRUE(testing::children_of(::getpid()).empty());
  EXPECT_FALSE(std::filesystem::exists(request.database));
}

}  // namespace
}  // namespace warptune::tuner::session
