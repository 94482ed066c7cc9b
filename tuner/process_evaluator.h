#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/gpu.h"
#include "profiling/roofs.h"
#include "tuner/evaluator.h"

namespace warptune::tuner {

struct ProcessEvaluatorOptions {
  std::size_t compile_workers = 0;  ///< 0: `default_compile_workers`, by cores and memory.
  std::vector<int> ordinals{0};     ///< Which GPUs; all of one model.
  std::uint64_t seed = 1;
  search::CacheState cache = search::CacheState::kCold;
  bool count = true;                       ///< Read hardware counters.
  std::vector<std::string> metrics;        ///< Which; empty: the core set.
  bool thorough = false;                   ///< Time every configuration to the end: none is dropped.
  bool measure_energy = false;             ///< Energy and power of a launch, too.
  bool measure_error = false;              ///< How far outputs are from the reference, too.
  std::filesystem::path compile_cache;     ///< Folder of compiled code; empty: none.
  std::vector<search::RoofReading> roofs;  ///< Known of the GPUs' model; empty: measured.
  std::chrono::seconds compile_deadline{60};
  std::chrono::seconds evaluation_deadline{30};
};

/// Evaluates on one or more GPUs of one model: compile workers, one a core, run ahead of one worker a GPU. A
/// worker that dies or hangs is replaced and its candidate ends with the reason. A GPU that cannot be set up
/// (again) drops out; the others go on.
class ProcessEvaluator : public Evaluator {
 public:
  /// Starts the workers, compiles the reference and begins to set the GPUs up. Throws `base::InputError` when
  /// the reference does not compile (with NVRTC's log). What fails later in setting up (the reference does
  /// not run: `base::InputError`; no GPU is left: `base::MachineError`) is thrown by the next call that needs
  /// a GPU.
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
  std::vector<search::RoofReading> new_roofs() const override;
  const search::Environment& environment() const override;
  double elapsed_s() const override;
  std::vector<std::string> take_warnings() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// GPUs of this machine, asked of a worker process: the coordinator itself never touches the driver.
profiling::GpuCensus find_gpus_in_worker();

/// What a GPU's memory and pipes reach, measured likewise. Throws `base::MachineError` when it cannot be.
profiling::RoofSurvey survey_roofs_in_worker(const search::GpuDescription& gpu, int ordinal,
                                             const std::filesystem::path& compile_cache);

}  // namespace warptune::tuner
