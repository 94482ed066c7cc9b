#pragma once

/// The part of nvml.h that warptune uses. nvml.h comes with the CUDA toolkit, which may be missing where
/// warptune is built (NVML API Reference Guide).
namespace warptune::profiling::driver {

struct nvmlDevice_st;
using NvmlHandle = nvmlDevice_st*;

/// Values of nvmlReturn_t.
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNotFound = 6;
inline constexpr int kNvmlInsufficientSize = 7;
inline constexpr int kNvmlDriverNotLoaded = 9;

/// Values of nvmlClockType_t.
inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlClockMemory = 2;

/// nvmlUtilization_t, percent.
struct NvmlUtilisation {
  unsigned gpu = 0;
  unsigned memory = 0;
};
static_assert(sizeof(NvmlUtilisation) == 8);

/// nvmlMemory_t, used by nvmlDeviceGetMemoryInfo.
struct NvmlMemory {
  unsigned long long total_bytes = 0;
  unsigned long long free_bytes = 0;
  unsigned long long used_bytes = 0;
};
static_assert(sizeof(NvmlMemory) == 24);

/// nvmlProcessInfo_v1_t, used by nvmlDeviceGetComputeRunningProcesses.
struct NvmlProcess1 {
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
};
static_assert(sizeof(NvmlProcess1) == 16);

/// nvmlProcessInfo_v2_t, used by the versions _v2 and _v3 of that function.
struct NvmlProcess2 {
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};
static_assert(sizeof(NvmlProcess2) == 24);

}  // namespace warptune::profiling::driver
