#include "survey/injected/counting/launch_calls.h"

#include <cupti_driver_cbid.h>

#include <algorithm>
#include <iterator>

namespace warptune::survey::injected::counting {

namespace {

constexpr LaunchCall kCalls[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, LaunchCallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, LaunchCallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, LaunchCallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, LaunchCallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, LaunchCallKind::kLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, LaunchCallKind::kLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, LaunchCallKind::kCaptureBegin, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, LaunchCallKind::kCaptureBegin, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, LaunchCallKind::kCaptureBegin, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, LaunchCallKind::kCaptureBegin, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, LaunchCallKind::kCaptureBegin, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, LaunchCallKind::kCaptureBegin, true},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, LaunchCallKind::kCaptureEnd, false},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, LaunchCallKind::kCaptureEnd, true},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate, LaunchCallKind::kGraphInstantiate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2, LaunchCallKind::kGraphInstantiate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, LaunchCallKind::kGraphInstantiate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams, LaunchCallKind::kGraphInstantiate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz, LaunchCallKind::kGraphInstantiate, true},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate, LaunchCallKind::kGraphUpdate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, LaunchCallKind::kGraphUpdate, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy, LaunchCallKind::kGraphDestroy, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, LaunchCallKind::kGraphLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, LaunchCallKind::kGraphLaunch, true},
};

// The parameters of cuLaunchKernel and cuLaunchCooperativeKernel up to the stream. CUPTI's structures of
// parameters are in generated_cuda_meta.h, which does not compile after cuda.h without its internal names.
struct PlainParameters {
  CUfunction function;
  std::array<unsigned int, 3> grid;
  std::array<unsigned int, 3> block;
  unsigned int shared_bytes;
  CUstream stream;
};
// The first parameter of cuLaunchKernelEx.
struct ExtendedParameters {
  const CUlaunchConfig* config;
};
// The first parameters of all calls that instantiate a graph.
struct InstantiateParameters {
  const CUgraphExec* executable;
  CUgraph graph;
};

}  // namespace

std::span<const LaunchCall> launch_calls() { return kCalls; }

const LaunchCall* launch_call(CUpti_CallbackId callback) {
  const LaunchCall* const found =
      std::find_if(std::begin(kCalls), std::end(kCalls),
                   [&](const LaunchCall& call) { return call.callback == callback; });
  return found == std::end(kCalls) ? nullptr : found;
}

// A capture begins with the call that begins it, unless that fails. It ends with the end of the other call,
// unless there was nothing to end.
int change_of_captures(const LaunchCall& call, const CUpti_CallbackData& data) {
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  const auto* const returned = static_cast<const CUresult*>(data.functionReturnValue);
  const CUresult result = enters || returned == nullptr ? CUDA_SUCCESS : *returned;
  if (call.kind == LaunchCallKind::kCaptureEnd) {
    const bool ended_none = result == CUDA_ERROR_ILLEGAL_STATE ||
                            result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ||
                            result == CUDA_ERROR_INVALID_VALUE;
    return enters || ended_none ? 0 : -1;
  }
  if (enters) return 1;
  return result == CUDA_SUCCESS ? 0 : -1;
}

std::optional<LaunchForm> launch_form(CUpti_CallbackId callback, const void* parameters) {
  if (parameters == nullptr) return std::nullopt;
  switch (callback) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& launch = *static_cast<const PlainParameters*>(parameters);
      return LaunchForm{launch.grid, launch.block, launch.stream};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const CUlaunchConfig* const config = static_cast<const ExtendedParameters*>(parameters)->config;
      if (config == nullptr) return std::nullopt;
      return LaunchForm{{config->gridDimX, config->gridDimY, config->gridDimZ},
                        {config->blockDimX, config->blockDimY, config->blockDimZ},
                        config->hStream};
    }
    default:
      return std::nullopt;
  }
}

GraphLaunch graph_launch(const void* parameters) {
  return parameters == nullptr ? GraphLaunch{} : *static_cast<const GraphLaunch*>(parameters);
}

ReadyGraph ready_graph(LaunchCallKind kind, const CUpti_CallbackData& data) {
  const auto* const returned = static_cast<const CUresult*>(data.functionReturnValue);
  if (data.functionParams == nullptr || (returned != nullptr && *returned != CUDA_SUCCESS)) return {};
  if (kind == LaunchCallKind::kGraphInstantiate) {
    const auto& call = *static_cast<const InstantiateParameters*>(data.functionParams);
    return {call.executable == nullptr ? nullptr : *call.executable, call.graph};
  }
  if (kind == LaunchCallKind::kGraphDestroy)
    return {*static_cast<const CUgraphExec*>(data.functionParams), nullptr};
  return *static_cast<const ReadyGraph*>(data.functionParams);
}

}  // namespace warptune::survey::injected::counting
