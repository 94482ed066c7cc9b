#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "profiling/counters/counter_collector.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/driver/host_resources.h"
#include "profiling/driver/launcher.h"
#include "profiling/gpu_parts.h"
#include "profiling/kernel_runner.h"
#include "profiling/timing/energy_meter.h"
#include "profiling/timing/launch_timer.h"
#include "profiling/verification/error_meter.h"
#include "profiling/verification/input_sets.h"
#include "profiling/verification/output_check.h"

namespace warptune::profiling {

/// What a runner holds on its GPU, and the parts of an evaluation.
///
/// Its members stand in the order in which each needs those before it, and go in the reverse one:
/// * `prepared` holds the context: what lies on the GPU goes before it. `gpu` is what is in it; warnings
///   and roofs are taken from there.
/// * `arguments` are sized and filled by `instance` and `options`. `resources`, `check` and `inputs` refer to
///   them, and `reference` and what is `deferred` are bound to them: code goes before the buffers that it is
///   bound to.
/// * `timer` is built when the arguments are there, by their size: whether they stay in L2.
/// * `counting` calls back into the runner and keeps launches of an open session: it goes before the timer,
///   the check and the arguments that those launches use.
struct KernelRunner::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const RunnerOptions& runner_options,
        PreparedGpu prepared_gpu);

  /// A configuration ready to be launched: its code on the device, the sizes of its scratch.
  struct Loaded {
    driver::LoadedPlan plan;
    std::vector<kernel_templates::ResolvedArgument> arguments;
  };

  /// `on_device`: with all buffers there, wherever the configuration has them.
  model::Outcome<std::shared_ptr<Loaded>> load(const model::Outcome<kernel_templates::LaunchPlan>& plan,
                                               const model::NamedValues& configuration,
                                               const kernel_templates::CompiledKernel& compiled,
                                               bool on_device = false);
  void evaluate(model::Measurement& measurement, std::uint64_t id,
                const kernel_templates::CompiledKernel& compiled, double incumbent_ns);
  /// Launches the reference on what the inputs hold; afterwards the outputs are right. Throws
  /// `base::InputError` when it fails.
  void run_reference();
  double launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  double launch_uncounted(Loaded& loaded);
  void prepare_first(Loaded& loaded);
  double time_bare_ns(Loaded& loaded);
  void count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  void start_counting();
  void count_deferred();
  /// Why the outputs of a launch in it were wrong, or nothing.
  std::optional<std::string> race(timing::Race& race, Loaded& loaded, model::Measurement& measurement);
  /// A timed launch of which the outputs are checked, and why they are wrong.
  struct VerifiedSample {
    timing::Sample sample;
    std::optional<std::string> fault;
  };
  VerifiedSample time_verified(Loaded& loaded, bool on_other_inputs,
                               std::uint64_t hold_cycles = timing::LaunchTimer::kHoldCycles);
  /// The first launch of some code on inputs that it has not seen, and later ones on the same inputs.
  struct NewInputs {
    double first_ns = 0.0;
    std::vector<double> later_ns;

    std::optional<double> ratio(bool on_host) const;
  };
  NewInputs time_on_new_inputs(const model::NamedValues& configuration,
                               const kernel_templates::CompiledKernel& compiled);
  /// What says that a configuration takes longer on inputs that it has not seen, or nothing.
  std::optional<std::string> remembered(const model::NamedValues& configuration,
                                        const kernel_templates::CompiledKernel& compiled, NewInputs times);
  void note_bytes_to_write();
  void add_bytes_to_write(const Loaded& loaded, model::Measurement& measurement) const;
  void judge_time(model::Measurement& measurement) const;
  void measure_energy(Loaded& loaded, model::Measurement& measurement);
  /// How far the outputs of the launch before are from the reference; empty where that says nothing.
  model::Counters errors();
  std::shared_ptr<Loaded> load_finalist(const Finalist& finalist);
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists,
                                                       const std::vector<ExternalLaunch>& external,
                                                       int rounds);
  timing::Confirmation confirm(const Finalist& finalist);
  HotLines sample_lines(Loaded& loaded, const kernel_templates::CompiledKernel& compiled);
  void launch(const Loaded& loaded);
  void launch(const ExternalLaunch& external);
  void fit(Loaded& loaded);
  void restore(Loaded& loaded);
  timing::Sample time(Loaded& loaded, std::uint64_t hold_cycles = timing::LaunchTimer::kHoldCycles);
  timing::Sample time(Loaded& loaded, const std::function<void()>& prepare, std::uint64_t hold_cycles);
  bool count_first(std::uint64_t id, const std::function<void()>& prepare,
                   const std::function<void()>& counted, const Loaded& loaded);
  void pause_counting();
  void synchronise();
  void note(const driver::CudaError& error);

  kernel_templates::KernelInstance instance;
  RunnerOptions options;
  PreparedGpu prepared;
  PreparedGpu::Parts& gpu;
  std::vector<std::string> warnings;
  model::Roofs roofs;
  driver::DeviceArguments arguments;
  driver::HostResources resources;
  verification::OutputCheck check;
  verification::InputSets inputs;
  std::shared_ptr<Loaded> reference;
  std::optional<std::uint64_t> bytes_to_write;  ///< By a launch, once a reference is known.
  timing::LaunchTimer timer;
  counters::CounterCollector counting;
  /// What was measured and waits to be counted: host programs, and all before counting was started.
  struct Deferred {
    std::uint64_t id = 0;
    std::shared_ptr<Loaded> loaded;
  };
  std::vector<Deferred> deferred;
  timing::EnergyMeter energy;
  std::optional<verification::ErrorMeter> error_meter;  ///< Once it is needed.
  bool told_no_energy = false;
  NewInputs new_inputs;  ///< Of the race that ran last.
  base::Random random;
  base::Random unforeseen{base::unforeseen_seed()};  ///< Which launches are verified: no kernel is to know.
  bool lost = false;
};

}  // namespace warptune::profiling
