#include "survey/injected/counting/counting_failures.h"

namespace warptune::survey::injected::counting {

const char* reason_of(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "this user may not read them; run as root, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "the GPU is a virtual one that does not allow it";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler uses them";
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_DEVICE:
      return "CUPTI does not support this GPU or its mode";
    default:
      return nullptr;
  }
}

bool concerns_all_contexts(CUptiResult code) {
  return code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES || code == CUPTI_ERROR_HARDWARE_BUSY ||
         code == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

}  // namespace warptune::survey::injected::counting
