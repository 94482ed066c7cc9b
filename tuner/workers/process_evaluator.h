#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/measuring_options.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/gpus/local_gpus.h"

namespace warptune::tuner::workers {

struct ProcessEvaluatorOptions {
  profiling::MeasuringOptions measuring;
  std::size_t compile_workers = 0;  ///< 0: `default_compile_workers`, by cores and memory.
  std::vector<int> ordinals{0};     ///< The GPUs, all of one model.
  /// Known roofs of the GPUs' model. If empty, they are measured: first with `roofs_first`, otherwise after
  /// the first evaluation.
  std::vector<model::RoofReading> roofs;
  bool roofs_first = false;  ///< Measures the roofs before anything else, because a goal refers to them.
  std::chrono::seconds compile_deadline{60};
  /// The maximum limit of an evaluation. The limit follows the time of the best, unless `timeout` sets it
  /// (`tuner/evaluation/evaluation_limit.h`).
  std::chrono::milliseconds max_evaluation_time{30000};
  std::optional<std::chrono::milliseconds> timeout{};
  /// Decides which results are right, for a definition whose check is `ReferenceKind::kJudged`
  /// (`GpuLink::Judge`). There may be only one GPU then, because all would write into the same files.
  std::function<std::optional<std::string>()> judge{};
  /// After a request, finalists are not waited for any more. It must outlive the evaluator. Null: no request
  /// ever comes.
  const base::Cancellation* cancellation = nullptr;
};

/// Evaluates on one or more GPUs of one model. There is one worker for each GPU, and about one compile worker
/// for each core. Programs are compiled before a GPU needs them. A worker that dies or hangs is replaced, and
/// its candidate ends with the reason. A GPU that cannot be set up, or set up again, drops out. The others
/// continue.
///
/// GPUs are prepared while the reference and the first candidates are compiled. An error in that phase is
/// thrown by the next call that waits. It is `base::InputError` if the reference does not compile or run, and
/// `base::MachineError` if no GPU is left.
class ProcessEvaluator : public evaluation::Evaluator {
 public:
  /// Starts the workers. The first GPU uses the worker of `gpus` if it has not been taken. `instance` must
  /// outlive this object. Throws `base::InputError` when the definition's reference cannot be rendered.
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
  void set_finalist_times(double best_ns, double slowest_ns) override;
  std::vector<evaluation::CounterEvent> close_counters() override;
  std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int rounds) override;
  bool measures_again() const override { return true; }
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
