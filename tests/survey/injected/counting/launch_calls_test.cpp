#include "survey/injected/counting/launch_calls.h"

#include <cupti_driver_cbid.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

namespace warptune::survey::injected::counting {

namespace {

using Sizes = std::array<std::uint32_t, 3>;

TEST(LaunchCallsTest, KnowsLaunchesAndCaptures) {
  ASSERT_NE(launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz), nullptr);
  EXPECT_TRUE(launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz)->by_thread);
  EXPECT_FALSE(launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)->by_thread);
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture)->kind, LaunchCallKind::kCaptureEnd);
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2), nullptr);
}

TEST(LaunchCallsTest, ReadsTheGeometryOfAPlainLaunch) {
  struct {
    CUfunction function = nullptr;
    unsigned int numbers[7] = {4, 5, 6, 32, 2, 1, 128};
    CUstream stream = reinterpret_cast<CUstream>(8);
  } const parameters;
  const std::optional<LaunchForm> form = launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &parameters);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->grid, (Sizes{4, 5, 6}));
  EXPECT_EQ(form->block, (Sizes{32, 2, 1}));
  EXPECT_EQ(form->stream, reinterpret_cast<CUstream>(8));
}

TEST(LaunchCallsTest, ReadsTheGeometryOfAnExtendedLaunch) {
  CUlaunchConfig config{};
  config.gridDimX = 7;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  const CUlaunchConfig* const parameters = &config;
  const std::optional<LaunchForm> form = launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &parameters);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->grid, (Sizes{7, 1, 1}));
  EXPECT_EQ(form->block, (Sizes{64, 1, 1}));
}

TEST(LaunchCallsTest, HasNoGeometryWithoutParameters) {
  const CUlaunchConfig* const none = nullptr;
  EXPECT_FALSE(launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, nullptr));
  EXPECT_FALSE(launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &none));
}

}  // namespace

}  // namespace warptune::survey::injected::counting
