#include "profiling/known_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/compiler.h"
#include "profiling/driver/nvml.h"
#include "profiling/driver/nvml_functions.h"

namespace warptune::profiling {

namespace {

using driver::kNvmlSuccess;
using driver::NvmlFunctions;
using driver::NvmlHandle;
using model::GpuDescription;

// NVML's description of a GPU.
struct NvmlGpu {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t cores = 0;
  double memory_bytes = 0.0;
  double memory_bandwidth_bytes_per_s = 0.0;
  double max_clock_khz = 0.0;
  bool ecc = false;
};

bool can_describe(const NvmlFunctions& nvml) {
  return nvml.count != nullptr && nvml.handle_by_index != nullptr && nvml.name != nullptr &&
         nvml.capability != nullptr && nvml.cores != nullptr && nvml.memory != nullptr &&
         nvml.bus_width != nullptr && nvml.max_clock != nullptr && nvml.ecc_mode != nullptr &&
         nvml.mig_mode != nullptr;
}

// Returns whether a mode is on: false for a GPU that does not support the mode, std::nullopt when NVML fails.
std::optional<bool> mode(int (*function)(NvmlHandle, unsigned*, unsigned*), NvmlHandle device) {
  unsigned current = 0;
  unsigned pending = 0;
  const int code = function(device, &current, &pending);
  if (code == driver::kNvmlNotSupported) return false;
  return code == driver::kNvmlSuccess ? std::optional(current != 0) : std::nullopt;
}

std::optional<NvmlGpu> describe(const NvmlFunctions& nvml, unsigned index) {
  NvmlHandle device = nullptr;
  std::array<char, 96> name{};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE.
  NvmlGpu gpu;
  unsigned cores = 0;
  unsigned bus_bits = 0;
  unsigned sm_mhz = 0;
  unsigned memory_mhz = 0;
  driver::NvmlMemory memory;
  const bool is_known =
      nvml.handle_by_index(index, &device) == driver::kNvmlSuccess &&
      nvml.name(device, name.data(), name.size()) == driver::kNvmlSuccess &&
      nvml.capability(device, &gpu.compute_major, &gpu.compute_minor) == driver::kNvmlSuccess &&
      nvml.cores(device, &cores) == driver::kNvmlSuccess &&
      nvml.memory(device, &memory) == driver::kNvmlSuccess &&
      nvml.bus_width(device, &bus_bits) == driver::kNvmlSuccess &&
      nvml.max_clock(device, driver::kNvmlClockSm, &sm_mhz) == driver::kNvmlSuccess &&
      nvml.max_clock(device, driver::kNvmlClockMemory, &memory_mhz) == driver::kNvmlSuccess;
  if (!is_known) return std::nullopt;
  const std::optional<bool> ecc = mode(nvml.ecc_mode, device);
  const std::optional<bool> mig = mode(nvml.mig_mode, device);
  if (!ecc || !mig || *mig) return std::nullopt;
  name.back() = '\0';
  gpu.name = name.data();
  gpu.cores = cores;
  gpu.memory_bytes = static_cast<double>(memory.total_bytes);
  gpu.memory_bandwidth_bytes_per_s = 2e6 * memory_mhz * bus_bits / 8.0;
  gpu.max_clock_khz = 1e3 * sm_mhz;
  gpu.ecc = *ecc;
  return gpu;
}

bool is_near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::max(a, b); }

// Returns whether a known description fits what NVML reports. NVML's cores are FP32 lanes, of which an SM has
// 64 or 128 since Pascal. NVML's memory includes memory that the driver reserves, and its clocks are whole
// MHz.
bool fits(const GpuDescription& known, const NvmlGpu& gpu) {
  return known.name == gpu.name && known.compute_major == gpu.compute_major &&
         known.compute_minor == gpu.compute_minor && known.ecc == gpu.ecc && !known.mig &&
         (gpu.cores == std::int64_t{128} * known.sm_count ||
          gpu.cores == std::int64_t{64} * known.sm_count) &&
         is_near(static_cast<double>(known.memory_bytes), gpu.memory_bytes, 0.05) &&
         is_near(static_cast<double>(known.memory_bandwidth_bytes_per_s), gpu.memory_bandwidth_bytes_per_s,
                 0.01) &&
         is_near(static_cast<double>(known.max_clock_khz), gpu.max_clock_khz, 0.01);
}

// Returns the known description that fits `gpu`. If several fit and all have the same key, it returns the
// first. If their keys differ, it returns std::nullopt.
std::optional<GpuDescription> description_of(const NvmlGpu& gpu, const std::vector<GpuDescription>& known) {
  std::optional<GpuDescription> found;
  for (const GpuDescription& candidate : known) {
    if (!fits(candidate, gpu)) continue;
    if (found && found->key() != candidate.key()) return std::nullopt;
    if (!found) found = candidate;
  }
  return found;
}

// The number by which `visible_devices` names its first GPU.
std::optional<unsigned> first_number(const std::string& visible_devices) {
  const std::string first = visible_devices.substr(0, visible_devices.find(','));
  const bool is_number = !first.empty() && first.size() < 5 &&
                         std::all_of(first.begin(), first.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return std::nullopt;
  return static_cast<unsigned>(std::stoul(first));
}

// Returns whether `visible_devices` names its first GPU by a number below `count`, so that the driver shows
// it.
bool shows_some(const std::string& visible_devices, unsigned count) {
  const std::optional<unsigned> first = first_number(visible_devices);
  return first && *first < count;
}

// The mask of reasons. Returns std::nullopt if they are unknown.
std::optional<std::uint64_t> reasons_of(const model::Environment& environment) {
  const std::string& text = environment.throttle_reasons;
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t reasons = 0;
  const auto [rest, error] = std::from_chars(text.data() + 2, text.data() + text.size(), reasons, 16);
  if (error != std::errc{}) return std::nullopt;
  return reasons;
}

std::optional<int> version_of_driver(const NvmlFunctions& nvml) {
  int version = 0;
  if (nvml.driver_version == nullptr || nvml.driver_version(&version) != driver::kNvmlSuccess || version <= 0)
    return std::nullopt;
  return version;
}

}  // namespace

std::optional<GpuDescription> recognise_gpu(const std::vector<GpuDescription>& known,
                                            const std::optional<std::string>& visible_devices,
                                            const std::string& library) {
  if (known.empty()) return std::nullopt;
  const NvmlFunctions* nvml = driver::nvml_of(library);
  unsigned count = 0;
  if (nvml == nullptr || !can_describe(*nvml) || nvml->count(&count) != driver::kNvmlSuccess || count == 0)
    return std::nullopt;
  if (visible_devices && !shows_some(*visible_devices, count)) return std::nullopt;
  std::optional<GpuDescription> found;
  for (unsigned index = 0; index < count; ++index) {
    const std::optional<NvmlGpu> gpu = describe(*nvml, index);
    const std::optional<GpuDescription> same = gpu ? description_of(*gpu, known) : std::nullopt;
    if (!same || (found && found->key() != same->key())) return std::nullopt;
    if (!found) found = same;
  }
  return found;
}

model::Environment quick_environment(const std::optional<std::string>& visible_devices,
                                     const std::string& library) {
  model::Environment environment;
  try {
    environment.nvrtc_version = kernel_templates::remembered_nvrtc_version();
  } catch (const base::MachineError& error) {
    base::log_debug(fmt::format("NVRTC's version is unknown: {}", error.what()));
  }
  const NvmlFunctions* nvml = driver::nvml_of(library);
  if (nvml == nullptr) return environment;
  environment.driver_version = version_of_driver(*nvml);
  environment.driver_release = driver::driver_release(library);
  const unsigned index = visible_devices ? first_number(*visible_devices).value_or(0) : 0;
  driver::NvmlDevice(index, library).read().add_to(environment);
  return environment;
}

bool is_throttled(const model::Environment& environment) {
  return driver::is_throttled(reasons_of(environment).value_or(0));
}

bool has_working_clocks(const model::Environment& environment) {
  const std::optional<std::uint64_t> reasons = reasons_of(environment);
  return reasons && !driver::is_throttled(*reasons) && (*reasons & driver::kIdleReason) == 0;
}

}  // namespace warptune::profiling
