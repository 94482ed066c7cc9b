#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "profiling/detail/counting.h"
#include "profiling/detail/device_buffers.h"
#include "profiling/detail/device_helpers.h"
#include "profiling/detail/energy_meter.h"
#include "profiling/detail/error_meter.h"
#include "profiling/detail/gpu_watch.h"
#include "profiling/detail/host_resources.h"
#include "profiling/detail/launch_timer.h"
#include "profiling/detail/launcher.h"
#include "profiling/detail/nvml.h"
#include "profiling/detail/output_check.h"
#include "profiling/detail/pc_sampler.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling {

namespace detail {

/// CUPTI samples one GPU process by its context; what is loaded before is not known to it.
struct Sampling {
  Sampling(CUcontext context, bool wanted) {
    if (!wanted) return;
    try {
      sampler = std::make_unique<detail::PcSampler>(context);
    } catch (const base::MachineError& error) {
      problem = error.what();
    }
  }

  std::unique_ptr<detail::PcSampler> sampler;
  std::string problem;
};

}  // namespace detail

/// What a runner holds on its GPU, and the parts of an evaluation.
struct KernelRunner::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const RunnerOptions& runner_options);

  /// A configuration ready to be launched: its code on the device, the sizes of its scratch.
  struct Loaded {
    detail::LoadedPlan plan;
    std::vector<kernel_templates::ResolvedArgument> arguments;
  };

  /// `on_device`: with all buffers there, wherever the configuration has them.
  search::Outcome<std::shared_ptr<Loaded>> load(const search::Outcome<kernel_templates::LaunchPlan>& plan,
                                                const search::NamedValues& configuration,
                                                const kernel_templates::CompiledKernel& compiled,
                                                bool on_device = false);
  void evaluate(search::Measurement& measurement, std::uint64_t id,
                const kernel_templates::CompiledKernel& compiled, double incumbent_ns);
  double launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  double launch_uncounted(Loaded& loaded);
  void prepare_first(Loaded& loaded);
  double time_bare_ns(Loaded& loaded);
  void count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  void count_deferred();
  void race(Race& race, Loaded& loaded, search::Measurement& measurement);
  void measure_energy(Loaded& loaded, search::Measurement& measurement);
  HotLines sample_lines(Loaded& loaded, const kernel_templates::CompiledKernel& compiled);
  void launch(const Loaded& loaded);
  void launch(const ExternalLaunch& external);
  void fit(Loaded& loaded);
  void restore(Loaded& loaded);
  detail::Sample time(Loaded& loaded, std::uint64_t hold_cycles = detail::LaunchTimer::kHoldCycles);
  bool count_first(std::uint64_t id, const std::function<void()>& prepare,
                   const std::function<void()>& counted, const Loaded& loaded);
  void pause_counting();
  void synchronise();
  void note(const detail::CudaError& error);

  kernel_templates::KernelInstance instance;
  RunnerOptions options;
  detail::NvmlDevice nvml;
  detail::GpuWatch watch;  ///< Looks first while this process has no context.
  detail::Context context;
  detail::Sampling sampling;
  detail::Stream stream;
  detail::DeviceHelpers helpers;
  std::vector<std::string> warnings;
  std::vector<search::RoofReading> roof_readings;  ///< Before the buffers take the memory.
  search::Roofs roofs;
  detail::DeviceArguments arguments;
  detail::HostResources resources;
  detail::OutputCheck check;
  detail::LaunchTimer timer;
  detail::Counting counting;
  /// Host programs that wait to be counted.
  struct Deferred {
    std::uint64_t id = 0;
    std::shared_ptr<Loaded> loaded;
  };
  std::vector<Deferred> deferred;
  detail::EnergyMeter energy;
  std::optional<detail::ErrorMeter> error_meter;
  bool told_no_energy = false;
  base::Random random;
  bool lost = false;
};

}  // namespace warptune::profiling
