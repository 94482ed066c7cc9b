#include "profiling/resident_context.h"

#include <fmt/format.h>

#include "base/error.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling {

using driver::cuda;

ResidentContext::ResidentContext(int ordinal) : ordinal_(ordinal) {
  CUcontext current = nullptr;
  WARPTUNE_CUDA(cuCtxGetCurrent(&current));
  CUdevice wanted = 0;
  WARPTUNE_CUDA(cuDeviceGet(&wanted, ordinal));
  if (current == nullptr) {
    WARPTUNE_CUDA(cuDevicePrimaryCtxRetain(&current, wanted));
    is_retained_ = true;
  } else {
    CUdevice device = 0;
    WARPTUNE_CUDA(cuCtxGetDevice(&device));
    if (device != wanted) {
      throw base::InputError(fmt::format(
          "the calling thread's context belongs to device {}, and the kernel was opened for device {}",
          device, ordinal));
    }
  }
  context_ = current;
}

ResidentContext::~ResidentContext() {
  if (is_retained_) cuda().cuDevicePrimaryCtxRelease(ordinal_);
}

ResidentContext::Use::Use(const ResidentContext& context) {
  WARPTUNE_CUDA(cuCtxPushCurrent(static_cast<CUcontext>(context.get())));
}

ResidentContext::Use::~Use() {
  CUcontext popped = nullptr;
  cuda().cuCtxPopCurrent(&popped);
}

int current_device() {
  CUcontext current = nullptr;
  WARPTUNE_CUDA(cuCtxGetCurrent(&current));
  if (current == nullptr) return 0;
  CUdevice device = 0;
  WARPTUNE_CUDA(cuCtxGetDevice(&device));
  return device;
}

void copy_to_host(void* to, std::uint64_t from, std::size_t bytes) {
  WARPTUNE_CUDA(cuCtxSynchronize());
  WARPTUNE_CUDA(cuMemcpyDtoH(to, from, bytes));
}

}  // namespace warptune::profiling
