#include "profiling/detail/nvml.h"

#include "base/error.h"
#include "base/shared_library.h"

namespace warptune::profiling::detail {

namespace {

// The part of nvml.h that is used; the header comes with the toolkit only. NVML API Reference Guide.
using NvmlDevice = struct nvmlDevice_st*;
constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;

struct Nvml {
  int (*init)() = nullptr;
  int (*handle_by_bus)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  int (*reasons)(NvmlDevice, unsigned long long*) = nullptr;
};

std::optional<Nvml> load_nvml() {
  try {
    static const base::SharedLibrary library({"libnvidia-ml.so.1"}, {}, "install the NVIDIA driver");
    Nvml nvml;
    nvml.init = library.function<int()>("nvmlInit_v2");
    nvml.handle_by_bus = library.function<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
    nvml.clock = library.function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetClockInfo");
    // Renamed in driver 535.
    const char* reasons = "nvmlDeviceGetCurrentClocksEventReasons";
    if (library.find_symbol(reasons) == nullptr) reasons = "nvmlDeviceGetCurrentClocksThrottleReasons";
    nvml.reasons = library.function<int(NvmlDevice, unsigned long long*)>(reasons);
    if (nvml.init() != kNvmlSuccess) return std::nullopt;
    return nvml;
  } catch (const base::MachineError&) {
    return std::nullopt;
  }
}

}  // namespace

NvmlReading read_nvml(const std::string& pci_bus_id) {
  static const std::optional<Nvml> nvml = load_nvml();
  NvmlReading reading;
  NvmlDevice device = nullptr;
  if (!nvml || nvml->handle_by_bus(pci_bus_id.c_str(), &device) != kNvmlSuccess) return reading;
  unsigned mhz = 0;
  if (nvml->clock(device, kNvmlClockSm, &mhz) == kNvmlSuccess) reading.sm_clock_mhz = mhz;
  if (nvml->clock(device, kNvmlClockMemory, &mhz) == kNvmlSuccess) reading.memory_clock_mhz = mhz;
  unsigned long long mask = 0;
  if (nvml->reasons(device, &mask) == kNvmlSuccess) reading.throttle_reasons = mask;
  return reading;
}

}  // namespace warptune::profiling::detail
