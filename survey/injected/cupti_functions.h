// CUPTI, loaded into the surveyed program.
#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_version.h>

namespace warptune::survey::injected {

// clang-format off: version 14 does not settle on a layout of this list.
#define WARPTUNE_INJECTED_FUNCTIONS(X)      \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityDisable)                   \
  X(cuptiActivityEnableDriverApi)           \
  X(cuptiActivityEnableRuntimeApi)          \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivitySetAttribute)              \
  X(cuptiGetCallbackName)                   \
  X(cuptiGetResultString)                   \
  X(cuptiGetVersion)                        \
  X(cuptiSetThreadIdType)
// clang-format on

/// The functions of libcupti.
struct CuptiFunctions {
// The name of a declared member cannot be in parentheses.
#define WARPTUNE_DECLARE(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  WARPTUNE_INJECTED_FUNCTIONS(WARPTUNE_DECLARE)
#undef WARPTUNE_DECLARE
  /// It may be null.
  decltype(&::cuptiActivityEnableAndDump) cuptiActivityEnableAndDump = nullptr;
  /// `InitializeInjectionNvtx2`, which NVTX calls in the library that receives its ranges. It may be null.
  int (*initialise_nvtx)(void*) = nullptr;
  void* library = nullptr;        ///< As `dlopen` returned it.
  unsigned version = 0;           ///< As `cuptiGetVersion` returns it, or 0.
  const char* problem = nullptr;  ///< Why CUPTI cannot be used, as a sentence; null if it can.
};

/// The CUDA version of the driver that the program has loaded, as `cuDriverGetVersion` returns it, or 0.
int driver_version();

/// Loads CUPTI at the first call. A libcupti that the program itself has loaded comes first, because two of
/// them disturb each other. `path` comes second.
const CuptiFunctions& cupti(const char* path);

}  // namespace warptune::survey::injected
