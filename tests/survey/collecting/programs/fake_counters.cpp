// The fake CUPTI's range profiler, and the calls of which a subscriber hears.
#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <cstdlib>
#include <functional>

#include "tests/survey/collecting/programs/fake_cupti.h"
#include "tests/survey/collecting/programs/fake_cupti_state.h"

namespace {

using fake::has_callback;
using fake::State;
using fake::state;

// A call for a graph, of which a subscriber hears. Returns what `work` returns.
int fake_graph_call(CUpti_CallbackId callback, void* parameters, const std::function<bool()>& work) {
  State& fake = state();
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  data.functionParams = parameters;
  data.correlationData = &shared;
  data.context = reinterpret_cast<CUcontext>(&fake);
  const auto call_back = [&](CUpti_ApiCallbackSite site) {
    data.callbackSite = site;
    if (fake.subscriber != nullptr && has_callback(callback))
      fake.subscriber(fake.subscriber_data, CUPTI_CB_DOMAIN_DRIVER_API, callback, &data);
  };
  call_back(CUPTI_API_ENTER);
  const bool result = work();
  call_back(CUPTI_API_EXIT);
  return result ? 1 : 0;
}

void fake_driver_call(CUpti_CallbackId callback, const char* name, void* parameters, int kernels,
                      void (*work)()) {
  State& fake = state();
  if (fake.subscriber == nullptr || !has_callback(callback)) {
    if (work != nullptr) work();
    return;
  }
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  data.symbolName = name;
  data.functionParams = parameters;
  data.correlationData = &shared;
  data.context = reinterpret_cast<CUcontext>(&fake);
  data.callbackSite = CUPTI_API_ENTER;
  fake.subscriber(fake.subscriber_data, CUPTI_CB_DOMAIN_DRIVER_API, callback, &data);
  if (work != nullptr) work();
  if (fake.counts) fake.image[0] += static_cast<std::uint64_t>(kernels);
  if (fake.counts && parameters != nullptr) fake.image[1] = static_cast<unsigned*>(parameters)[2];
  if (!has_callback(callback)) return;
  data.callbackSite = CUPTI_API_EXIT;
  fake.subscriber(fake.subscriber_data, CUPTI_CB_DOMAIN_DRIVER_API, callback, &data);
}

void launch_kernels(const char* name, std::uint32_t blocks, int kernels, void (*work)()) {
  struct {
    void* function = nullptr;
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {256, 1, 1};
    unsigned shared = 0;
    void* stream = nullptr;
  } parameters;
  parameters.grid[0] = blocks;
  fake_driver_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, name, &parameters, kernels, work);
}

}  // namespace

extern "C" {

CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* device) {
  *device = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "GH100";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* parameters) {
  if (std::getenv("FAKE_CUPTI_FORBIDS_COUNTERS") != nullptr) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  parameters->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&state());
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  state().is_configured = state().has_size = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  state().has_size = true;
  parameters->counterDataSize = 2 * sizeof(std::uint64_t) + 4;  // No multiple of eight.
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* parameters) {
  if (!state().has_size) std::abort();  // The real CUPTI crashes at the next launch.
  state().image = reinterpret_cast<std::uint64_t*>(parameters->pCounterData);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* parameters) {
  State& fake = state();
  // The real CUPTI fails later.
  const bool replays = parameters->replayMode == CUPTI_KernelReplay;
  if (fake.is_configured && fake.replays_kernels != replays) return CUPTI_ERROR_UNKNOWN;
  if (!replays && std::getenv("FAKE_CUPTI_REFUSES_RANGES") != nullptr) return CUPTI_ERROR_UNKNOWN;
  fake.is_configured = true;
  fake.replays_kernels = replays;
  fake.passes = 0;
  return parameters->configSize == 3 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  state().counts = state().replays_kernels;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params*) {
  if (state().replays_kernels) return CUPTI_ERROR_INVALID_OPERATION;
  state().counts = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  return state().counts ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  State& fake = state();
  fake.counts = false;
  const char* const needed = std::getenv("FAKE_CUPTI_PASSES");
  if (!fake.replays_kernels && ++fake.passes == (needed == nullptr ? 1 : std::atoi(needed))) {
    parameters->isAllPassSubmitted = 1;
    fake.image[0] = 1;  // One range.
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  parameters->numTotalRanges = *reinterpret_cast<const std::uint64_t*>(parameters->pCounterDataImage);
  return CUPTI_SUCCESS;
}

void fake_graph_instantiate(void* executable, void* graph) {
  struct {
    void** executable;
    void* graph;
  } parameters{&executable, graph};
  fake_graph_call(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, &parameters, [] { return true; });
}

void fake_graph_update(void* executable, void* graph) {
  struct {
    void* executable;
    void* graph;
  } parameters{executable, graph};
  fake_graph_call(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, &parameters, [] { return true; });
}

int fake_graph_launch(void* executable, void (*work)()) {
  struct {
    void* executable;
    void* stream;
  } parameters{executable, nullptr};
  return fake_graph_call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &parameters, [&] {
    State& fake = state();
    if (work != nullptr) work();
    if (fake.counts && fake.replays_kernels) return false;  // As the real CUPTI does.
    if (fake.counts) ++fake.image[1];
    return true;
  });
}

void fake_nodes_of(std::uint32_t graph) { state().graph = graph; }

void fake_driver_launch(const char* name, std::uint32_t blocks, int kernels) {
  launch_kernels(name, blocks, kernels, nullptr);
}

void fake_launch_between(const char* name, std::uint32_t blocks, void (*work)()) {
  launch_kernels(name, blocks, 1, work);
}

void fake_launch_with(const char* name, void* parameters, void (*work)()) {
  State& fake = state();
  constexpr CUpti_CallbackId kLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  std::uint64_t shared = 0;
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.symbolName = name;
  data.functionParams = parameters;
  data.functionReturnValue = &result;
  data.correlationData = &shared;
  data.callbackSite = CUPTI_API_ENTER;
  const auto call_back = [&] {
    if (fake.subscriber != nullptr && has_callback(kLaunch))
      fake.subscriber(fake.subscriber_data, CUPTI_CB_DOMAIN_DRIVER_API, kLaunch, &data);
  };
  call_back();
  work();
  data.callbackSite = CUPTI_API_EXIT;
  call_back();
}

void fake_load_module(const void* image, std::uint64_t bytes) {
  State& fake = state();
  if (fake.subscriber == nullptr || !has_callback(CUPTI_CBID_RESOURCE_MODULE_LOADED)) return;
  CUpti_ModuleResourceData module{};
  module.cubinSize = bytes;
  module.pCubin = static_cast<const char*>(image);
  CUpti_ResourceData data{};
  data.resourceDescriptor = &module;
  fake.subscriber(fake.subscriber_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

int fake_calls_back() { return has_callback(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) ? 1 : 0; }

void fake_capture(int begins) {
  fake_driver_call(begins != 0 ? CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2
                               : CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
                   nullptr, nullptr, 0, nullptr);
}

}  // extern "C"
