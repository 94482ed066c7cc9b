// Replaces libnvidia-ml. It gives the answers that a test has set. With FAKE_NVML_OLD it is a library from
// before driver 510, with fewer functions and older names. With FAKE_NVML_BROKEN it cannot be initialised.
// With FAKE_NVML_PRESENT it has the name of the real one and describes an H200, for programs that a test
// starts.
#include "tests/profiling/fake_nvml.h"

#include <cstring>

#include "profiling/driver/nvml_interface.h"

using namespace warptune::profiling::driver;

namespace {

#ifdef FAKE_NVML_PRESENT
// No test sets the answers: they are those of an H200 at its full clocks.
warptune::profiling::FakeNvml state{
    .sm_clock_mhz = 1980, .memory_clock_mhz = 3201, .memory_bytes = 150'754'820'096};
#else
warptune::profiling::FakeNvml state;
#endif
int device;
int other_device;

template <class T>
int answer(T* where, T value) {
  if (state.refuses) return kNvmlNotSupported;
  *where = value;
  return kNvmlSuccess;
}

template <class Info>
[[maybe_unused]] int list(unsigned* count, Info* infos) {
  if (state.refuses) return kNvmlNotSupported;
  const unsigned room = *count;
  *count = state.process_count;
  if (room < state.process_count) return kNvmlInsufficientSize;
  for (unsigned i = 0; i < state.process_count; ++i) {
    infos[i] = {};
    infos[i].pid = 100 + i;
    infos[i].used_bytes = i == 0 ? ~0ULL : i * 1024ULL;
  }
  return kNvmlSuccess;
}

}  // namespace

extern "C" {

void fake_nvml_set(const warptune::profiling::FakeNvml* wanted) { state = *wanted; }

#ifdef FAKE_NVML_BROKEN
int nvmlInit_v2() { return kNvmlDriverNotLoaded; }
#else
int nvmlInit_v2() { return kNvmlSuccess; }
#endif

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, NvmlHandle* handle) {
  if (std::strcmp(bus, "0000:01:00.0") != 0) return kNvmlNotFound;
  *handle = reinterpret_cast<NvmlHandle>(&device);
  return kNvmlSuccess;
}

int nvmlDeviceGetClockInfo(NvmlHandle, int type, unsigned* mhz) {
  return answer(mhz, type == 1 ? state.sm_clock_mhz : state.memory_clock_mhz);
}
int nvmlDeviceGetCount_v2(unsigned* count) { return answer(count, state.gpu_count); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlHandle* handle) {
  if (index >= state.gpu_count) return kNvmlNotFound;
  *handle = reinterpret_cast<NvmlHandle>(index == 0 ? &device : &other_device);
  return kNvmlSuccess;
}
int nvmlDeviceGetName(NvmlHandle, char* name, unsigned length) {
  std::strncpy(name, state.name, length);
  return state.refuses ? kNvmlNotSupported : kNvmlSuccess;
}
int nvmlDeviceGetCudaComputeCapability(NvmlHandle, int* major, int* minor) {
  *minor = 0;
  return answer(major, 9);
}
int nvmlDeviceGetNumGpuCores(NvmlHandle handle, unsigned* cores) {
  const bool other = handle == reinterpret_cast<NvmlHandle>(&other_device) && state.other_cores != 0;
  return answer(cores, other ? state.other_cores : state.cores);
}
int nvmlDeviceGetMemoryInfo(NvmlHandle, NvmlMemory* memory) {
  return answer(memory, NvmlMemory{state.memory_bytes, state.memory_bytes, 0});
}
int nvmlDeviceGetMemoryBusWidth(NvmlHandle, unsigned* bits) { return answer(bits, state.bus_bits); }
int nvmlDeviceGetMaxClockInfo(NvmlHandle, int type, unsigned* mhz) {
  return answer(mhz, type == 1 ? state.max_sm_clock_mhz : state.max_memory_clock_mhz);
}
int nvmlDeviceGetEccMode(NvmlHandle, unsigned* current, unsigned* pending) {
  *pending = 0;
  return answer(current, state.ecc ? 1U : 0U);
}
int nvmlDeviceGetMigMode(NvmlHandle, unsigned* current, unsigned* pending) {
  *pending = 0;
  return answer(current, state.mig ? 1U : 0U);
}
int nvmlSystemGetDriverVersion(char* release, unsigned length) {
  std::strncpy(release, state.driver_release, length);
  return state.refuses ? kNvmlNotSupported : kNvmlSuccess;
}
int nvmlDeviceGetUtilizationRates(NvmlHandle, NvmlUtilisation* rates) {
  return answer(rates, NvmlUtilisation{state.utilisation_percent, 1});
}

#ifdef FAKE_NVML_OLD
int nvmlSystemGetCudaDriverVersion(int* version) { return answer(version, state.driver_version); }
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlHandle, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses(NvmlHandle, unsigned* count, NvmlProcess1* infos) {
  return list(count, infos);
}
#else
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return answer(version, state.driver_version); }
int nvmlDeviceGetCurrentClocksEventReasons(NvmlHandle, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses_v3(NvmlHandle, unsigned* count, NvmlProcess2* infos) {
  return list(count, infos);
}
// The older function has another structure. It must not be used when the newer one exists.
int nvmlDeviceGetComputeRunningProcesses(NvmlHandle, unsigned* count, NvmlProcess1*) {
  *count = 0;
  return kNvmlSuccess;
}
int nvmlDeviceGetTotalEnergyConsumption(NvmlHandle, unsigned long long* energy) {
  return answer(energy, state.energy_mj);
}
int nvmlDeviceGetPowerUsage(NvmlHandle, unsigned* milliwatts) { return answer(milliwatts, state.power_mw); }
#endif

}  // extern "C"
