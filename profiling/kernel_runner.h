#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "model/roof_reading.h"
#include "profiling/hot_lines.h"
#include "profiling/measuring_options.h"
#include "profiling/prepared_gpu.h"
#include "profiling/timing/finalist_timing.h"
#include "profiling/timing/racing.h"
#include "profiling/tracing/program_timeline.h"

namespace warptune::profiling {

struct RunnerOptions : MeasuringOptions {
  /// The number that the driver gives the GPU.
  int ordinal = 0;
  /// The number of counted launches (ranges) that a profiler session holds. Opening and closing a session
  /// costs far more than a range (docs/design.md, "Facts measured"), so many ranges share a session.
  std::size_t counter_batch = 256;
  /// Open the first profiler session only in `KernelRunner::start_counting`, not in the constructor.
  bool defer_counting = false;
  timing::RacingProtocol racing;
  /// The known roofs of this GPU. If there are none, they are measured, which takes less than a second.
  std::vector<model::RoofReading> roofs;
  /// Measure unknown roofs only in `KernelRunner::measure_roofs`, not in the constructor.
  bool defer_roofs = false;
  /// Decides which outputs are right, for a definition whose check is `ReferenceKind::kJudged`
  /// (`verification::OutputCheck::Judge`).
  std::function<std::optional<std::string>()> judge;
  /// Called in the finals and in a confirmation before each launch, with the position of the finalist. If the
  /// launch hangs, the caller then knows which finalist it was. May be empty.
  std::function<void(std::size_t)> begun;
  /// The runner is made only for `KernelRunner::sample_lines`. The profiler samples the program counter, no
  /// hardware counters are read, and no roofs are measured.
  bool sample_lines = false;
};

/// The counters of a configuration that the same runner measured earlier.
struct CounterReading {
  std::uint64_t id = 0;  ///< The id that was given to `evaluate`.
  model::Counters counters;
  /// Something else than the launch took time while it was counted, for example another process.
  bool disturbed = false;
};

/// A launch that does not belong to a configuration: a library's call with the arguments of the kernel.
struct ExternalLaunch {
  /// Enqueues work on `stream` (a `CUstream` of the current context) that writes the same outputs as the
  /// kernel. `buffers` has the device address of each argument of the definition, in their order, and 0 for
  /// scalars. Their memory and pitch are those of the configuration that was loaded last. The function must
  /// not wait for the GPU. It must return within 80 us: the GPU is kept busy for that long, so that the time
  /// of submitting is not measured.
  std::function<void(void* stream, const std::vector<std::uint64_t>& buffers)> launch;
};

/// Runs one kernel instance (a definition with a problem) on one GPU. It does all the work of a GPU worker. A
/// process has one runner. It is not thread-safe.
///
/// Buffers are kept between evaluations. A kernel that faults makes the context unusable. Then
/// `context_lost()` returns true, and the process must end.
class KernelRunner {
 public:
  /// Prepares the GPU, measures its roofs unless `defer_roofs` is set, and continues as the constructor
  /// below.
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options);
  /// Allocates and fills the buffers, each with guards around it that reveal writes outside of the buffer.
  /// The GPU must have been prepared with the same `ordinal`, `compile_cache`, `roofs` and `sample_lines`.
  /// Throws `base::MachineError` when there is too little memory.
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options,
               PreparedGpu gpu);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Runs the reference and keeps its outputs on the GPU. Throws `base::InputError` when the reference fails,
  /// because a check that cannot be made is an error in the definition.
  void prepare_reference(const kernel_templates::CompiledKernel& reference);

  /// For a definition whose right outputs are given as files, reads them and keeps them on the GPU. For a
  /// definition whose outputs a program judges, lets `RunnerOptions::judge` decide. Does nothing for other
  /// definitions. Throws `base::InputError` when given outputs cannot be read.
  void use_given_reference();

  /// Generates a second set of inputs, as large as the first one, and runs the reference on it. Later
  /// launches are verified on both sets. This reveals kernels that are right only for one set of data, or
  /// that remember their results. Does nothing without a reference. Adds a warning when no input depends on
  /// the seed, or when the memory has no room for a second set. Throws `base::InputError` when the reference
  /// fails.
  void add_second_inputs();

  /// Measures the roofs if none are known (`PreparedGpu::measure_roofs`).
  void measure_roofs();

  /// Opens the first profiler session, and counts configurations that were evaluated before, for about a
  /// second. The next calls continue. Does nothing when all are counted, or when counting is not wanted.
  /// Opening takes half a second, and up to 1.5 s on a machine that has not loaded CUPTI before. A tuning
  /// session does not wait for that at its start: before this call, launches are verified and timed at once,
  /// and counted later.
  void start_counting();
  /// Forgets the configurations that wait to be counted, if counting has not started.
  void give_up_uncounted();
  /// Whether as many configurations wait for `start_counting` as a profiler session can count.
  bool has_full_batch() const;

  /// Screens the configuration, and verifies it with one launch. Then the configuration races against
  /// `incumbent_ns`, the best median so far (0 when there is none). A launch is counted if the configuration
  /// was not dropped after its first launch, and of one in eight others. With `MeasuringOptions::count_all`,
  /// a launch of every configuration is counted. `id` identifies the later `CounterReading`. Never throws
  /// because of a bad configuration: the status reports it. For a dropped configuration, the median is an
  /// estimate, and `time.low_ns` is a lower bound of the time.
  model::Measurement evaluate(std::uint64_t id, const model::NamedValues& configuration,
                              const kernel_templates::CompiledKernel& compiled, double incumbent_ns);

  /// Counts one launch of a configuration whose evaluation succeeded, because its counters were lost.
  void count(std::uint64_t id, const model::NamedValues& configuration,
             const kernel_templates::CompiledKernel& compiled);

  /// A configuration for which `evaluate` has succeeded.
  struct Finalist {
    model::NamedValues configuration;
    const kernel_templates::CompiledKernel* compiled = nullptr;
  };
  /// Times several configurations in `rounds` rounds, each round in a random order, and verifies the outputs
  /// of every launch.
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists, int rounds);
  /// Does the same with external launches among the finalists. In the result, they follow the finalists.
  /// Their outputs are not verified here. Before every launch the GPU is kept busy for longer, so that the
  /// host has time to submit an external launch.
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists,
                                                       const std::vector<ExternalLaunch>& external,
                                                       int rounds);

  /// Loads a configuration again, and launches it up to 300 times within two seconds, but at least three
  /// times. The outputs of every launch are verified. If the reference can be run, new inputs first replace
  /// one set of inputs. About half of the launches run on them.
  timing::Confirmation confirm(const Finalist& finalist);

  /// Restores the arguments, launches once, and verifies the outputs like those of a configuration. Returns
  /// why they are wrong, or std::nullopt when they are right. Passes on what the launch throws.
  std::optional<std::string> verify(const ExternalLaunch& external);

  /// Returns the readings of the profiler sessions that were closed since the last call. With `close` it
  /// closes the open session first.
  std::vector<CounterReading> take_counters(bool close);

  /// Samples the program counter of a configuration's launches, to show where they spend their time. It
  /// launches in at most three rounds, until there are 20,000 samples. The runner must have been made with
  /// `RunnerOptions::sample_lines`, and `compiled` with `--generate-line-info`. If sampling is impossible,
  /// `problem` of the result says why.
  HotLines sample_lines(const model::NamedValues& configuration,
                        const kernel_templates::CompiledKernel& compiled);

  /// Runs a host program several times while CUPTI records what its steps do on the host and on the GPU. The
  /// runner must have been made without counters, and a process may call this once. If it is impossible,
  /// `problem` of the result says why.
  tracing::ProgramTimeline trace_steps(const model::NamedValues& configuration,
                                       const kernel_templates::CompiledKernel& compiled);

  /// The values of `roof_readings`, with the theoretical peak of the GPU.
  const model::Roofs& roofs() const;
  /// The roofs of the options, or the measured ones. Empty before they are measured.
  const std::vector<model::RoofReading>& roof_readings() const;
  /// True after a fault of the kernel, or after a kernel overwrote data on which the checks rely. Then the
  /// process must end.
  bool context_lost() const;
  /// Whether the L2 cache is flushed before each timed launch: other memory is read, so that L2 holds nothing
  /// that the kernel uses.
  bool flushes() const;
  /// Returns the warnings since the last call. They say why counters are missing and what to do about it,
  /// which metrics are left out, and whether other processes use the GPU or its clocks are throttled.
  std::vector<std::string> take_warnings();
  /// Whether launches are being counted.
  bool counting() const;
  /// Whether a launch of the last configuration that was evaluated was counted, or will be.
  bool has_counted_last() const;
  /// Why counters are missing although they were wanted. Empty when they work or were not wanted.
  const std::string& counter_problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::profiling
