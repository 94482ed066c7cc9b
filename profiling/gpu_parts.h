#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "profiling/counters/pc_sampler.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/driver/nvml.h"
#include "profiling/prepared_gpu.h"
#include "profiling/timing/gpu_watch.h"

namespace warptune::profiling {

/// The sampler of the program counter, if it is wanted and CUPTI allows it. `problem` says why CUPTI does
/// not. CUPTI does not know code that was loaded into the context before the sampler was made.
struct SamplerState {
  SamplerState(CUcontext context, bool wanted);

  std::unique_ptr<counters::PcSampler> sampler;
  std::string problem;
};

/// The parts of a prepared GPU. Their order matters, because members are constructed in this order and
/// destroyed in the reverse order. `watch` must look at the GPU before this process has a context on it, and
/// `sampling` must exist before code is loaded into the context.
struct PreparedGpu::Parts {
  Parts(const model::GpuDescription& gpu, const PreparationOptions& options);
  void measure_roofs();

  std::future<void> planning;  ///< Plans the counters in parallel with the other preparations.
  driver::NvmlDevice nvml;
  timing::GpuWatch watch;
  driver::Context context;
  SamplerState sampling;
  driver::Stream stream;
  driver::DeviceHelpers helpers;
  std::vector<std::string> warnings;
  std::vector<model::RoofReading> roof_readings;
  model::GpuDescription description;
  std::filesystem::path compile_cache;
};

}  // namespace warptune::profiling
