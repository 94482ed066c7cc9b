#include "profiling/counters/cupti.h"

#include <fmt/format.h>

#include "base/shared_library.h"

namespace warptune::profiling::counters {

namespace {

Cupti load_cupti() {
  static const base::SharedLibrary library(
      {"libcupti.so.13", "libcupti.so"}, base::cuda_library_folders(),
      "install CUPTI of CUDA 13 or set CUDA_HOME to the toolkit that has it");
  Cupti functions;
#define WARPTUNE_LOAD(name) \
  functions.name = library.function<std::remove_pointer_t<decltype(functions.name)>>(#name);
  WARPTUNE_CUPTI_FUNCTIONS(WARPTUNE_LOAD)
#undef WARPTUNE_LOAD
  return functions;
}

std::string remedy_of(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "run as root or with CAP_SYS_ADMIN, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0 "
             "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "enable profiling for this virtual GPU in the hypervisor "
             "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "use a GPU that is not virtualised";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "end other profilers on this GPU";
    default:
      return "";
  }
}

std::string describe(CUptiResult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  cupti().cuptiGetResultString(code, &name);
  cupti().cuptiGetErrorMessage(code, &text);
  if (name == nullptr) return fmt::format("CUPTI error {}", static_cast<int>(code));
  return text == nullptr ? std::string(name) : fmt::format("{}: {}", name, text);
}

}  // namespace

const Cupti& cupti() {
  static const Cupti functions = load_cupti();
  return functions;
}

CuptiError::CuptiError(CUptiResult code, const char* call)
    : base::MachineError(fmt::format("{} ({})", describe(code), call), remedy_of(code)), code_(code) {}

void check_cupti(CUptiResult code, const char* call) {
  if (code != CUPTI_SUCCESS) throw CuptiError(code, call);
}

void initialise_profiler() {
  static const bool done = [] {
    WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, parameters);
    WARPTUNE_CUPTI(cuptiProfilerInitialize, &parameters);
    return true;
  }();
  static_cast<void>(done);
}

std::string chip_name(int ordinal) {
  initialise_profiler();
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params, parameters);
  parameters.deviceIndex = static_cast<std::size_t>(ordinal);
  WARPTUNE_CUPTI(cuptiDeviceGetChipName, &parameters);
  return parameters.pChipName;
}

}  // namespace warptune::profiling::counters
