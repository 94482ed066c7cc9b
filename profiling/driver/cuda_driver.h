#pragma once

#include <cuda.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"
#include "base/unique_handle.h"

namespace warptune::profiling::driver {

/// The list of the driver functions that warptune uses. The macros of cuda.h replace each name by the version
/// that belongs to its types, such as cuMemAlloc_v2.
// clang-format off: version 14 does not settle on a layout of this list.
#define WARPTUNE_CUDA_FUNCTIONS(X)               \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetName)                             \
  X(cuDeviceTotalMem)                            \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuCtxGetCurrent)                             \
  X(cuCtxPushCurrent)                            \
  X(cuCtxPopCurrent)                             \
  X(cuCtxSynchronize)                            \
  X(cuStreamCreate)                              \
  X(cuStreamCreateWithPriority)                  \
  X(cuCtxGetStreamPriorityRange)                 \
  X(cuStreamDestroy)                             \
  X(cuStreamSynchronize)                         \
  X(cuStreamGetCtx)                              \
  X(cuStreamIsCapturing)                         \
  X(cuThreadExchangeStreamCaptureMode)           \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuEventQuery)                                \
  X(cuEventElapsedTime)                          \
  X(cuPointerGetAttribute)                       \
  X(cuMemGetInfo)                                \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemAllocHost)                              \
  X(cuMemFreeHost)                               \
  X(cuMemHostAlloc)                              \
  X(cuMemHostGetDevicePointer)                   \
  X(cuMemAllocManaged)                           \
  X(cuMemAllocAsync)                             \
  X(cuMemFreeAsync)                              \
  X(cuMemAdvise)                                 \
  X(cuMemPrefetchAsync)                          \
  X(cuMemcpyHtoD)                                \
  X(cuMemcpyDtoH)                                \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemcpy2DAsync)                             \
  X(cuMemsetD8Async)                             \
  X(cuMemsetD2D8Async)                           \
  X(cuMemsetD32Async)                            \
  X(cuCtxResetPersistingL2Cache)                 \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuFuncGetParamInfo)                          \
  X(cuLaunchKernelEx)                            \
  X(cuTensorMapEncodeTiled)                      \
  X(cuTexObjectCreate)                           \
  X(cuTexObjectDestroy)                          \
  X(cuModuleGetGlobal)                           \
  X(cuStreamWaitEvent)                           \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuGraphInstantiate)                          \
  X(cuGraphUpload)                               \
  X(cuGraphLaunch)                               \
  X(cuGraphDestroy)                              \
  X(cuGraphExecDestroy)                          \
  X(cuMemcpyAsync)                               \
  X(cuMemcpyHtoDAsync)                           \
  X(cuMemcpyDtoHAsync)                           \
  X(cuCtxGetDevice)                              \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuOccupancyMaxActiveClusters)
// clang-format on

/// The functions of libcuda.so.1, which is loaded on first use.
struct CudaDriver {
// The name of a declared member cannot be in parentheses.
#define WARPTUNE_DECLARE(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  WARPTUNE_CUDA_FUNCTIONS(WARPTUNE_DECLARE)
#undef WARPTUNE_DECLARE
};

/// Returns the loaded and initialised driver. Throws `base::MachineError` when there is no driver or it finds
/// no GPU.
const CudaDriver& cuda();

/// A driver call that failed, with its code and the driver's own description. In a process that was forked
/// from one that used CUDA, every call fails, and the description says that.
class CudaError : public base::MachineError {
 public:
  CudaError(CUresult code, const char* call);
  CUresult code() const { return code_; }

 private:
  CUresult code_;
};

/// `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered`.
std::string describe(CUresult code);

/// Returns whether every further call in this process's context fails after an error `code`.
bool is_sticky(CUresult code);

/// Throws `CudaError` unless `code` is success.
void check_cuda(CUresult code, const char* call);

