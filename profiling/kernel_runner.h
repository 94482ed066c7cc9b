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

namespace warptune::profiling {

struct RunnerOptions : MeasuringOptions {
  /// The GPU, as the driver numbers it.
  int ordinal = 0;
  /// The number of ranges that a profiler session holds. Opening and closing a session costs far more than a
  /// range (docs/design.md, "Facts measured"), so many ranges share a session.
  std::size_t counter_batch = 256;
  /// `KernelRunner::start_counting` opens the first profiler session.
  bool defer_counting = false;
  timing::RacingProtocol racing;
  /// The known roofs of this GPU. If it is empty, they are measured, which takes less than a second.
  std::vector<model::RoofReading> roofs;
  /// If no roofs are known, `KernelRunner::measure_roofs` measures them.
  bool defer_roofs = false;
  /// Decides which outputs are right, for a definition whose check is `ReferenceKind::kJudged`
  /// (`verification::OutputCheck::Judge`).
  std::function<std::optional<std::string>()> judge;
  /// Called in the finals and in a confirmation before each launch that may hang, with the position of the
  /// finalist. Empty: nobody waits.
  std::function<void(std::size_t)> begun;
  /// The runner is made for `sample_lines` alone: the profiler samples, nothing is counted, and no roofs are
  /// measured.
  bool sample_lines = false;
};

/// The counters of a configuration that the same runner measured earlier.
struct CounterReading {
  std::uint64_t id = 0;  ///< The id that was given to `evaluate`.
  model::Counters counters;
  /// Something besides the launch took time while it was counted.
  bool disturbed = false;
};

/// A launch that does not belong to a configuration: a library's call with the arguments of the kernel.
struct ExternalLaunch {
  /// Enqueues work on `stream` (a `CUstream` of the current context) that writes the same outputs as the
  /// kernel. `buffers` has the device address of each argument of the definition, in their order, and 0 for
  /// scalars. The function must not wait for the GPU. It must return within 80 us, because the GPU is kept
  /// busy for that long.
  std::function<void(void* stream, const std::vector<std::uint64_t>& buffers)> launch;
};

/// Runs one kernel instance on one GPU. It does all the work of a GPU worker. There is one for each process,
/// and it is not thread-safe.
///
/// Buffers are kept between evaluations. A kernel that faults makes the context unusable. Then
/// `context_lost()` returns true, and the process must end.
class KernelRunner {
 public:
  /// Prepares the GPU, measures its roofs unless `defer_roofs` is set, and continues as the constructor
  /// below.
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options);
  /// Allocates and fills the buffers, each with guard words around it. The GPU must have been prepared with
  /// the same `ordinal`, `compile_cache`, `roofs` and `sample_lines`. Throws `base::MachineError` when the
  /// memory does not suffice.
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options,
               PreparedGpu gpu);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Runs the reference and keeps its outputs on the GPU. Throws `base::InputError` when the reference fails,
  /// because a check that cannot be made is an error in the definition.
  void prepare_reference(const kernel_templates::CompiledKernel& reference);

  /// Does the same for a definition whose right outputs are given, and lets `RunnerOptions::judge` decide for
  /// one whose outputs are judged. Throws `base::InputError` when given outputs cannot be read. Does nothing
  /// for other definitions.
  void use_given_reference();

  /// Begins to generate a second set of inputs, as large as the first one. Launches are verified on both
  /// sets. This exposes kernels that fit only one set of data, or that remember their results. Does nothing
  /// without a reference. Adds a warning when no input depends on the seed, or when the memory has no room
  /// for a second set.
  void generate_second_inputs();
  /// Uploads the second set once it is generated, and runs the reference on it. If it is not generated yet,
  /// the function waits for it with `wait` and does nothing without. Throws `base::InputError` when the
  /// reference fails.
  void use_second_inputs(bool wait);

  /// Measures the roofs if none are known. See `PreparedGpu`.
  void measure_roofs();

  /// Opens the first profiler session, and counts the configurations that were evaluated before. Opening
  /// takes up to 0.65 s in a process. Before this call, launches are verified and timed at once and counted
  /// later, so that the first measurement of a session need not wait. Does nothing when counting has started
  /// or is not wanted.
  void start_counting();

  /// Screens, verifies and counts the configuration with one launch. While a profiler session is open, that
  /// launch runs inside a range of it. Then the configuration races against `incumbent_ns`, the best median
  /// so far (0 when there is none). Never throws because of a bad candidate: the status reports it. A dropped
  /// configuration has its estimated time as the median, and in `time.low_ns` a lower bound.
  model::Measurement evaluate(std::uint64_t id, const model::NamedValues& configuration,
                              const kernel_templates::CompiledKernel& compiled, double incumbent_ns);

  /// Counts one launch of a configuration whose evaluation succeeded, because its counters were lost.
  void count(std::uint64_t id, const model::NamedValues& configuration,
             const kernel_templates::CompiledKernel& compiled);

  /// Times several configurations in `rounds` rounds, each round in a random order, and verifies the outputs
  /// of every launch. `evaluate` must have succeeded for each of them.
  struct Finalist {
    model::NamedValues configuration;
    const kernel_templates::CompiledKernel* compiled = nullptr;
  };
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists, int rounds);
  /// Does the same as the function above, with external launches among the finalists. Their samples follow
  /// those of the finalists in the result. Their outputs are not verified here. The GPU is kept busy for
  /// longer before every launch.
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists,
                                                       const std::vector<ExternalLaunch>& external,
                                                       int rounds);

  /// Loads a configuration again, and launches it up to 300 times or for one second. Half of the launches run
  /// on inputs that are generated for this call. The outputs of every launch are verified. These inputs then
  /// replace the first set.
  timing::Confirmation confirm(const Finalist& finalist);

  /// Launches once on restored arguments, and verifies the outputs as those of a configuration. Returns why
  /// they are wrong, or std::nullopt when they are right. Passes on what the launch throws.
  std::optional<std::string> verify(const ExternalLaunch& external);

  /// Returns the readings of the profiler sessions that were closed since the last call. With `close` it
  /// closes the open session first.
  std::vector<CounterReading> take_counters(bool close);

  /// Samples the program counter of a configuration's launches, to show where they spend their time. It
  /// repeats the launch until there are about ten thousand samples. The runner must have been made with
  /// `RunnerOptions::sample_lines`, and `compiled` with `--generate-line-info`. If sampling is impossible,
  /// `problem` of the result says why.
  HotLines sample_lines(const model::NamedValues& configuration,
                        const kernel_templates::CompiledKernel& compiled);

  const model::Roofs& roofs() const;
  /// The roofs of the options, or the measured ones. Empty before they are measured.
  const std::vector<model::RoofReading>& roof_readings() const;
  /// True after a fault of the kernel, or after a kernel overwrote data on which the checks rely. Then the
  /// process must end.
  bool context_lost() const;
  /// Whether memory is read before each timed launch, so that the L2 cache holds nothing that the kernel
  /// uses.
  bool flushes() const;
  /// Returns messages for people, each of them once. They say why counters are missing and what to do about
  /// it, which metrics are left out, and whether others use the GPU or it throttles.
  std::vector<std::string> take_warnings();
  /// Whether launches are being counted.
  bool counting() const;
  /// Why counters are missing although they were wanted. Empty when they work or were not wanted.
  const std::string& counter_problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::profiling
