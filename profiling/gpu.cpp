#include "profiling/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "kernel_templates/compiler.h"
#include "profiling/counters/cupti.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/nvml.h"

namespace warptune::profiling {

using driver::cuda;

namespace {

std::int64_t attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  WARPTUNE_CUDA(cuDeviceGetAttribute(&value, which, device));
  return value;
}

std::string find_chip(int ordinal, const std::string& by_capability) {
  try {
    return counters::chip_name(ordinal);
  } catch (const base::MachineError& error) {
    base::log_debug(fmt::format("the chip's name is taken from its compute capability: {}", error.what()));
    return by_capability;
  }
}

model::GpuDescription read_gpu(int ordinal) {
  CUdevice device = 0;
  WARPTUNE_CUDA(cuDeviceGet(&device, ordinal));
  const auto read = [&](CUdevice_attribute which) { return attribute(device, which); };
  model::GpuDescription gpu;
  std::array<char, 256> name{};
  WARPTUNE_CUDA(cuDeviceGetName(name.data(), static_cast<int>(name.size()), device));
  gpu.name = name.data();
  gpu.compute_major = static_cast<int>(read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  gpu.compute_minor = static_cast<int>(read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  gpu.sm_count = static_cast<int>(read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  gpu.l2_bytes = read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  std::size_t memory_bytes = 0;
  WARPTUNE_CUDA(cuDeviceTotalMem(&memory_bytes, device));
  gpu.memory_bytes = static_cast<std::int64_t>(memory_bytes);
  // Two transfers in each cycle of the memory clock (kHz), and 8 bits in a byte.
  gpu.memory_bandwidth_bytes_per_s = 2 * 1000 * read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                                     read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  gpu.max_clock_khz = read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  gpu.ecc = read(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0;
  gpu.mig = gpu.name.find(" MIG ") != std::string::npos;
  gpu.max_threads_per_block = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  gpu.max_threads_per_sm = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  gpu.max_blocks_per_sm = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  gpu.registers_per_sm = read(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  gpu.shared_bytes_per_block = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  gpu.shared_bytes_per_block_optin = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  gpu.shared_bytes_per_sm = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  gpu.warp_size = static_cast<int>(read(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  gpu.chip = chip_by_capability(gpu.compute_major, gpu.compute_minor);
  return gpu;
}

model::GpuDescription describe_gpu(int ordinal) {
  model::GpuDescription gpu = read_gpu(ordinal);
  gpu.chip = find_chip(ordinal, gpu.chip);
  return gpu;
}

}  // namespace

model::GpuDescription local_gpu(int ordinal) {
  int count = 0;
  WARPTUNE_CUDA(cuDeviceGetCount(&count));
  if (ordinal < 0 || ordinal >= count) {
    throw base::MachineError(fmt::format("there is no GPU {}: the driver shows {}", ordinal, count),
                             "check CUDA_VISIBLE_DEVICES");
  }
  return read_gpu(ordinal);
}

std::string chip_by_capability(int major, int minor) {
  struct Row {
    int capability;
    const char* chip;
  };
  constexpr Row kRows[] = {{70, "GV100"},  {72, "GV11B"},  {75, "TU102"}, {80, "GA100"},  {86, "GA102"},
                           {87, "GA10B"},  {89, "AD102"},  {90, "GH100"}, {100, "GB100"}, {103, "GB110"},
                           {110, "GB10B"}, {120, "GB202"}, {121, "GB20B"}};
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& candidate) {
    return candidate.capability == major * 10 + minor;
  });
  return row == std::end(kRows) ? "" : row->chip;
}

GpuList enumerate_gpus() {
  GpuList list;
  try {
    int count = 0;
    WARPTUNE_CUDA(cuDeviceGetCount(&count));
    base::log_debug("the driver is loaded");
    for (int ordinal = 0; ordinal < count; ++ordinal) list.gpus.push_back(describe_gpu(ordinal));
    if (count == 0) list.reason = "the driver shows no GPU: check CUDA_VISIBLE_DEVICES";
  } catch (const base::Error& error) {
    list.gpus.clear();
    list.reason = error.what();
    std::replace(list.reason.begin(), list.reason.end(), '\n', ' ');
  }
  base::log_debug("the GPUs are described");
  return list;
}

model::Environment read_environment(int ordinal) {
  model::Environment environment;
  environment.warptune_version = WARPTUNE_VERSION;
  int driver_version = 0;
  WARPTUNE_CUDA(cuDriverGetVersion(&driver_version));
  if (driver_version > 0) environment.driver_version = driver_version;
  environment.driver_release = driver::driver_release();
  try {
    environment.nvrtc_version = kernel_templates::nvrtc_version();
  } catch (const base::MachineError& error) {
    base::log_debug(fmt::format("NVRTC's version is unknown: {}", error.what()));
  }
  driver::NvmlDevice(driver::pci_bus_id(ordinal)).read().add_to(environment);
  return environment;
}

}  // namespace warptune::profiling
