#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "profiling/detail/device_helpers.h"
#include "profiling/detail/gpu_watch.h"
#include "profiling/detail/nvml.h"
#include "profiling/detail/pc_sampler.h"
#include "profiling/prepared_gpu.h"

namespace warptune::profiling {

namespace detail {

/// CUPTI samples one GPU process by its context. It does not know what was loaded before.
struct Sampling {
  Sampling(CUcontext context, bool wanted);

  std::unique_ptr<PcSampler> sampler;
  std::string problem;
};

}  // namespace detail

/// The members are made in this order, and destroyed in the reverse: the watch looks at the GPU while this
/// process has no context on it; sampling begins before anything is loaded into the context.
struct PreparedGpu::Parts {
  Parts(const search::GpuDescription& gpu, const PreparationOptions& options);
  void measure_roofs();

  std::future<void> planning;  ///< Of the counters, beside the rest.
  detail::NvmlDevice nvml;
  detail::GpuWatch watch;
  detail::Context context;
  detail::Sampling sampling;
  detail::Stream stream;
  detail::DeviceHelpers helpers;
  std::vector<std::string> warnings;
  std::vector<search::RoofReading> roof_readings;
  search::GpuDescription description;
  std::filesystem::path compile_cache;
};

}  // namespace warptune::profiling
