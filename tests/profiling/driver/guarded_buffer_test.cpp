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

TEST_F(GuardedBufferTest, SeparateMemoryMayLackGuardsToo) {
  for (const Guards guards : {Guards::kAround, Guards::kNone}) {
    GuardedBuffer device(guards);
    device.resize(1000, "it");
    SeparateBuffer separate(guards);
    ASSERT_TRUE(separate.resize(kernel_templates::Memory::kManaged, 1000, "it"));
    fake_cuda().copied.clear();
    separate.write_guarded(device, nullptr);
    ASSERT_EQ(fake_cuda().copied.size(), 1U);
    EXPECT_EQ(fake_cuda().copied.front().first, separate.address() - device.guard_bytes());
    EXPECT_EQ(fake_cuda().copied.front().second, device.guard_before());
  }
}

TEST_F(GuardedBufferTest, ManagedMemoryWithoutGuardsHasExactlyTheWantedSize) {
  SeparateBuffer separate(Guards::kNone);
  separate.resize(kernel_templates::Memory::kManaged, 1000, "it");
  separate.resize(kernel_templates::Memory::kManaged, 0, "it");
  EXPECT_THAT(fake_cuda().allocated, ElementsAre(1000, 1));
}

}  // namespace
}  // namespace warptune::profiling::driver
