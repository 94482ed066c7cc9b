#include "profiling/driver/guarded_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using ::testing::ElementsAre;

class GuardedBufferTest : public ::testing::Test {
 protected:
  GuardedBufferTest() { fake_cuda() = FakeCuda{}; }
};

TEST_F(GuardedBufferTest, HasGuardsAroundItAndKeepsItsMemoryWhenItShrinks) {
  GuardedBuffer buffer;
  buffer.resize(1000, "it");
  EXPECT_EQ(buffer.guard_before() + buffer.guard_bytes(), buffer.data());
  EXPECT_EQ(buffer.guarded_bytes(), 1000 + 2 * buffer.guard_bytes());
  buffer.resize(500, "it");
  EXPECT_THAT(fake_cuda().allocated, ElementsAre(GuardedBuffer::allocated_bytes(1000)));
}

TEST_F(GuardedBufferTest, WithoutGuardsItHasExactlyTheWantedSize) {
  GuardedBuffer buffer(Guards::kNone);
  buffer.resize(1000, "it");
  EXPECT_EQ(buffer.guard_before(), buffer.data());
  EXPECT_EQ(buffer.guarded_bytes(), 1000U);
  buffer.resize(500, "it");
  buffer.resize(0, "it");  // The driver allocates at least one byte.
  EXPECT_THAT(fake_cuda().allocated, ElementsAre(1000, 500, 1));
}

TEST_F(GuardedBufferTest, MemoryOfTheHostMayLackGuardsToo) {
  HostBuffer with;
  HostBuffer without(Guards::kNone);
  for (HostBuffer* buffer : {&with, &without})
    ASSERT_TRUE(buffer->resize(kernel_templates::Memory::kPinned, 1000, "it"));
  EXPECT_NE(with.guard_before(), with.data());
  EXPECT_EQ(without.guard_before(), without.data());
}

}  // namespace
}  // namespace warptune::profiling::driver
