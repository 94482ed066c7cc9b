#include "profiling/driver/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class CudaDriverTest : public ::testing::Test {
 protected:
  CudaDriverTest() { fake_cuda() = FakeCuda{}; }
};

TEST_F(CudaDriverTest, AFailedCallKeepsItsCodeAndItsText) {
  try {
    check_cuda(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc(x)");
    FAIL();
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY: out of memory (cuMemAlloc(x))"));
  }
  EXPECT_NO_THROW(check_cuda(CUDA_SUCCESS, "cuInit"));
  EXPECT_EQ(describe(CUDA_ERROR_INVALID_VALUE), "CUDA error 1")
      << "the driver has no description of this code";
}

TEST_F(CudaDriverTest, ACallInAForkedProcessSaysThatItWasForked) {
  cuda();  // CUDA is initialised.
  EXPECT_EXIT(
      {
        try {
          CUcontext context = nullptr;
          WARPTUNE_CUDA(cuCtxGetCurrent(&context));
        } catch (const CudaError& error) {
          std::cerr << error.what();
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "was forked from one that used it.*\"spawn\"");
}

TEST_F(CudaDriverTest, ErrorsOfACodeThatFaultedStickAndThoseOfAnArgumentDoNot) {
  EXPECT_TRUE(is_sticky(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(is_sticky(CUDA_ERROR_LAUNCH_TIMEOUT));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_INVALID_VALUE));
}

TEST_F(CudaDriverTest, MemoryThatIsNotThereIsNamedWithWhatIsFree) {
  fake_cuda().free_bytes = 1000;
  EXPECT_TRUE(allocate(1000, "the output"));
  try {
    allocate(1001, "the output");
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the output needs 1001 bytes of GPU memory, 1000 of 1073741824 are free"));
  }
}

TEST_F(CudaDriverTest, TemporaryMemoryComesFromTheGpuOrFromThePoolInTheOrderOfAStream) {
  int place = 0;
  auto* const stream = reinterpret_cast<CUstream>(&place);
  allocate_and_free(64);
  EXPECT_THAT(fake_cuda().allocated, testing::ElementsAre(64));
  EXPECT_THAT(fake_cuda().pool_calls, testing::IsEmpty());
  allocate_and_free_from_pool(128, stream);
  EXPECT_THAT(fake_cuda().allocated, testing::ElementsAre(64, 128));
  EXPECT_THAT(fake_cuda().pool_calls, testing::ElementsAre(stream, stream));
}

TEST_F(CudaDriverTest, PageLockedMemoryThatIsNotThereIsNamed) {
  fake_cuda().free_host_bytes = 1000;
  for (const auto& allocate_on_host : {allocate_pinned, allocate_write_combined}) {
    EXPECT_TRUE(allocate_on_host(1000, "the output"));
    try {
      allocate_on_host(1001, "the output");
      FAIL();
    } catch (const CudaError&) {
      FAIL() << "it says only what the driver says";
    } catch (const base::MachineError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the output needs 1001 bytes of the host's page-locked memory"));
    }
  }
}

TEST_F(CudaDriverTest, PinnedMemoryIsZeroedAndWhatIsUploadedArrives) {
  const PinnedMemory pinned = allocate_pinned(64, "it");
  const auto* bytes = static_cast<const char*>(pinned.get());
  EXPECT_THAT(std::vector<char>(bytes, bytes + 64), Each('\0'));
  const DeviceMemory memory = allocate(4, "a word");
  const int word = 42;
  upload(memory.get(), &word, sizeof word);
  int back = 0;
  WARPTUNE_CUDA(cuMemcpyDtoH(&back, memory.get(), sizeof back));
  EXPECT_EQ(back, 42);
}

TEST_F(CudaDriverTest, AContextIsReleasedAndOneOfAMissingGpuIsRefused) {
  {
    const Context context(0);
    EXPECT_EQ(fake_cuda().contexts, 1);
    EXPECT_NE(context.get(), nullptr);
  }
  EXPECT_EQ(fake_cuda().contexts, 0);
  for (const int ordinal : {-1, 1}) {
    try {
      const Context context(ordinal);
      FAIL() << ordinal;
    } catch (const base::MachineError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the driver shows 1"));
    }
  }
  EXPECT_EQ(fake_cuda().contexts, 0);
}

TEST_F(CudaDriverTest, AGpuHasItsPlace) { EXPECT_EQ(pci_bus_id(0), "0000:01:00.0"); }

}  // namespace
}  // namespace warptune::profiling::driver
