#include "profiling/prepared_gpu.h"

#include <future>

#include "base/error.h"
#include "base/log.h"
#include "profiling/counters/metric_planner.h"
#include "profiling/counters/range_profiler.h"
#include "profiling/gpu_parts.h"
#include "profiling/roofs/roof_meter.h"

namespace warptune::profiling {

SamplerState::SamplerState(CUcontext context, bool wanted) {
  if (!wanted) return;
  try {
    sampler = std::make_unique<counters::PcSampler>(context);
  } catch (const base::MachineError& error) {
    problem = error.what();
  }
}

namespace {

// Plans the counters in another thread. CUPTI's host library answers without a GPU, but takes 0.1 s and more.
// The answers are kept until the process ends, so later the same questions take no time.
std::future<void> plan_counters(const std::string& chip, const MeasuringOptions& measuring) {
  if (!measuring.count) return {};
  return std::async(std::launch::async, [chip, metrics = measuring.metrics] {
    try {
      counters::plan_range_profiler(chip, counters::choose_metrics(chip, metrics).metrics);
      base::log_debug("the counters are planned");
    } catch (const base::Error& error) {  // Opening the profiler session reports the same error.
      base::log_debug(error.what());
    }
  });
}

}  // namespace

PreparedGpu::Parts::Parts(const model::GpuDescription& gpu, const PreparationOptions& options)
    : planning(plan_counters(gpu.chip, options.measuring)),
      nvml(driver::pci_bus_id(options.ordinal)),
      watch(nvml),
      context(options.ordinal),
      sampling(context.get(), options.sample_lines),
      stream(driver::make_stream()),
      helpers(gpu, stream.get(), options.measuring.compile_cache),
      roof_readings(options.roofs),
      description(gpu),
      compile_cache(options.measuring.compile_cache) {
  base::log_debug("the checking kernels are loaded");
}

void PreparedGpu::Parts::measure_roofs() {
  if (!roof_readings.empty()) return;
  roof_readings = roofs::measure_roofs(description, stream.get(), helpers, compile_cache, warnings);
  base::log_debug("the roofs are measured");
}

PreparedGpu::PreparedGpu(const model::GpuDescription& gpu, const PreparationOptions& options)
    : parts_(std::make_unique<Parts>(gpu, options)) {}

void PreparedGpu::measure_roofs() { parts_->measure_roofs(); }

PreparedGpu::~PreparedGpu() = default;
PreparedGpu::PreparedGpu(PreparedGpu&&) noexcept = default;
PreparedGpu& PreparedGpu::operator=(PreparedGpu&&) noexcept = default;

const std::vector<model::RoofReading>& PreparedGpu::roof_readings() const { return parts_->roof_readings; }

}  // namespace warptune::profiling
