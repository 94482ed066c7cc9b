#pragma once

#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <string>

#include "base/error.h"

namespace warptune::profiling::counters {

// clang-format off: version 14 does not settle on a layout of this list.
#define WARPTUNE_CUPTI_FUNCTIONS(X)               \
  X(cuptiActivityEnable)                          \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityFlushAll)                        \
  X(cuptiActivityGetNextRecord)                   \
  X(cuptiActivityRegisterCallbacks)               \
  X(cuptiGetErrorMessage)                         \
  X(cuptiGetResultString)                         \
  X(cuptiProfilerInitialize)                      \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerHostGetSupportedChips)           \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetMetricProperties)         \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerCounterDataGetRangeInfo)    \
  X(cuptiPCSamplingEnable)                        \
  X(cuptiPCSamplingDisable)                       \
  X(cuptiPCSamplingStart)                         \
  X(cuptiPCSamplingStop)                          \
  X(cuptiPCSamplingGetData)                       \
  X(cuptiPCSamplingGetNumStallReasons)            \
  X(cuptiPCSamplingGetStallReasons)               \
  X(cuptiPCSamplingSetConfigurationAttribute)     \
  X(cuptiGetSassToSourceCorrelation)              \
  X(cuptiGetVersion)                              \
  X(cuptiActivityGetNumDroppedRecords)            \
  X(cuptiActivityRegisterTimestampCallback)
// clang-format on

/// The functions of libcupti, which is loaded on first use.
struct Cupti {
// The name of a declared member cannot be in parentheses.
#define WARPTUNE_DECLARE(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  WARPTUNE_CUPTI_FUNCTIONS(WARPTUNE_DECLARE)
#undef WARPTUNE_DECLARE
};

/// Returns the loaded library. Throws `base::MachineError` when CUPTI is missing. Needs no driver.
const Cupti& cupti();

/// A CUPTI call that failed. The message has the call's name, its code, and a remedy when permission is
/// missing.
class CuptiError : public base::MachineError {
 public:
  CuptiError(CUptiResult code, const char* call);
  CUptiResult code() const { return code_; }

 private:
  CUptiResult code_;
};

/// Throws `CuptiError` unless `code` is success.
void check_cupti(CUptiResult code, const char* call);

#define WARPTUNE_CUPTI(name, parameters)                                                                  \
  ::warptune::profiling::counters::check_cupti(::warptune::profiling::counters::cupti().name(parameters), \
                                               #name)

/// Declares a parameter structure of CUPTI's profiler interface: zeroed, with its size set.
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared cannot be in parentheses.
#define WARPTUNE_CUPTI_PARAMETERS(type, variable) \
  type variable{};                                \
  variable.structSize = type##_STRUCT_SIZE
// NOLINTEND(bugprone-macro-parentheses)

/// Calls `cuptiProfilerInitialize` once for each process.
void initialise_profiler();

/// Returns CUPTI's name of a GPU's chip ("GH100"). Needs a driver.
std::string chip_name(int ordinal);

}  // namespace warptune::profiling::counters
