#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/gpu.h"
#include "tuner/evaluator.h"

namespace warptune::tuner {

struct ProcessEvaluatorOptions {
  std::size_t compile_workers = 0;  ///< 0: one a core.
  std::vector<int> ordinals{0};     ///< Which GPUs; all of one model.
  std::uint64_t seed = 1;
  search::CacheState cache = search::CacheState::kCold;
  bool count = true;                    ///< Read hardware counters.
  std::vector<std::string> metrics;     ///< Which; empty: the core set.
  bool measure_energy = false;          ///< Energy and power of a launch, too.
  std::filesystem::path compile_cache;  ///< Folder of compiled code; empty: none.
  std::chrono::seconds compile_deadline{60};
  std::chrono::seconds evaluation_deadline{30};
};

/// Evaluates on a GPU: compile workers, one a core, run ahead of one GPU worker. A worker that dies or hangs
/// is replaced and its candidate ends with the reason.
class ProcessEvaluator : public Evaluator {
 public:
  /// Starts the workers, compiles the reference and sets the GPU up. Throws `base::InputError` when the
  /// reference does not compile or run (with NVRTC's log), `base::MachineError` when the machine cannot.
  ProcessEvaluator(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options);
  ~ProcessEvaluator() override;

  std::size_t wanted() const override;
  void submit(Candidate candidate) override;
  std::size_t pending() const override;
  std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override;
  void set_incumbent(double median_ns) override;
  std::vector<CounterEvent> close_counters() override;
  std::vector<std::vector<double>> time_interleaved(const std::vector<search::NamedValues>& finalists,
                                                    int rounds) override;
  const search::Roofs& roofs() const override;
  const search::Environment& environment() const override;
  double elapsed_s() const override;
  std::vector<std::string> take_warnings() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// GPUs of this machine, asked of a worker process: the coordinator itself never touches the driver.
profiling::GpuCensus find_gpus_in_worker();

}  // namespace warptune::tuner
