#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "search/measurement.h"

namespace warptune::profiling {

/// How launches are timed. Times in milliseconds unless named otherwise.
struct TimingProtocol {
  double warm_up_ms = 10.0;  ///< Clocks ramp: launch until this has passed,
  int most_warm_ups = 8;     ///< at most this often.
  int least_samples = 5;
  int most_samples = 20;
  double sample_budget_ms = 30.0;  ///< Timed launches beyond the least stop after this.
  double hopeless_ratio =
      3.0;  ///< Past this many times the incumbent the least samples suffice: `least_samples_hopeless`.
  int least_samples_hopeless = 3;
};

struct RunnerOptions {
  int ordinal = 0;
  std::uint64_t seed = 1;
  bool count = true;  ///< Read hardware counters.
  /// Empty: as much of the core set as one pass reads. Names that take several passes repeat the launch for
  /// each.
  std::vector<std::string> metrics;
  std::size_t counter_batch = 32;  ///< Ranges a profiler session holds.
  TimingProtocol timing;
};

/// Counters of a configuration measured earlier by the same runner.
struct CounterReading {
  std::uint64_t id = 0;  ///< As given to `evaluate`.
  search::Counters counters;
  bool disturbed = false;  ///< Something beside the launch took time while it was counted.
};

/// Runs one kernel instance on one GPU: the whole of a GPU worker's work. One per process; not thread-safe.
///
/// Buffers live between evaluations. A kernel that faults poisons the context: `context_lost()` turns true
/// and the process must end.
class KernelRunner {
 public:
  /// Makes the context, allocates and fills buffers (guard words round each), measures the copy roof.
  /// Throws `base::MachineError` (no GPU, not enough memory).
  KernelRunner(const kernel_templates::KernelInstance& instance, const RunnerOptions& options);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  /// Runs the reference and keeps its outputs on the GPU. Throws `base::InputError` when the reference fails:
  /// a check that cannot be made is the definition's fault.
  void prepare_reference(const kernel_templates::CompiledKernel& reference);

  /// Screen, verify, warm up, time, and (where counting) put one launch into the open profiler session.
  /// `incumbent_ns`: the best median so far, 0 for none. Never throws for a bad candidate: the status says
  /// it.
  search::Measurement evaluate(std::uint64_t id, const search::NamedValues& configuration,
                               const kernel_templates::CompiledKernel& compiled, double incumbent_ns);

  /// Times several configurations (each `evaluate`d well before) in `rounds` random-order rounds; samples by
  /// candidate.
  struct Finalist {
    search::NamedValues configuration;
    const kernel_templates::CompiledKernel* compiled = nullptr;
  };
  std::vector<std::vector<double>> time_interleaved(const std::vector<Finalist>& finalists, int rounds);

  /// Readings of closed profiler sessions since the last call; `close` also closes the open one.
  std::vector<CounterReading> take_counters(bool close);

  const search::Roofs& roofs() const;
  /// True after a fault of the kernel, or after one overwrote what checks rest on: the process must end.
  bool context_lost() const;
  /// Whether each timed launch starts with its data out of the L2 cache (small buffers) or as the last left
  /// it.
  bool cold_cache() const;
  /// Why counters are off although asked for, with the remedy; empty when they work or were not asked for.
  const std::string& counter_problem() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::profiling
