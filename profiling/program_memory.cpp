#include "profiling/program_memory.h"

#include <atomic>

#include "base/error.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling {

using driver::cuda;

PrimaryContext::PrimaryContext(int ordinal) {
  CUdevice device = 0;
  WARPTUNE_CUDA(cuDeviceGet(&device, ordinal));
  CUcontext context = nullptr;
  WARPTUNE_CUDA(cuDevicePrimaryCtxRetain(&context, device));
  WARPTUNE_CUDA(cuCtxPushCurrent(context));
}

PrimaryContext::~PrimaryContext() {
  CUcontext popped = nullptr;
  cuda().cuCtxPopCurrent(&popped);
}

std::optional<int> device_of_address(std::uint64_t address) {
  int ordinal = 0;
  const CUresult code =
      cuda().cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CUdeviceptr{address});
  if (code != CUDA_SUCCESS) return std::nullopt;
  unsigned kind = 0;
  const CUresult asked =
      cuda().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr{address});
  if (asked != CUDA_SUCCESS || kind != CU_MEMORYTYPE_DEVICE) return std::nullopt;
  return ordinal;
}

bool is_capturing(void* stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult code = cuda().cuStreamIsCapturing(static_cast<CUstream>(stream), &status);
  if (code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    return true;  // It is the legacy default stream, and another stream is being captured.
  driver::check_cuda(code, "cuStreamIsCapturing");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void wait_for_stream(void* stream, void* producer) {
  driver::Event event;
  WARPTUNE_CUDA(cuEventCreate(event.out(), CU_EVENT_DISABLE_TIMING));
  WARPTUNE_CUDA(cuEventRecord(event.get(), static_cast<CUstream>(producer)));
  WARPTUNE_CUDA(cuStreamWaitEvent(static_cast<CUstream>(stream), event.get(), 0));
}

std::uintptr_t stream_number(const void* stream) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(stream);
  if (address != reinterpret_cast<std::uintptr_t>(CU_STREAM_PER_THREAD)) return address;
  static std::atomic<std::uintptr_t> threads{0};
  thread_local const std::uintptr_t thread = ++threads;
  return thread * 4 + 3;  // The address of a stream is even, and the other special streams have 0 and 1.
}

StreamWorkspaces::~StreamWorkspaces() {
  for (const auto& [stream, address] : addresses_) cuda().cuMemFree(address);
}

std::uint64_t StreamWorkspaces::of(void* stream, std::size_t bytes) {
  const std::uintptr_t number = stream_number(stream);
  if (const auto found = addresses_.find(number); found != addresses_.end()) return found->second;
  if (is_capturing(stream))
    throw base::InputError(
        "the workspace cannot be allocated during a capture; call the kernel once before it");
  CUdeviceptr address = 0;
  WARPTUNE_CUDA(cuMemAlloc(&address, bytes));
  addresses_.emplace(number, address);
  return address;
}

}  // namespace warptune::profiling
