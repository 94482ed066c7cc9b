#include "tuner/session/measurement_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel_templates/library.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::session {
namespace {

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
