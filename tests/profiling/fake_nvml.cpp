// Stands in for libnvidia-ml: answers what a test told it. FAKE_NVML_OLD: as before driver 510, fewer
// functions and older names. FAKE_NVML_BROKEN: does not start.
#include "tests/profiling/fake_nvml.h"

#include <cstring>

namespace {

warptune::profiling::FakeNvml state;
int device;

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;

struct ProcessInfo1 {
  unsigned pid;
  unsigned long long used_bytes;
};
struct ProcessInfo2 {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct Utilisation {
  unsigned gpu;
  unsigned memory;
};

template <class T>
int answer(T* where, T value) {
  if (state.refuses) return kNotSupported;
  *where = value;
  return kSuccess;
}

template <class Info>
[[maybe_unused]] int list(unsigned* count, Info* infos) {
  if (state.refuses) return kNotSupported;
  const unsigned room = *count;
  *count = state.process_count;
  if (room < state.process_count) return kInsufficientSize;
  for (unsigned i = 0; i < state.process_count; ++i) {
    infos[i] = {};
    infos[i].pid = 100 + i;
    infos[i].used_bytes = i == 0 ? ~0ULL : i * 1024ULL;
  }
  return kSuccess;
}

}  // namespace

extern "C" {

void fake_nvml_set(const warptune::profiling::FakeNvml* wanted) { state = *wanted; }

#ifdef FAKE_NVML_BROKEN
int nvmlInit_v2() { return 9; }  // NVML_ERROR_DRIVER_NOT_LOADED
#else
int nvmlInit_v2() { return kSuccess; }
#endif

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** handle) {
  if (std::strcmp(bus, "0000:01:00.0") != 0) return kNotFound;
  *handle = &device;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  return answer(mhz, type == 1 ? state.sm_clock_mhz : state.memory_clock_mhz);
}
int nvmlDeviceGetUtilizationRates(void*, Utilisation* rates) {
  return answer(rates, Utilisation{state.utilisation_percent, 1});
}

#ifdef FAKE_NVML_OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses(void*, unsigned* count, ProcessInfo1* infos) {
  return list(count, infos);
}
#else
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo2* infos) {
  return list(count, infos);
}
// Another structure under an older name: must not be taken where the newer one is there.
int nvmlDeviceGetComputeRunningProcesses(void*, unsigned* count, ProcessInfo1*) {
  *count = 0;
  return kSuccess;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* energy) {
  return answer(energy, state.energy_mj);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return answer(milliwatts, state.power_mw); }
#endif

}  // extern "C"
