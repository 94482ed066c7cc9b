#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/measuring_options.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/session/configuration_runner.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::session {

/// Says how to measure configurations. The caller chooses them, and no search strategy is used.
struct MeasurementRequest {
  profiling::MeasuringOptions measuring;  ///< Configurations are measured as if `thorough` were set.
  std::optional<int> device;        ///< Ordinal of the GPU; no value: the first GPU of the wanted model.
  std::size_t compile_workers = 0;  ///< 0: as many as cores and memory allow.
  /// The limit of one evaluation. Without it, the limit follows from the time of the best configuration so
  /// far.
  std::optional<std::chrono::milliseconds> timeout{};
  Budget budget = Budget::parse("all");  ///< By default nothing limits the number of configurations.
  std::filesystem::path database;
};

/// Returns the ordinal of a GPU of this machine that has the model of `wanted` (such as H200). If `device` is
/// given, the result is `device`. Otherwise it is the first GPU with this model, or std::nullopt if there is
/// none. Throws `base::InputError` if the GPU `device` has another model, and `base::MachineError` if it does
/// not exist.
std::optional<int> find_device(const profiling::GpuList& list, std::optional<int> device,
                               const model::GpuDescription& wanted);

/// Measures configurations that a caller chooses, on one GPU of this machine, and stores them in a session of
/// their own. The constructor waits until no other session uses the GPU, and then sets up the session. The
/// references must outlive this object. If it is cancelled while it waits, it starts no worker and opens no
/// database, and the session has not begun.
class MeasurementSession {
 public:
  /// `purpose` is stored instead of a strategy's name: "profile", "explain", "lab".
  MeasurementSession(const MeasurementRequest& request, const kernel_templates::KernelInstance& instance,
                     const std::string& purpose, int ordinal, gpus::LocalGpus& gpus,
                     SessionListener& listener, const base::Cancellation& cancellation);

  /// Whether there is a session. If not, nothing else may be called.
  bool has_begun() const { return runner_ != nullptr; }
  ConfigurationRunner& runner() { return *runner_; }
  const evaluation::Evaluator& evaluator() const { return *evaluator_; }

 private:
  gpus::GpuTurn turn_;
  std::unique_ptr<workers::ProcessEvaluator> evaluator_;
  std::unique_ptr<db::Store> store_;
  std::unique_ptr<ConfigurationRunner> runner_;
};

}  // namespace warptune::tuner::session
