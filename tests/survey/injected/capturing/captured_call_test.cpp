#include "survey/injected/capturing/captured_call.h"

#include <cupti_driver_cbid.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace warptune::survey::injected::capturing {

namespace {

using ::testing::ElementsAre;

// The parameters of cuLaunchKernel.
struct Launch {
  CUfunction function = nullptr;
  unsigned grid[3] = {2, 3, 4};
  unsigned block[3] = {32, 4, 1};
  unsigned shared = 100;
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
};

TEST(CapturedCallTest, ReadsAPlainLaunch) {
  void* parameters[1] = {};
  void* extra[1] = {};
  Launch launch;
  launch.parameters = parameters;
  launch.extra = extra;
  const std::optional<CapturedCall> call = captured_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &launch);
  ASSERT_TRUE(call);
  EXPECT_THAT(call->grid, ElementsAre(2, 3, 4));
  EXPECT_THAT(call->block, ElementsAre(32, 4, 1));
  EXPECT_EQ(call->shared_bytes, 100U);
  EXPECT_EQ(call->parameters, parameters);
  EXPECT_EQ(call->extra, extra);
  EXPECT_FALSE(call->cooperative);
}

TEST(CapturedCallTest, ACooperativeLaunchHasNoExtraParameters) {
  void* extra[1] = {};
  Launch launch;
  launch.extra = extra;  // Beyond the parameters of the call.
  const auto call = captured_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &launch);
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->cooperative);
  EXPECT_EQ(call->extra, nullptr);
}

TEST(CapturedCallTest, ReadsTheAttributesOfAnExtendedLaunch) {
  std::array<CUlaunchAttribute, 3> attributes{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {2, 1, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  CUlaunchConfig config{};
  config.gridDimX = 7;
  config.attrs = attributes.data();
  config.numAttrs = attributes.size();
  const struct {
    const CUlaunchConfig* config;
    CUfunction function;
    void** parameters;
    void** extra;
  } launch{&config, nullptr, nullptr, nullptr};
  const auto call = captured_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &launch);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->grid[0], 7U);
  EXPECT_THAT(call->cluster, ElementsAre(2, 1, 1));
  EXPECT_TRUE(call->cooperative);
  EXPECT_EQ(call->left_out_attributes, 1U);
}

TEST(CapturedCallTest, NeedsParametersOfALaunch) {
  Launch launch;
  EXPECT_FALSE(captured_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, nullptr));
  EXPECT_FALSE(captured_call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, &launch));
}

}  // namespace

}  // namespace warptune::survey::injected::capturing
