#include "kernel_templates/compiling/nvrtc.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::kernel_templates::compiling {

namespace {
template <class Function>
Function* optional(const base::SharedLibrary& library, const char* name) {
  return reinterpret_cast<Function*>(library.find_symbol(name));
}
}  // namespace

Nvrtc::Nvrtc()
    : library({kNames.begin(), kNames.end()}, base::cuda_library_folders(),
              "install the CUDA Toolkit (version 13 is tried first), or set CUDA_HOME to its folder"),
      version(library.function<decltype(nvrtcVersion)>("nvrtcVersion")),
      error_string(library.function<decltype(nvrtcGetErrorString)>("nvrtcGetErrorString")),
      architecture_count(library.function<decltype(nvrtcGetNumSupportedArchs)>("nvrtcGetNumSupportedArchs")),
      architectures(library.function<decltype(nvrtcGetSupportedArchs)>("nvrtcGetSupportedArchs")),
      create_program(library.function<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")),
      destroy_program(library.function<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")),
      add_name_expression(library.function<decltype(nvrtcAddNameExpression)>("nvrtcAddNameExpression")),
      compile_program(library.function<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram")),
      log_size(library.function<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize")),
      log(library.function<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog")),
      cubin_size(library.function<decltype(nvrtcGetCUBINSize)>("nvrtcGetCUBINSize")),
      cubin(library.function<decltype(nvrtcGetCUBIN)>("nvrtcGetCUBIN")),
      lowered_name(library.function<decltype(nvrtcGetLoweredName)>("nvrtcGetLoweredName")),
      pch_status(optional<decltype(nvrtcGetPCHCreateStatus)>(library, "nvrtcGetPCHCreateStatus")),
      pch_heap_size(optional<decltype(nvrtcGetPCHHeapSize)>(library, "nvrtcGetPCHHeapSize")),
      pch_heap_size_required(
          optional<decltype(nvrtcGetPCHHeapSizeRequired)>(library, "nvrtcGetPCHHeapSizeRequired")),
      set_pch_heap_size(optional<decltype(nvrtcSetPCHHeapSize)>(library, "nvrtcSetPCHHeapSize")) {}

const Nvrtc& Nvrtc::get() {
  static const Nvrtc nvrtc;
  return nvrtc;
}

void Nvrtc::check(nvrtcResult result, const char* call) const {
  if (result != NVRTC_SUCCESS) throw base::InternalError(fmt::format("{}: {}", call, error_string(result)));
}

}  // namespace warptune::kernel_templates::compiling
