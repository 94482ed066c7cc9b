#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/measuring_options.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::tuner::workers {

struct ProcessEvaluatorOptions {
  profiling::MeasuringOptions measuring;
  std::size_t compile_workers = 0;  ///< 0: `default_compile_workers`, by cores and memory.
  std::vector<int> ordinals{0};     ///< Which GPUs; all of one model.
  /// Known of the GPUs' model; empty: measured, after the first evaluation unless `roofs_first`.
  std::vector<model::RoofReading> roofs;
  bool roofs_first = false;  ///< Measured before anything else: a goal refers to them.
  std::chrono::seconds compile_deadline{60};
  /// Of one evaluation: follows what the best takes unless it was asked for
  /// (`tuner/session/evaluation_limit.h`).
  std::chrono::milliseconds longest_evaluation{30000};
  std::optional<std::chrono::milliseconds> timeout{};
};

/// Evaluates on one or more GPUs of one model: compile workers, one a core, run ahead of one worker a GPU. A
/// worker that dies or hangs is replaced and its candidate ends with the reason. A GPU that cannot be set up
/// (again) drops out; the others go on.
///
/// GPUs are prepared while the reference and the first candidates are compiled. Whatever fails in that (the
/// reference does not compile or run: `base::InputError`; no GPU is left: `base::MachineError`) is thrown by
/// the next call that waits.
class ProcessEvaluator : public evaluation::Evaluator {
 public:
  /// Starts the workers; that of `gpus`, where given and not taken yet, becomes the first GPU's. `instance`
  /// must outlive it. Throws `base::InputError` when the definition's reference cannot be rendered.
  ProcessEvaluator(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options,
                   gpus::LocalGpus* gpus = nullptr);
  ~ProcessEvaluator() override;

  std::size_t wanted() const override;
  void submit(evaluation::Candidate candidate) override;
  std::size_t pending() const override;
  bool is_ready() const override;
  std::vector<evaluation::EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override;
  void set_incumbent(double median_ns) override;
  void withdraw_incumbent() override;
  std::vector<evaluation::CounterEvent> close_counters() override;
  std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int rounds) override;
  std::optional<profiling::timing::Confirmation> confirm(const model::NamedValues& configuration) override;
  const model::Roofs& roofs() const override;
  std::vector<model::RoofReading> new_roofs() const override;
  const model::Environment& environment() const override;
  double elapsed_s() const override;
  std::vector<std::string> take_warnings() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::tuner::workers
