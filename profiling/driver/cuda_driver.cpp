#include "profiling/driver/cuda_driver.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/shared_library.h"

namespace warptune::profiling::driver {

namespace {

constexpr const char* kDriverRemedy = "install an NVIDIA driver that supports CUDA 13 (580 or newer)";

// If a process that has initialised CUDA forks, the new process gets this code from every call. No other
// process gets it, because `cuda` calls cuInit before any other function.
constexpr CUresult kForkedCode = CUDA_ERROR_NOT_INITIALIZED;
constexpr const char* kForked = "CUDA does not work in a process that was forked from one that used it";
constexpr const char* kForkedRemedy = "start processes with the method \"spawn\"";

CudaDriver load_driver() {
  static const base::SharedLibrary library({"libcuda.so.1"}, {}, kDriverRemedy);
  CudaDriver driver;
// WARPTUNE_TEXT is a macro of its own, so that the macros of cuda.h replace a name before it becomes a text:
// cuMemAlloc becomes "cuMemAlloc_v2".
#define WARPTUNE_TEXT(name) #name
#define WARPTUNE_LOAD(symbol) \
  driver.symbol = library.function<std::remove_pointer_t<decltype(driver.symbol)>>(WARPTUNE_TEXT(symbol));
  WARPTUNE_CUDA_FUNCTIONS(WARPTUNE_LOAD)
#undef WARPTUNE_LOAD
#undef WARPTUNE_TEXT
  const CUresult code = driver.cuInit(0);
  if (code == kForkedCode) throw base::MachineError(kForked, kForkedRemedy);
  if (code != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.cuGetErrorString(code, &text);
    throw base::MachineError(
        fmt::format("the CUDA driver cannot be initialised: {}", text != nullptr ? text : "unknown error"),
        "check nvidia-smi and CUDA_VISIBLE_DEVICES");
  }
  return driver;
}

}  // namespace

const CudaDriver& cuda() {
  static const CudaDriver driver = load_driver();
  return driver;
}

std::string describe(CUresult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  cuda().cuGetErrorName(code, &name);
  cuda().cuGetErrorString(code, &text);
  if (name == nullptr || text == nullptr) return fmt::format("CUDA error {}", static_cast<int>(code));
  return fmt::format("{}: {}", name, text);
}

CudaError::CudaError(CUresult code, const char* call)
    : base::MachineError(code == kForkedCode ? kForked : fmt::format("{} ({})", describe(code), call),
                         code == kForkedCode ? kForkedRemedy : ""),
      code_(code) {}

bool is_sticky(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

void check_cuda(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS) throw CudaError(code, call);
}

Stream make_stream() {
  Stream stream;
  WARPTUNE_CUDA(cuStreamCreate(stream.out(), CU_STREAM_NON_BLOCKING));
  return stream;
}

PriorityRange priority_range() {
  PriorityRange range;
  WARPTUNE_CUDA(cuCtxGetStreamPriorityRange(&range.lowest, &range.highest));
  return range;
}

Stream make_stream(int priority) {
  Stream stream;
  WARPTUNE_CUDA(cuStreamCreateWithPriority(stream.out(), CU_STREAM_NON_BLOCKING, priority));
  return stream;
}

Event make_event() {
  Event event;
  WARPTUNE_CUDA(cuEventCreate(event.out(), CU_EVENT_DEFAULT));
  return event;
}

Event make_order_event() {
  Event event;
  WARPTUNE_CUDA(cuEventCreate(event.out(), CU_EVENT_DISABLE_TIMING));
  return event;
}

void upload(CUdeviceptr target, const void* source, std::size_t bytes) {
  WARPTUNE_CUDA(cuMemcpyHtoD(target, source, bytes));
  WARPTUNE_CUDA(cuStreamSynchronize(nullptr));
}

DeviceMemory allocate(std::size_t bytes, const std::string& what) {
  DeviceMemory memory;
  const CUresult code = cuda().cuMemAlloc(memory.out(), bytes);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
    throw base::MachineError(fmt::format("{} needs {} bytes of GPU memory, {} of {} are free", what, bytes,
                                         free_bytes, total_bytes),
                             "choose a smaller problem or free the GPU");
  }
  check_cuda(code, "cuMemAlloc");
  return memory;
}

void allocate_and_free(std::size_t bytes) {
  CUdeviceptr memory = 0;
  WARPTUNE_CUDA(cuMemAlloc(&memory, bytes));
  WARPTUNE_CUDA(cuMemFree(memory));
}

void allocate_and_free_from_pool(std::size_t bytes, CUstream stream) {
  CUdeviceptr memory = 0;
  WARPTUNE_CUDA(cuMemAllocAsync(&memory, bytes, stream));
  WARPTUNE_CUDA(cuMemFreeAsync(memory, stream));
}

namespace {

void check_host_allocation(CUresult code, const char* call, std::size_t bytes, const std::string& what) {
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    throw base::MachineError(fmt::format("{} needs {} bytes of the host's page-locked memory", what, bytes),
                             "");
  check_cuda(code, call);
}

}  // namespace

PinnedMemory allocate_pinned(std::size_t bytes, const std::string& what) {
  PinnedMemory memory;
  check_host_allocation(cuda().cuMemAllocHost(memory.out(), bytes), "cuMemAllocHost", bytes, what);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

PinnedMemory allocate_write_combined(std::size_t bytes, const std::string& what) {
  PinnedMemory memory;
  check_host_allocation(cuda().cuMemHostAlloc(memory.out(), bytes, CU_MEMHOSTALLOC_WRITECOMBINED),
                        "cuMemHostAlloc", bytes, what);
  return memory;
}

CUdeviceptr gpu_address_of(void* pinned) {
  CUdeviceptr address = 0;
  WARPTUNE_CUDA(cuMemHostGetDevicePointer(&address, pinned, 0));
  return address;
}

std::string pci_bus_id(int ordinal) {
  CUdevice device = 0;
  WARPTUNE_CUDA(cuDeviceGet(&device, ordinal));
  std::array<char, 32> bus{};
  WARPTUNE_CUDA(cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device));
  return bus.data();
}

AmidCapture::AmidCapture() { WARPTUNE_CUDA(cuThreadExchangeStreamCaptureMode(&before_)); }

AmidCapture::~AmidCapture() { cuda().cuThreadExchangeStreamCaptureMode(&before_); }

Context::Context(int ordinal) {
  int count = 0;
  WARPTUNE_CUDA(cuDeviceGetCount(&count));
  if (ordinal < 0 || ordinal >= count) {
    throw base::MachineError(fmt::format("there is no GPU {}: the driver shows {}", ordinal, count),
                             "see `warptune devices`");
  }
  WARPTUNE_CUDA(cuDeviceGet(&device_, ordinal));
  WARPTUNE_CUDA(cuDevicePrimaryCtxRetain(&context_, device_));
  const CUresult code = cuda().cuCtxSetCurrent(context_);
  if (code != CUDA_SUCCESS) {
    cuda().cuDevicePrimaryCtxRelease(device_);
    throw CudaError(code, "cuCtxSetCurrent");
  }
}

Context::~Context() { cuda().cuDevicePrimaryCtxRelease(device_); }

}  // namespace warptune::profiling::driver
