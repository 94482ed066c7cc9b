#include "profiling/program_memory.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling {
namespace {

class ProgramMemoryTest : public ::testing::Test {
 protected:
  ProgramMemoryTest() {
    fake_cuda() = FakeCuda{};
    fake_cuda().devices = 2;
  }
};

TEST_F(ProgramMemoryTest, AnAddressHasTheDeviceOfItsMemory) {
  EXPECT_EQ(device_of_address(kFakeHostMemory), 0);
  EXPECT_EQ(device_of_address(kFakeSecondDevice), 1);
  EXPECT_EQ(device_of_address(kFakeHostMemory - 1), std::nullopt);
}

TEST_F(ProgramMemoryTest, AStreamKeepsItsWorkspace) {
  StreamWorkspaces workspaces;
  void* const other = &workspaces;
  const std::uint64_t first = workspaces.of(nullptr, 1024);
  const std::uint64_t second = workspaces.of(other, 1024);
  EXPECT_NE(first, 0);
  EXPECT_NE(first, second);
  EXPECT_EQ(workspaces.of(nullptr, 1024), first);
  EXPECT_EQ(workspaces.of(other, 1024), second);
}

TEST_F(ProgramMemoryTest, ThePerThreadStreamIsAnotherOneInEachThread) {
  StreamWorkspaces workspaces;
  const std::uint64_t first = workspaces.of(CU_STREAM_PER_THREAD, 1024);
  std::uint64_t second = 0;
  std::thread([&] {
    second = workspaces.of(CU_STREAM_PER_THREAD, 1024);
    EXPECT_EQ(workspaces.of(CU_STREAM_PER_THREAD, 1024), second);
  }).join();
  EXPECT_NE(first, second);
  EXPECT_EQ(workspaces.of(CU_STREAM_PER_THREAD, 1024), first);
  EXPECT_EQ(stream_number(CU_STREAM_LEGACY), 1);
  EXPECT_EQ(stream_number(&workspaces), reinterpret_cast<std::uintptr_t>(&workspaces));
}

TEST_F(ProgramMemoryTest, NothingIsAllocatedDuringACapture) {
  StreamWorkspaces workspaces;
  const std::uint64_t first = workspaces.of(nullptr, 1024);
  fake_cuda().is_capturing = true;
  EXPECT_EQ(workspaces.of(nullptr, 1024), first);
  EXPECT_THROW(workspaces.of(&workspaces, 1024), base::InputError);
}

TEST_F(ProgramMemoryTest, AWorkspaceThatDoesNotFitIsAnErrorOfTheMachine) {
  fake_cuda().free_bytes = 1000;
  StreamWorkspaces workspaces;
  EXPECT_THROW(workspaces.of(nullptr, 1024), base::MachineError);
}

TEST_F(ProgramMemoryTest, AStreamWaitsForAProducer) {
  wait_for_stream(nullptr, reinterpret_cast<void*>(64));
  EXPECT_EQ(fake_cuda().waits, 1);
}

TEST_F(ProgramMemoryTest, ThePrimaryContextStaysRetained) {
  { const PrimaryContext use(1); }
  EXPECT_EQ(fake_cuda().contexts, 1);
  EXPECT_THROW(PrimaryContext(2), base::MachineError);
}

}  // namespace
}  // namespace warptune::profiling
