#include "survey/injected/capturing/capturing_functions.h"

#include <dlfcn.h>

namespace warptune::survey::injected::capturing {

namespace {

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool load_driver(void* driver, CapturingFunctions& functions) {
  return load(driver, "cuFuncGetModule", functions.function_module) &&
         load(driver, "cuKernelGetFunction", functions.kernel_function) &&
         load(driver, "cuFuncLoad", functions.load_function) &&
         load(driver, "cuFuncGetParamInfo", functions.parameter_info) &&
         load(driver, "cuFuncGetAttribute", functions.function_attribute) &&
         load(driver, "cuModuleGetGlobal_v2", functions.variable) &&
         load(driver, "cuPointerGetAttribute", functions.pointer_attribute) &&
         load(driver, "cuMemGetAddressRange_v2", functions.address_range) &&
         load(driver, "cuMemcpyDtoH_v2", functions.copy_to_host) &&
         load(driver, "cuCtxSynchronize", functions.synchronise) &&
         load(driver, "cuCtxGetDevice", functions.context_device) &&
         load(driver, "cuDeviceGetUuid_v2", functions.device_uuid) &&
         load(driver, "cuDriverGetVersion", functions.driver_version) &&
         load(driver, "cuStreamIsCapturing", functions.is_capturing) &&
         load(driver, "cuThreadExchangeStreamCaptureMode", functions.exchange_capture_mode) &&
         load(driver, "cuStreamIsCapturing_ptsz", functions.is_capturing_by_thread);
}

}  // namespace

CapturingFunctions load_capturing_functions(void* cupti) {
  CapturingFunctions functions;
  if (cupti == nullptr || !load(cupti, "cuptiSubscribe", functions.subscribe) ||
      !load(cupti, "cuptiEnableCallback", functions.enable_callback))
    functions.problem = "The program's libcupti has no callbacks, so nothing was captured.";
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (functions.problem == nullptr && (driver == nullptr || !load_driver(driver, functions)))
    functions.problem = "The driver is older than CUDA 12.4, so nothing was captured.";
  return functions;
}

}  // namespace warptune::survey::injected::capturing
