#include "profiling/driver/nvml.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/shared_library.h"
#include "profiling/driver/nvml_functions.h"
#include "profiling/driver/nvml_interface.h"

namespace warptune::profiling::driver {

namespace {

constexpr auto kNoValue = std::numeric_limits<unsigned long long>::max();  // NVML_VALUE_NOT_AVAILABLE

struct ThrottleReason {
  std::uint64_t bit;
  const char* name;
  bool throttles;
};

constexpr ThrottleReason kReasons[] = {
    {0x001, "idle", false},
    {0x002, "application clocks", false},
    {0x004, "power cap", true},
    {0x008, "hardware slowdown", true},
    {0x010, "sync boost", true},
    {0x020, "thermal (software)", true},
    {0x040, "thermal (hardware)", true},
    {0x080, "power brake", true},
    {0x100, "display clocks", true},
};

}  // namespace

namespace {

/// Returns null when the library cannot be loaded or initialised.
std::unique_ptr<NvmlFunctions> load_nvml(const std::string& file) {
  try {
    const base::SharedLibrary library({file}, {}, "install the NVIDIA driver");
    auto nvml = std::make_unique<NvmlFunctions>();
    const auto find = [&](auto& function, std::initializer_list<const char*> names) {
      for (const char* name : names) {
        if (function != nullptr) return;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.find_symbol(name));
      }
    };
    find(nvml->init, {"nvmlInit_v2", "nvmlInit"});
    find(nvml->handle_by_bus, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
    find(nvml->clock, {"nvmlDeviceGetClockInfo"});
    // The function was renamed in driver 535.
    find(nvml->reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    find(nvml->energy, {"nvmlDeviceGetTotalEnergyConsumption"});
    find(nvml->power, {"nvmlDeviceGetPowerUsage"});
    find(nvml->utilisation, {"nvmlDeviceGetUtilizationRates"});
    find(nvml->processes,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    // The first version of the function fills another struct.
    find(nvml->processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
    find(nvml->count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
    find(nvml->handle_by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
    find(nvml->name, {"nvmlDeviceGetName"});
    find(nvml->capability, {"nvmlDeviceGetCudaComputeCapability"});
    find(nvml->cores, {"nvmlDeviceGetNumGpuCores"});
    find(nvml->memory, {"nvmlDeviceGetMemoryInfo"});
    find(nvml->bus_width, {"nvmlDeviceGetMemoryBusWidth"});
    find(nvml->max_clock, {"nvmlDeviceGetMaxClockInfo"});
    find(nvml->ecc_mode, {"nvmlDeviceGetEccMode"});
    find(nvml->mig_mode, {"nvmlDeviceGetMigMode"});
    // Both return the version of the CUDA driver in CUDA's form, as cuDriverGetVersion does.
    find(nvml->driver_version, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
    find(nvml->driver_release, {"nvmlSystemGetDriverVersion"});
    if (nvml->init == nullptr || nvml->handle_by_bus == nullptr || nvml->init() != kNvmlSuccess)
      return nullptr;
    return nvml;
  } catch (const base::MachineError&) {
    return nullptr;
  }
}

}  // namespace

const NvmlFunctions* nvml_of(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<NvmlFunctions>> loaded;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, is_new] = loaded.try_emplace(file);
  if (is_new) entry->second = load_nvml(file);
  return entry->second.get();
}

namespace {

/// Reads the list of processes from NVML. NVML gets the size of the memory for the list, and says if the list
/// is longer.
template <class Info>
std::optional<std::vector<ComputeProcess>> list_processes(int (*function)(NvmlHandle, unsigned*, Info*),
                                                          NvmlHandle device) {
  std::vector<Info> infos(16);
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto count = static_cast<unsigned>(infos.size());
    const int code = function(device, &count, infos.data());
    if (code == kNvmlInsufficientSize) {
      infos.resize(count + infos.size());  // More room than necessary, because processes may start meanwhile.
      continue;
    }
    if (code != kNvmlSuccess || count > infos.size()) return std::nullopt;
    std::vector<ComputeProcess> processes;
    for (unsigned i = 0; i < count; ++i) {
      ComputeProcess process{infos[i].pid, infos[i].used_bytes};
      if (infos[i].used_bytes == kNoValue) process.bytes.reset();
      processes.push_back(process);
    }
    return processes;
  }
  return std::nullopt;
}

}  // namespace

NvmlDevice::NvmlDevice(const std::string& pci_bus_id, const std::string& library) : nvml_(nvml_of(library)) {
  if (nvml_ != nullptr && nvml_->handle_by_bus(pci_bus_id.c_str(), &device_) != kNvmlSuccess)
    device_ = nullptr;
}

NvmlDevice::NvmlDevice(unsigned index, const std::string& library) : nvml_(nvml_of(library)) {
  if (nvml_ != nullptr &&
      (nvml_->handle_by_index == nullptr || nvml_->handle_by_index(index, &device_) != kNvmlSuccess))
    device_ = nullptr;
}

void NvmlReading::add_to(model::Environment& environment) const {
  environment.sm_clock_mhz = sm_clock_mhz;
  environment.memory_clock_mhz = memory_clock_mhz;
  if (throttle_reasons) environment.throttle_reasons = fmt::format("0x{:x}", *throttle_reasons);
}

NvmlReading NvmlDevice::read() const {
  NvmlReading reading;
  if (!is_available()) return reading;
  reading.sm_clock_mhz = sm_clock_mhz();
  unsigned mhz = 0;
  if (nvml_->clock != nullptr && nvml_->clock(device_, kNvmlClockMemory, &mhz) == kNvmlSuccess)
    reading.memory_clock_mhz = mhz;
  unsigned long long reasons = 0;
  if (nvml_->reasons != nullptr && nvml_->reasons(device_, &reasons) == kNvmlSuccess)
    reading.throttle_reasons = reasons;
  return reading;
}

std::int64_t NvmlDevice::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (!is_available() || nvml_->clock == nullptr || nvml_->clock(device_, kNvmlClockSm, &mhz) != kNvmlSuccess)
    return 0;
  return mhz;
}

std::optional<std::uint64_t> NvmlDevice::energy_mj() const {
  unsigned long long energy = 0;
  if (!is_available() || nvml_->energy == nullptr || nvml_->energy(device_, &energy) != kNvmlSuccess)
    return std::nullopt;
  return energy;
}

std::optional<double> NvmlDevice::power_w() const {
  unsigned milliwatts = 0;
  if (!is_available() || nvml_->power == nullptr || nvml_->power(device_, &milliwatts) != kNvmlSuccess)
    return std::nullopt;
  return milliwatts * 1e-3;
}

std::optional<std::vector<ComputeProcess>> NvmlDevice::processes() const {
  if (!is_available()) return std::nullopt;
  if (nvml_->processes != nullptr) return list_processes(nvml_->processes, device_);
  if (nvml_->processes_v1 != nullptr) return list_processes(nvml_->processes_v1, device_);
  return std::nullopt;
}

std::vector<std::optional<std::size_t>> process_counts(const std::string& library) {
  const NvmlFunctions* nvml = nvml_of(library);
  unsigned gpus = 0;
  if (nvml == nullptr || nvml->count == nullptr || nvml->handle_by_index == nullptr ||
      nvml->count(&gpus) != kNvmlSuccess)
    return {};
  std::vector<std::optional<std::size_t>> counts(gpus);
  for (unsigned i = 0; i < gpus; ++i) {
    NvmlHandle device = nullptr;
    if (nvml->handle_by_index(i, &device) != kNvmlSuccess) continue;
    std::optional<std::vector<ComputeProcess>> processes;
    if (nvml->processes != nullptr) {
      processes = list_processes(nvml->processes, device);
    } else if (nvml->processes_v1 != nullptr) {
      processes = list_processes(nvml->processes_v1, device);
    }
    if (processes) counts[i] = processes->size();
  }
  return counts;
}

std::string driver_release(const std::string& library) {
  const NvmlFunctions* nvml = nvml_of(library);
  std::array<char, 80> release{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE.
  if (nvml == nullptr || nvml->driver_release == nullptr ||
      nvml->driver_release(release.data(), release.size()) != kNvmlSuccess)
    return "";
  release.back() = '\0';
  return release.data();
}

std::optional<unsigned> NvmlDevice::utilisation_percent() const {
  NvmlUtilisation utilisation;
  if (!is_available() || nvml_->utilisation == nullptr ||
      nvml_->utilisation(device_, &utilisation) != kNvmlSuccess)
    return std::nullopt;
  return utilisation.gpu;
}

// Reasons that are not in the table count, too.
bool is_throttled(std::uint64_t reasons) {
  for (const ThrottleReason& reason : kReasons) {
    if (!reason.throttles) reasons &= ~reason.bit;
  }
  return reasons != 0;
}

std::string describe_throttle(std::uint64_t reasons) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const ThrottleReason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) add(reason.name);
    reasons &= ~reason.bit;
  }
  if (reasons != 0) add(fmt::format("unknown reason 0x{:x}", reasons));
  return text.empty() ? "none" : text;
}

}  // namespace warptune::profiling::driver
