#include "profiling/prepared_gpu.h"

#include "base/log.h"
#include "profiling/detail/gpu_parts.h"
#include "profiling/detail/roof_meter.h"

namespace warptune::profiling {

namespace detail {

Sampling::Sampling(CUcontext context, bool wanted) {
  if (!wanted) return;
  try {
    sampler = std::make_unique<PcSampler>(context);
  } catch (const base::MachineError& error) {
    problem = error.what();
  }
}

}  // namespace detail

PreparedGpu::Parts::Parts(const search::GpuDescription& gpu, const PreparationOptions& options)
    : nvml(detail::pci_bus_id(options.ordinal)),
      watch(nvml),
      context(options.ordinal),
      sampling(context.get(), options.sample_lines),
      stream(detail::make_stream()),
      helpers(gpu, stream.get(), options.compile_cache),
      roof_readings(options.roofs) {
  base::log_debug("the context is made and the checking kernels are loaded");
  if (!roof_readings.empty() || options.sample_lines) return;
  roof_readings = detail::measure_roofs(gpu, stream.get(), helpers, options.compile_cache, warnings);
  base::log_debug("the roofs are measured");
}

PreparedGpu::PreparedGpu(const search::GpuDescription& gpu, const PreparationOptions& options)
    : parts_(std::make_unique<Parts>(gpu, options)) {}

PreparedGpu::~PreparedGpu() = default;
PreparedGpu::PreparedGpu(PreparedGpu&&) noexcept = default;
PreparedGpu& PreparedGpu::operator=(PreparedGpu&&) noexcept = default;

const std::vector<search::RoofReading>& PreparedGpu::roof_readings() const { return parts_->roof_readings; }

}  // namespace warptune::profiling
