// Stands in for libnvidia-ml: answers what a test told it. FAKE_NVML_OLD: as before driver 510, fewer
// functions and older names. FAKE_NVML_BROKEN: does not start.
#include "tests/profiling/fake_nvml.h"

#include <cstring>

#include "profiling/detail/nvml_interface.h"

using namespace warptune::profiling::detail;

namespace {

warptune::profiling::FakeNvml state;
int device;

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
int nvmlDeviceGetUtilizationRates(NvmlHandle, NvmlUtilisation* rates) {
  return answer(rates, NvmlUtilisation{state.utilisation_percent, 1});
}

#ifdef FAKE_NVML_OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlHandle, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses(NvmlHandle, unsigned* count, NvmlProcess1* infos) {
  return list(count, infos);
}
#else
int nvmlDeviceGetCurrentClocksEventReasons(NvmlHandle, unsigned long long* reasons) {
  return answer(reasons, state.reasons);
}
int nvmlDeviceGetComputeRunningProcesses_v3(NvmlHandle, unsigned* count, NvmlProcess2* infos) {
  return list(count, infos);
}
// Another structure under an older name: must not be taken where the newer one is there.
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
