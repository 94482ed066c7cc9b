#pragma once

#include <string>

#include "profiling/driver/nvml_interface.h"

namespace warptune::profiling::driver {

/// The functions of NVML. Functions that the loaded library lacks are null.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*handle_by_bus)(const char*, NvmlHandle*) = nullptr;
  int (*clock)(NvmlHandle, int, unsigned*) = nullptr;
  int (*reasons)(NvmlHandle, unsigned long long*) = nullptr;
  int (*energy)(NvmlHandle, unsigned long long*) = nullptr;
  int (*power)(NvmlHandle, unsigned*) = nullptr;
  int (*utilisation)(NvmlHandle, NvmlUtilisation*) = nullptr;
  int (*processes)(NvmlHandle, unsigned*, NvmlProcess2*) = nullptr;
  int (*processes_v1)(NvmlHandle, unsigned*, NvmlProcess1*) = nullptr;
  // Functions that describe a GPU.
  int (*count)(unsigned*) = nullptr;
  int (*handle_by_index)(unsigned, NvmlHandle*) = nullptr;
  int (*name)(NvmlHandle, char*, unsigned) = nullptr;
  int (*capability)(NvmlHandle, int*, int*) = nullptr;
  int (*cores)(NvmlHandle, unsigned*) = nullptr;
  int (*memory)(NvmlHandle, NvmlMemory*) = nullptr;
  int (*bus_width)(NvmlHandle, unsigned*) = nullptr;
  int (*max_clock)(NvmlHandle, int, unsigned*) = nullptr;
  int (*ecc_mode)(NvmlHandle, unsigned*, unsigned*) = nullptr;
  int (*mig_mode)(NvmlHandle, unsigned*, unsigned*) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*driver_release)(char*, unsigned) = nullptr;
};

/// Returns the functions of a library, or null when it cannot be loaded or initialised. The result is kept
/// until the process ends, so that NVML is initialised once.
const NvmlFunctions* nvml_of(const std::string& file);

}  // namespace warptune::profiling::driver
