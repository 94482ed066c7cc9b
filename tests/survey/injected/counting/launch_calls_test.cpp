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

TEST(LaunchCallsTest, ReadsTheGraphOfALaunch) {
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz)->kind, LaunchCallKind::kGraphLaunch);
  const struct {
    CUgraphExec graph = reinterpret_cast<CUgraphExec>(8);
    CUstream stream = reinterpret_cast<CUstream>(16);
  } parameters;
  EXPECT_EQ(graph_launch(&parameters).graph, parameters.graph);
  EXPECT_EQ(graph_launch(&parameters).stream, parameters.stream);
  EXPECT_EQ(graph_launch(nullptr).graph, nullptr);
}

TEST(LaunchCallsTest, ReadsAGraphThatWasMadeReady) {
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags)->kind,
            LaunchCallKind::kGraphInstantiate);
  auto executable = reinterpret_cast<CUgraphExec>(8);
  const struct {
    CUgraphExec* executable;
    CUgraph graph;
  } parameters{&executable, reinterpret_cast<CUgraph>(16)};
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.functionParams = &parameters;
  data.functionReturnValue = &result;
  const auto made = [&] { return ready_graph(LaunchCallKind::kGraphInstantiate, data); };
  EXPECT_EQ(made().executable, executable);
  EXPECT_EQ(made().graph, parameters.graph);
  result = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(made().executable, nullptr);
  data.functionParams = nullptr;
  EXPECT_EQ(made().executable, nullptr);
}

TEST(LaunchCallsTest, ReadsAGraphThatWasUpdatedOrDestroyed) {
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2)->kind, LaunchCallKind::kGraphUpdate);
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy)->kind, LaunchCallKind::kGraphDestroy);
  const struct {
    CUgraphExec executable = reinterpret_cast<CUgraphExec>(8);
    CUgraph graph = reinterpret_cast<CUgraph>(16);
  } parameters;
  CUpti_CallbackData data{};
  data.functionParams = &parameters;
  EXPECT_EQ(ready_graph(LaunchCallKind::kGraphUpdate, data).executable, parameters.executable);
  EXPECT_EQ(ready_graph(LaunchCallKind::kGraphUpdate, data).graph, parameters.graph);
  EXPECT_EQ(ready_graph(LaunchCallKind::kGraphDestroy, data).executable, parameters.executable);
  EXPECT_EQ(ready_graph(LaunchCallKind::kGraphDestroy, data).graph, nullptr);
}

TEST(LaunchCallsTest, HasNoGeometryWithoutParameters) {
  const CUlaunchConfig* const none = nullptr;
  EXPECT_FALSE(launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, nullptr));
  EXPECT_FALSE(launch_form(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &none));
}

}  // namespace

}  // namespace warptune::survey::injected::counting
