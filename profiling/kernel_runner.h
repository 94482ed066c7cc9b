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
  int ordinal = 0;  ///< Which GPU.
  /// Ranges that a profiler session holds. Opening and closing a session costs far more than a range
  /// (docs/design.md, "Facts measured"), so it is shared by many.
  std::size_t counter_batch = 256;
  bool counts_later = false;  ///< The first profiler session is opened by `KernelRunner::start_counting`.
  timing::RacingProtocol racing;
  std::vector<model::RoofReading> roofs;  ///< Known of this GPU; empty: measured, less than a second.
  bool roofs_later = false;  ///< They are measured by `KernelRunner::measure_roofs`, where none are known.
  /// For `sample_lines` alone: the profiler samples, so that nothing is counted, and no roofs are measured.
  bool sample_lines = false;
};

/// Counters of a configuration measured earlier by the same runner.
struct CounterReading {
  std::uint64_t id = 0;  ///< As given to `evaluate`.
  model::Counters counters;
  bool disturbed = false;  ///< Something beside the launch took time while it was counted.
};

/// A launch that is no configuration: a library's call on the arguments of the kernel.
struct ExternalLaunch {
  /// Enqueues on `stream` (a `CUstream` of the current context) what writes the same outputs. `buffers` are
  /// the device addresses of the definition's arguments in their order, 0 for scalars. Waits for nothing, and
  /// takes the host less than the 80 us for which the GPU is kept busy.
  std::function<void(void* stream, const std::vector<std::uint64_t>& buffers)> launch;
};

/// Runs one kernel instance on one GPU: the whole of a GPU worker's work. One per process; not thread-safe.
///
/// Buffers live between evaluations. A kernel that faults poisons the context: `context_lost()` turns true
/// and the process must end.
class KernelRunner {
 public:
  /// Prepares the GPU, measures its roofs unless that is for later, then as below.
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options);
  /// Allocates and fills buffers (guard words round each) on a GPU that was prepared with the same `ordinal`,
  /// `compile_cache`, `roofs` and `sample_lines`. Throws `base::MachineError` (not enough memory).
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options,
               PreparedGpu gpu);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Runs the reference and keeps its outputs on the GPU. Throws `base::InputError` when the reference fails:
  /// a check that cannot be made is the definition's fault.
  void prepare_reference(const kernel_templates::CompiledKernel& reference);

  /// Begins to generate a second set of inputs, as large as the first: launches are verified on both, so that
  /// a kernel that fits one set of data, or remembers its results, is found out. Does nothing without a
  /// reference; a warning says where inputs depend on no seed, or the memory has no room for them.
  void generate_other_inputs();
  /// Once they are generated, brings them to the GPU and has the reference run on them; until then, unless
  /// `wait`, does nothing. Throws `base::InputError` when the reference fails.
  void hold_other_inputs(bool wait);

  /// Measures the roofs where none are known; see `PreparedGpu`.
  void measure_roofs();

  /// Opens the first profiler session, which takes up to 0.65 s in a process, and counts what was evaluated
  /// before. Until it is called, launches are verified and timed at once and counted later, so that the first
  /// measurement of a session does not wait for it. Does nothing where counting goes on, or is not wanted.
  void start_counting();

  /// Screens, verifies and counts with one launch (inside a range of the open profiler session, where
  /// counting goes on), then races against `incumbent_ns`, the best median so far (0: none). Never throws for
  /// a bad candidate: the status says it. One that was dropped has its estimate as median and what it is
  /// slower than as `time.low_ns`.
  model::Measurement evaluate(std::uint64_t id, const model::NamedValues& configuration,
                              const kernel_templates::CompiledKernel& compiled, double incumbent_ns);

  /// Counts one launch of a configuration that was evaluated well before: its counters were lost.
  void count(std::uint64_t id, const model::NamedValues& configuration,
             const kernel_templates::CompiledKernel& compiled);

  /// Times several configurations (each `evaluate`d well before) in `rounds` random-order rounds, and
  /// verifies the outputs of every launch.
  struct Finalist {
    model::NamedValues configuration;
    const kernel_templates::CompiledKernel* compiled = nullptr;
  };
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists, int rounds);
  /// The same with external launches among them; their samples follow those of the finalists, and their
  /// outputs are not verified here. The GPU is kept busy for longer before each of all launches.
  std::vector<timing::FinalistTiming> time_interleaved(const std::vector<Finalist>& finalists,
                                                       const std::vector<ExternalLaunch>& external,
                                                       int rounds);

  /// Loads a configuration anew, and launches it up to 300 times or for a second, half of the launches on
  /// inputs that were generated for this; the outputs of each are verified. Afterwards the first set of
  /// inputs is another one.
  timing::Confirmation confirm(const Finalist& finalist);

  /// Launches once on fresh arguments and says why the outputs are wrong, or nothing: just as a
  /// configuration's are verified. Throws what the launch throws.
  std::optional<std::string> verify(const ExternalLaunch& external);

  /// Readings of closed profiler sessions since the last call; `close` also closes the open one.
  std::vector<CounterReading> take_counters(bool close);

  /// Where the launches of a configuration spend their time, of a runner made with that option: repeated
  /// until there are some ten thousand samples. `compiled` needs `--generate-line-info`. What forbids it is
  /// the result's `problem`.
  HotLines sample_lines(const model::NamedValues& configuration,
                        const kernel_templates::CompiledKernel& compiled);

  const model::Roofs& roofs() const;
  /// Those of the options, or what was measured; empty before.
  const std::vector<model::RoofReading>& roof_readings() const;
  /// True after a fault of the kernel, or after one overwrote what checks rest on: the process must end.
  bool context_lost() const;
  /// Whether memory is read before each timed launch to empty the L2 cache of what the kernel may use.
  bool flushes() const;
  /// Lines for people, each given once: why counters are off although asked for, with the remedy; metrics
  /// left out; a GPU that others use or that throttles.
  std::vector<std::string> take_warnings();
  /// Whether launches are being counted.
  bool counting() const;
  /// Why counters are off although asked for; empty when they work or were not asked for.
  const std::string& counter_problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::profiling
