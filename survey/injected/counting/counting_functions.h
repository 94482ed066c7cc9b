// The functions of CUPTI and of the driver that counting needs, loaded into the surveyed program.
#pragma once

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstddef>

namespace warptune::survey::injected::counting {

// clang-format off: version 14 does not settle on a layout of this list.
#define WARPTUNE_COUNTING_FUNCTIONS(X)            \
  X(cuptiSubscribe)                               \
  X(cuptiEnableCallback)                          \
  X(cuptiGetDeviceId)                             \
  X(cuptiGetResultString)                         \
  X(cuptiProfilerInitialize)                      \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerGetCounterDataInfo)
// clang-format on

/// The functions, or null where they are missing.
struct CountingFunctions {
// The name of a declared member cannot be in parentheses.
#define WARPTUNE_DECLARE(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  WARPTUNE_COUNTING_FUNCTIONS(WARPTUNE_DECLARE)
#undef WARPTUNE_DECLARE
  // Functions of the driver, which may be missing.
  CUresult (*wait_for_context)() = nullptr;
  CUresult (*graph_nodes)(CUgraph graph, CUgraphNode* nodes, std::size_t* count) = nullptr;
  CUresult (*node_type)(CUgraphNode node, CUgraphNodeType* type) = nullptr;
  CUresult (*child_graph)(CUgraphNode node, CUgraph* graph) = nullptr;
  CUresult (*kernel_node)(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters) = nullptr;
  CUresult (*function_name)(const char** name, CUfunction function) = nullptr;
  CUresult (*kernel_name)(const char** name, CUkernel kernel) = nullptr;
  CUresult (*is_capturing)(CUstream stream, CUstreamCaptureStatus* status) = nullptr;
  CUresult (*is_capturing_by_thread)(CUstream stream, CUstreamCaptureStatus* status) = nullptr;
  CUresult (*device_uuid)(CUuuid* uuid, CUdevice device) = nullptr;
  const char* problem = nullptr;  ///< Why nothing can be counted, as a sentence; null if it can.

  /// Whether the driver has what launches of graphs need.
  bool has_graphs() const {
    return wait_for_context != nullptr && graph_nodes != nullptr && node_type != nullptr &&
           child_graph != nullptr && kernel_node != nullptr &&
           (function_name != nullptr || kernel_name != nullptr);
  }
};

/// Loads the functions from the CUPTI of `cupti_functions.h`, which must have been loaded.
CountingFunctions load_counting_functions(void* cupti);

}  // namespace warptune::survey::injected::counting
