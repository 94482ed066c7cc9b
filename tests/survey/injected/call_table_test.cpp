#include "survey/injected/call_table.h"

#include <gtest/gtest.h>

#include <optional>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::injected {

namespace {

using collecting::CallPurpose;

TEST(CallTableTest, NamesLoseTheirSuffixes) {
  EXPECT_EQ(plain_call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_call_name("__cudaLaunchKernel_v13000"), "cudaLaunchKernel");
  EXPECT_EQ(plain_call_name("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(plain_call_name("cuInit"), "cuInit");
}

TEST(CallTableTest, CallsHaveAPurpose) {
  EXPECT_EQ(purpose_of_call("cudaLaunchKernel"), CallPurpose::kLaunch);
  EXPECT_EQ(purpose_of_call("cuLaunchKernelEx"), CallPurpose::kLaunch);
  EXPECT_EQ(purpose_of_call("cudaLaunchHostFunc"), CallPurpose::kOther);
  EXPECT_EQ(purpose_of_call("cudaGraphLaunch"), CallPurpose::kGraphLaunch);
  EXPECT_EQ(purpose_of_call("cuMemcpyHtoDAsync"), CallPurpose::kCopy);
  EXPECT_EQ(purpose_of_call("cudaMemset2DAsync"), CallPurpose::kFill);
  EXPECT_EQ(purpose_of_call("cudaEventSynchronize"), CallPurpose::kWait);
  EXPECT_EQ(purpose_of_call("cudaMallocAsync"), CallPurpose::kAllocation);
  EXPECT_EQ(purpose_of_call("cudaMallocHost"), CallPurpose::kHostAllocation);
  EXPECT_EQ(purpose_of_call("cuMemAllocHost"), CallPurpose::kHostAllocation);
  EXPECT_EQ(purpose_of_call("cudaFreeAsync"), CallPurpose::kFree);
  EXPECT_EQ(purpose_of_call("cudaFreeHost"), CallPurpose::kHostAllocation);
  EXPECT_EQ(purpose_of_call("cuModuleLoadDataEx"), CallPurpose::kModuleLoad);
}

TEST(CallTableTest, OtherCallsAreNotRecorded) {
  EXPECT_EQ(purpose_of_call("cudaGetLastError"), std::nullopt);
  EXPECT_EQ(purpose_of_call("cudaEventQuery"), std::nullopt);
  EXPECT_EQ(purpose_of_call("cuModuleGetFunction"), std::nullopt);
  EXPECT_EQ(purpose_of_call("cudaMemGetInfo"), std::nullopt);
  EXPECT_EQ(purpose_of_call(""), std::nullopt);
  EXPECT_EQ(purpose_of_call("LaunchKernel"), std::nullopt);
}

}  // namespace

}  // namespace warptune::survey::injected
