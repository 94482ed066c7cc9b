#pragma once

#include <nvrtc.h>

#include <array>

#include "base/shared_library.h"
#include "base/unique_handle.h"

namespace warptune::kernel_templates::compiling {

/// The functions of NVRTC, loaded on first use. Throws `base::MachineError` if the library cannot be loaded.
struct Nvrtc {
  /// The file names that are tried, in this order.
  static constexpr std::array<const char*, 3> kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

  base::SharedLibrary library;
  decltype(nvrtcVersion)* version;
  decltype(nvrtcGetErrorString)* error_string;
  decltype(nvrtcGetNumSupportedArchs)* architecture_count;
  decltype(nvrtcGetSupportedArchs)* architectures;
  decltype(nvrtcCreateProgram)* create_program;
  decltype(nvrtcDestroyProgram)* destroy_program;
  decltype(nvrtcAddNameExpression)* add_name_expression;
  decltype(nvrtcCompileProgram)* compile_program;
  decltype(nvrtcGetProgramLogSize)* log_size;
  decltype(nvrtcGetProgramLog)* log;
  decltype(nvrtcGetCUBINSize)* cubin_size;
  decltype(nvrtcGetCUBIN)* cubin;
  decltype(nvrtcGetLoweredName)* lowered_name;
  // Precompiled headers exist since CUDA 12.8. Before, all of these are null.
  decltype(nvrtcGetPCHCreateStatus)* pch_status;
  decltype(nvrtcGetPCHHeapSize)* pch_heap_size;
  decltype(nvrtcGetPCHHeapSizeRequired)* pch_heap_size_required;
  decltype(nvrtcSetPCHHeapSize)* set_pch_heap_size;

  static const Nvrtc& get();
  /// Throws `base::InternalError` with the name of the call unless `result` is success.
  void check(nvrtcResult result, const char* call) const;

 private:
  Nvrtc();
};

struct ProgramTraits {
  using Handle = nvrtcProgram;
  static Handle null() { return nullptr; }
  static void close(Handle program) { Nvrtc::get().destroy_program(&program); }
};
using Program = base::UniqueHandle<ProgramTraits>;

}  // namespace warptune::kernel_templates::compiling
