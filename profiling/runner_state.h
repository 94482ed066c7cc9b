#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
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
#include "profiling/tracing/program_timeline.h"
#include "profiling/tracing/traced_runs.h"
#include "profiling/verification/error_meter.h"
#include "profiling/verification/input_sets.h"
#include "profiling/verification/new_input_times.h"
#include "profiling/verification/output_bits.h"
#include "profiling/verification/output_check.h"
#include "profiling/verification/verified_sample.h"

namespace warptune::profiling {

/// The state of a runner on its GPU, and the steps of an evaluation.
///
/// The order of the members matters. A member may use those before it, and is destroyed before them:
/// * `prepared` holds the context, so everything on the GPU is destroyed before it. `gpu` refers to its
///   parts. Warnings and roofs are taken from there.
/// * `arguments` are sized and filled by `instance` and `options`. `resources`, `check` and `inputs` refer to
///   them. `reference` and `deferred` hold code that is bound to the buffers, so they are destroyed first.
/// * `timer` needs the size of the arguments, because only arguments that fit into L2 require flushing.
/// * `counting` calls back into the runner and keeps launches of an open session. It is therefore destroyed
///   before the timer, the check and the arguments that those launches use.
struct KernelRunner::State {
  State(const kernel_templates::KernelInstance& kernel_instance, const RunnerOptions& runner_options,
        PreparedGpu prepared_gpu);

  /// A configuration whose code is on the device, with the arguments to which the buffers must be adapted.
  struct Loaded {
    driver::LoadedPlan plan;
    std::vector<kernel_templates::ResolvedArgument> arguments;
  };

  /// Loads the code of a configuration or of the reference, with its launches and arguments.
  model::Outcome<std::shared_ptr<Loaded>> load(
      const model::Outcome<kernel_templates::LaunchPlan>& plan,
      model::Outcome<std::vector<kernel_templates::ResolvedArgument>> resolved,
      const kernel_templates::CompiledKernel& compiled);
  void evaluate(model::Measurement& measurement, std::uint64_t id,
                const kernel_templates::CompiledKernel& compiled, double incumbent_ns);
  /// Launches the reference on the current inputs, so that the outputs are right afterwards. Throws
  /// `base::InputError` when the reference fails.
  void run_reference();
  /// Fills the outputs with their given expected values.
  void upload_expected();
  double launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  double launch_uncounted(Loaded& loaded);
  void prepare_first(Loaded& loaded);
  double time_bare_ns(Loaded& loaded);
  /// Whether the first launch of a configuration is counted. If it is not, `count_measured` follows.
  bool counts_first_launch(const Loaded& loaded) const;
  /// Returns whether a configuration was not dropped after its first launch, and remembers how many were not.
  bool note_contender(const timing::Race& race);
  std::optional<std::string> count_measured(std::uint64_t id, const std::shared_ptr<Loaded>& loaded,
                                            bool is_contender);
  void note_lost_counters(const driver::CudaError& error);
  void count_again(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  std::optional<double> count_launch(std::uint64_t id, const std::shared_ptr<Loaded>& loaded,
                                     const std::function<void()>& prepare);
  void count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded);
  bool defers_programs() const;
  bool has_full_batch() const;
  void start_counting();
  static constexpr std::chrono::seconds kAll = std::chrono::seconds::max();
  void count_deferred(std::chrono::seconds limit);
  /// Runs a race to its verdict. Returns why the outputs of one of its launches were wrong, or std::nullopt.
  std::optional<std::string> race(timing::Race& race, Loaded& loaded, model::Measurement& measurement);
  /// Flushes the L2 cache, unless the timer flushes it before each launch.
  void flush_once();
  /// Lets the GPU be idle for a few milliseconds, and then flushes the L2 cache like `flush_once`.
  void settle();
  /// Times and verifies a launch.
  verification::VerifiedSample time_verified(Loaded& loaded, bool on_other_inputs,
                                             std::uint64_t hold_cycles = timing::LaunchTimer::kHoldCycles);
  class CodeOnGpu;
  /// Whether the times of a race are a reason to call `remembered`.
  bool is_suspicious(const verification::NewInputTimes& times) const;
  /// Returns why a configuration must be rejected: it always takes longer on inputs that it has not seen, or
  /// it is wrong there. Returns std::nullopt if it need not. Loads its code at least once more. With
  /// `confirming`, `note_begun(0)` is called before each launch.
  std::optional<model::Rejection> remembered(const model::NamedValues& configuration,
                                             const kernel_templates::CompiledKernel& compiled,
                                             bool confirming);
  void note_bytes_to_write();
  void add_bytes_to_write(const Loaded& loaded, model::Measurement& measurement) const;
  void judge_time(model::Measurement& measurement) const;
  void measure_energy(Loaded& loaded, model::Measurement& measurement);
  /// Returns the errors of the last launch's outputs against the reference. Empty if there are no
  /// floating-point outputs or no reference.
  model::Counters errors();
  bool prepare_errors();
  /// Tells the caller that a finalist is about to be launched.
  void note_begun(std::size_t finalist) const;
  std::shared_ptr<Loaded> load_finalist(const Finalist& finalist);
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists,
                                                       const std::vector<ExternalLaunch>& external,
                                                       int rounds);
  /// Generates the inputs with which the session began once more, unless one of the sets still has them.
  void keep_first_inputs();
  /// Notes the outputs of a right launch of a finalist.
  void note_outputs(verification::OutputBits& bits, timing::FinalistTiming& timing);
  timing::Confirmation confirm(const Finalist& finalist);
  HotLines sample_lines(Loaded& loaded, const kernel_templates::CompiledKernel& compiled);
  tracing::ProgramTimeline trace_steps(const model::NamedValues& configuration,
                                       const kernel_templates::CompiledKernel& compiled);
  tracing::NotedRun trace_run(Loaded& loaded);
  void launch(const Loaded& loaded);
  void launch(const ExternalLaunch& external);
  void fit(Loaded& loaded);
  void restore(Loaded& loaded);
  timing::Sample time(Loaded& loaded, std::uint64_t hold_cycles = timing::LaunchTimer::kHoldCycles);
  timing::Sample time(Loaded& loaded, const std::function<void()>& prepare, std::uint64_t hold_cycles,
                      timing::Repeat repeat = timing::Repeat::kIfOffClock);
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
  /// The number of bytes that a launch must write. Unknown until there is a reference.
  std::optional<std::uint64_t> bytes_to_write;
  timing::LaunchTimer timer;
  counters::CounterCollector counting;
  /// A configuration that was measured and will be counted later (runner_counting.cpp).
  struct Deferred {
    std::uint64_t id = 0;
    std::shared_ptr<Loaded> loaded;
  };
  std::deque<Deferred> deferred;
  bool has_counted = false;             ///< `KernelRunner::has_counted_last`.
  double contender_share = 0.0;         ///< A moving average over about 16 evaluations.
  std::size_t dropped_after_first = 0;  ///< How many configurations were dropped after their first launch.
  timing::EnergyMeter energy;
  /// Made when it is first needed.
  std::optional<verification::ErrorMeter> error_meter;
  bool warned_of_missing_energy = false;
  verification::NewInputTimes new_inputs;  ///< The times of the last race.
  base::Random random;
  /// Selects the launches that are verified. Its seed is unpredictable, so that kernels cannot predict them.
  base::Random unforeseen{base::unforeseen_seed()};
  bool lost = false;
};

}  // namespace warptune::profiling
