#include "profiling/driver/host_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_templates/launch_plan.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using kernel_templates::kHighestPriority;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HostResourcesTest : public ::testing::Test {
 protected:
  HostResourcesTest() { fake_cuda() = FakeCuda{}; }

  CUstream first_ = reinterpret_cast<CUstream>(&first_);
};

TEST_F(HostResourcesTest, StreamZeroIsTheRunnersUnlessItHasAPriority) {
  HostResources resources(first_);
  EXPECT_THAT(resources.streams(1, {}), ElementsAre(first_));
  EXPECT_EQ(resources.streams(2, {0, -1}).front(), first_);
  EXPECT_NE(resources.streams(2, {-2, 0}).front(), first_);
  EXPECT_THAT(fake_cuda().stream_priorities, ElementsAre(-1, -2));
}

TEST_F(HostResourcesTest, PlansWithTheSamePrioritiesShareStreams) {
  HostResources resources(first_);
  const std::vector<CUstream> streams = resources.streams(2, {-1, -1});
  EXPECT_NE(streams[0], streams[1]);
  EXPECT_EQ(resources.streams(2, {-1, -1}), streams);
  EXPECT_NE(resources.streams(2, {-1, -3})[1], streams[1]);
  EXPECT_THAT(fake_cuda().stream_priorities, SizeIs(3));
}

TEST_F(HostResourcesTest, HighIsTheHighestPriorityOfTheGpu) {
  EXPECT_THAT(*driver_priorities({kHighestPriority, 0, -2}), ElementsAre(-5, 0, -2));
  EXPECT_THAT(*driver_priorities({}), IsEmpty());
  const auto refused = driver_priorities({0, -6});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "the priority of stream 1 is -6, but this GPU has those from -5 (high) to 0 (low)");
}

}  // namespace
}  // namespace warptune::profiling::driver