/// `WARPTUNE_CUDA(cuInit(0))` calls the loaded driver and checks the result.
#define WARPTUNE_CUDA(call) \
  ::warptune::profiling::driver::check_cuda(::warptune::profiling::driver::cuda().call, #call)

struct StreamTraits {
  using Handle = CUstream;
  static Handle null() { return nullptr; }
  static void close(Handle stream) { cuda().cuStreamDestroy(stream); }
};
struct EventTraits {
  using Handle = CUevent;
  static Handle null() { return nullptr; }
  static void close(Handle event) { cuda().cuEventDestroy(event); }
};
struct ModuleTraits {
  using Handle = CUmodule;
  static Handle null() { return nullptr; }
  static void close(Handle module) { cuda().cuModuleUnload(module); }
};
struct MemoryTraits {
  using Handle = CUdeviceptr;
  static Handle null() { return 0; }
  static void close(Handle memory) { cuda().cuMemFree(memory); }
};
struct PinnedMemoryTraits {
  using Handle = void*;
  static Handle null() { return nullptr; }
  static void close(Handle memory) { cuda().cuMemFreeHost(memory); }
};
struct GraphTraits {
  using Handle = CUgraph;
  static Handle null() { return nullptr; }
  static void close(Handle graph) { cuda().cuGraphDestroy(graph); }
};
struct ExecutableGraphTraits {
  using Handle = CUgraphExec;
  static Handle null() { return nullptr; }
  static void close(Handle graph) { cuda().cuGraphExecDestroy(graph); }
};
using Stream = base::UniqueHandle<StreamTraits>;
using Event = base::UniqueHandle<EventTraits>;
using Module = base::UniqueHandle<ModuleTraits>;
using DeviceMemory = base::UniqueHandle<MemoryTraits>;
using PinnedMemory = base::UniqueHandle<PinnedMemoryTraits>;
using Graph = base::UniqueHandle<GraphTraits>;
using ExecutableGraph = base::UniqueHandle<ExecutableGraphTraits>;

Stream make_stream();
/// The driver's numbers of the lowest and the highest priority of streams; the highest is the lower number.
struct PriorityRange {
  int lowest = 0;
  int highest = 0;
};
/// The range of the current context. Both are 0 if the GPU has no priorities.
PriorityRange priority_range();
Stream make_stream(int priority);
Event make_event();
/// Makes an event that orders streams and does not measure time.
Event make_order_event();
/// Allocates device memory. If there is too little, throws `base::MachineError` with the size and with
/// `what`, the name of what needs it.
DeviceMemory allocate(std::size_t bytes, const std::string& what);
/// Allocates device memory and frees it again. Freeing waits for all work of the GPU.
void allocate_and_free(std::size_t bytes);
/// The same with memory of the GPU's default pool, in the order of a stream. The host does not wait (CUDA
/// driver API, "Stream Ordered Memory Allocator").
void allocate_and_free_from_pool(std::size_t bytes, CUstream stream);
/// Copies pageable memory to the device, and waits until the data has arrived. The wait is necessary for two
/// reasons. A copy from pageable memory may return before the data has arrived. And the runner's stream does
/// not wait for the stream of the copy (CUDA driver API, "API synchronization behavior").
void upload(CUdeviceptr target, const void* source, std::size_t bytes);
/// A function that copies each part of a buffer's contents to its place behind `target`, as `upload` does. It
/// is what `kernel_templates::generate_argument_in_parts` calls.
inline auto uploader(CUdeviceptr target) {
  return [target](std::size_t offset, std::span<const std::byte> part) {
    upload(target + offset, part.data(), part.size());
  };
}
/// Allocates zeroed host memory that the GPU can access at the same address. If there is too little, throws
/// `base::MachineError` with the size and with `what`, the name of what needs it.
PinnedMemory allocate_pinned(std::size_t bytes, const std::string& what);
/// Allocates write-combined host memory. The GPU may access it at another address than the host
/// (`gpu_address_of`). Throws like `allocate_pinned`.
PinnedMemory allocate_write_combined(std::size_t bytes, const std::string& what);
/// The address at which the GPU accesses page-locked memory of the host.
CUdeviceptr gpu_address_of(void* pinned);

/// Returns a device's PCI bus id. NVML uses the same name. Needs no context.
std::string pci_bus_id(int ordinal);

/// While the object lives, the calling thread may make calls that are forbidden while a stream is captured,
/// such as loading a module. They are not captured.
class AmidCapture {
 public:
  AmidCapture();
  ~AmidCapture();
  AmidCapture(const AmidCapture&) = delete;
  AmidCapture& operator=(const AmidCapture&) = delete;

 private:
  CUstreamCaptureMode before_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// A device's primary context. It is current in the thread that made this object.
class Context {
 public:
  explicit Context(int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  CUcontext get() const { return context_; }
  CUdevice device() const { return device_; }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace warptune::profiling::driver
