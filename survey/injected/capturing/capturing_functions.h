// The functions of CUPTI and of the driver that capturing a launch needs, loaded into the surveyed program.
#pragma once

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>

#include <cstddef>

namespace warptune::survey::injected::capturing {

/// The functions, or null where they are missing.
struct CapturingFunctions {
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuFuncGetModule) function_module = nullptr;
  decltype(&::cuKernelGetFunction) kernel_function = nullptr;
  decltype(&::cuFuncLoad) load_function = nullptr;
  decltype(&::cuFuncGetParamInfo) parameter_info = nullptr;
  decltype(&::cuFuncGetAttribute) function_attribute = nullptr;
  decltype(&::cuModuleGetGlobal) variable = nullptr;
  decltype(&::cuPointerGetAttribute) pointer_attribute = nullptr;
  decltype(&::cuMemGetAddressRange) address_range = nullptr;
  decltype(&::cuMemcpyDtoH) copy_to_host = nullptr;
  decltype(&::cuCtxSynchronize) synchronise = nullptr;
  decltype(&::cuCtxGetDevice) context_device = nullptr;
  decltype(&::cuDeviceGetUuid) device_uuid = nullptr;
  decltype(&::cuDriverGetVersion) driver_version = nullptr;
  CUresult (*is_capturing)(CUstream stream, CUstreamCaptureStatus* status) = nullptr;
  CUresult (*is_capturing_by_thread)(CUstream stream, CUstreamCaptureStatus* status) = nullptr;
  decltype(&::cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
  const char* problem = nullptr;  ///< Why nothing can be captured, as a sentence; null if it can.
};

/// While this object lives, calls of this thread do not break captures of graphs by other threads.
class RelaxedThread {
 public:
  explicit RelaxedThread(const CapturingFunctions& functions) : functions_(functions) {
    functions_.exchange_capture_mode(&mode_);
  }
  RelaxedThread(const RelaxedThread&) = delete;
  RelaxedThread& operator=(const RelaxedThread&) = delete;
  ~RelaxedThread() { functions_.exchange_capture_mode(&mode_); }

 private:
  const CapturingFunctions& functions_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  ///< That of the thread, while it is exchanged.
};

/// Loads the functions. `cupti` is the library of `cupti_functions.h`, which must have been loaded.
CapturingFunctions load_capturing_functions(void* cupti);

}  // namespace warptune::survey::injected::capturing
