// Replaces libcuda. It gives the answers that a test has set, and keeps "device" memory on the host.
#include "tests/profiling/fake_cuda.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>

using warptune::profiling::FakeCuda;

namespace {

int kernel;

FakeCuda first_state() {
  FakeCuda first;
  const char* sizes = std::getenv("FAKE_CUDA_PARAMETERS");
  if (sizes == nullptr) return first;
  first.attributes = warptune::profiling::fake_h200_attributes();
  first.current = first.stream_context = reinterpret_cast<CUcontext>(&kernel);
  std::istringstream text(sizes);
  for (std::string size; std::getline(text, size, ',');) first.parameter_sizes.push_back(std::stoul(size));
  return first;
}

FakeCuda state = first_state();

template <class Handle>
Handle handle() {
  return reinterpret_cast<Handle>(&kernel);
}

pid_t user = 0;  // The process that has initialised CUDA.

bool is_forked() { return user != 0 && user != ::getpid(); }

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

FakeCuda& warptune::profiling::fake_cuda() { return state; }

std::map<CUdevice_attribute, int> warptune::profiling::fake_h200_attributes() {
  return {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
          {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
          {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
          {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
          {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
          {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
          {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
          {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
          {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
          {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32}};
}

extern "C" {

CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = code == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : nullptr;
  return CUDA_SUCCESS;
}
CUresult cuInit(unsigned int) {
  if (is_forked()) return CUDA_ERROR_NOT_INITIALIZED;
  user = ::getpid();
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = state.devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (is_forked()) return CUDA_ERROR_NOT_INITIALIZED;
  *device = ordinal;
  return ordinal < state.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  const auto found = state.attributes.find(which);
  *value = found == state.attributes.end() ? 0 : found->second;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* text, int room, CUdevice) {
  std::strncpy(text, "0000:01:00.0", static_cast<std::size_t>(room));
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = state.context_device;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (is_forked()) return CUDA_ERROR_NOT_INITIALIZED;
  *context = state.current;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream, CUcontext* context) {
  *context = state.stream_context;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, state.capture_mode);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void*) {
  if (state.is_capturing && state.capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (state.load_code != CUDA_SUCCESS) return state.load_code;
  ++state.modules;
  *module = handle<CUmodule>();
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) {
  --state.modules;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule, const char*) {
  *address = reinterpret_cast<CUdeviceptr>(&kernel);
  *bytes = state.variable_bytes;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction, void** parameters, void**) {
  __atomic_add_fetch(&state.launched, 1, __ATOMIC_RELAXED);  // Threads launch at the same time.
  if (!state.records) return CUDA_SUCCESS;
  FakeCuda::Launch launch{config->gridDimX, config->blockDimX, config->sharedMemBytes,
                          config->numAttrs, config->hStream,   {}};
  for (std::size_t i = 0; i < state.parameter_sizes.size() && i < launch.parameters.size(); ++i)
    std::memcpy(&launch.parameters[i], parameters[i], std::min<std::size_t>(8, state.parameter_sizes[i]));
  state.launches.push_back(launch);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char, size_t bytes, CUstream) {
  if (state.records) state.zeroed.emplace_back(memory, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t, CUstream) {
  if (state.records) state.copied.emplace_back(to, from);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ++state.contexts;
  *context = handle<CUcontext>();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  --state.contexts;
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = handle<CUstream>();
  return CUDA_SUCCESS;
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int priority) {
  state.stream_priorities.push_back(priority);
  *stream = reinterpret_cast<CUstream>(at(0x1000 + 16 * state.stream_priorities.size()));
  return CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = state.highest_priority;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = handle<CUevent>();
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = state.free_bytes;
  *total_bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  if (bytes > state.free_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  if (state.records) state.allocated.push_back(bytes);
  constexpr std::size_t kAlignment = 256;
  *memory = reinterpret_cast<CUdeviceptr>(
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr memory) {
  std::free(at(memory));
  return CUDA_SUCCESS;
}
CUresult cuMemAllocAsync(CUdeviceptr* memory, std::size_t bytes, CUstream stream) {
  state.pool_calls.push_back(stream);
  return cuMemAlloc(memory, bytes);
}
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  state.pool_calls.push_back(stream);
  return cuMemFree(memory);
}
CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  if (bytes > state.free_host_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = std::malloc(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  std::free(memory);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) { return cuMemAllocHost(memory, bytes); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  *address = reinterpret_cast<CUdeviceptr>(memory) + warptune::profiling::kFakeWriteCombinedDistance;
  return CUDA_SUCCESS;
}
CUresult cuMemAllocManaged(CUdeviceptr* memory, std::size_t bytes, unsigned) {
  const std::size_t free_bytes =
      std::exchange(state.free_bytes, bytes);  // It also allocates what does not fit.
  const CUresult code = cuMemAlloc(memory, bytes);
  state.free_bytes = free_bytes;
  return code;
}
CUresult cuMemAdvise(CUdeviceptr data, std::size_t bytes, CUmem_advise advice, CUmemLocation place) {
  state.page_calls.push_back({advice, data, bytes, place.type});
  return CUDA_SUCCESS;
}
CUresult cuMemPrefetchAsync(CUdeviceptr data, std::size_t bytes, CUmemLocation place, unsigned, CUstream) {
  state.page_calls.push_back({std::nullopt, data, bytes, place.type});
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(at(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  ++state.context_waits;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, at(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  ++state.lookups;
  *function = handle<CUfunction>();
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS                ? state.registers
           : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES     ? state.static_shared_bytes
           : which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? state.max_threads
                                                              : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute which, int value) {
  state.attributes_set.emplace_back(which, value);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (index >= state.parameter_sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *size = state.parameter_sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = state.blocks_per_sm;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  *clusters = state.clusters;
  return CUDA_SUCCESS;
}

// Functions that succeed and do nothing.
CUresult cuDeviceGetName(char*, int, CUdevice) { return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t*, CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float*, CUevent, CUevent) { return CUDA_SUCCESS; }
CUresult cuMemsetD32Async(CUdeviceptr, unsigned int, size_t, CUstream) { return CUDA_SUCCESS; }
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  return CUDA_SUCCESS;
}
CUresult cuTexObjectCreate(CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*) {
  return CUDA_SUCCESS;
}
CUresult cuTexObjectDestroy(CUtexObject) { return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) {
  ++state.waits;
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = state.is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which, CUdeviceptr address) {
  if (address < warptune::profiling::kFakeHostMemory) return CUDA_ERROR_INVALID_VALUE;
  if (which == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *static_cast<unsigned*>(value) = CU_MEMORYTYPE_DEVICE;
  if (which == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int*>(value) = address >= warptune::profiling::kFakeSecondDevice ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) { return CUDA_SUCCESS; }
CUresult cuStreamEndCapture(CUstream, CUgraph*) { return CUDA_SUCCESS; }
CUresult cuGraphInstantiate(CUgraphExec*, CUgraph, unsigned long long) { return CUDA_SUCCESS; }
CUresult cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  if (state.records) state.copied.emplace_back(to, from);
  std::memcpy(at(to), at(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream) {
  for (std::size_t row = 0; row < copy->Height; ++row)
    std::memcpy(at(copy->dstDevice + row * copy->dstPitch), at(copy->srcDevice + row * copy->srcPitch),
                copy->WidthInBytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD2D8Async(CUdeviceptr memory, size_t pitch, unsigned char byte, size_t width, size_t height,
                           CUstream) {
  for (std::size_t row = 0; row < height; ++row) std::memset(at(memory + row * pitch), byte, width);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  return cuMemcpyHtoD(to, from, bytes);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  return cuMemcpyDtoH(to, from, bytes);
}

}  // extern "C"
