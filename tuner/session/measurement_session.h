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
#include "tuner/gpus/local_gpus.h"
#include "tuner/session/configuration_runner.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::session {

/// How named configurations are measured, for whatever purpose.
struct MeasurementRequest {
  profiling::MeasuringOptions measuring;  ///< Every configuration is timed to the end.
  std::optional<int> device;              ///< Ordinal of the GPU; nothing: the first GPU of the wanted model.
  std::size_t compile_workers = 0;        ///< 0: as many as cores and memory allow.
  /// Limit of one evaluation; nothing: the limit follows from the time of the best.
  std::optional<std::chrono::milliseconds> timeout{};
  Budget budget = Budget::parse("all");
  std::filesystem::path database;
};

/// Finds a GPU of this machine that has the wanted model: the one that `device` names, otherwise the first.
/// Returns std::nullopt when no GPU has this model. Throws `base::InputError` when the named GPU has another
/// model, and `base::MachineError` when it does not exist.
std::optional<int> find_device(const profiling::GpuList& list, std::optional<int> device,
                               const model::GpuDescription& wanted);

/// Measures named configurations on one GPU of this machine and stores them in a session of their own. The
/// constructor sets the GPU up. The references must outlive this object.
class MeasurementSession {
 public:
  /// `purpose` is stored instead of a strategy's name: "profile", "explain", "lab".
  MeasurementSession(const MeasurementRequest& request, const kernel_templates::KernelInstance& instance,
                     const std::string& purpose, int ordinal, gpus::LocalGpus& gpus,
                     SessionListener& listener, const base::Cancellation& cancellation);

  ConfigurationRunner& runner() { return *runner_; }
  const evaluation::Evaluator& evaluator() const { return *evaluator_; }
  db::Store& store() { return *store_; }

 private:
  std::unique_ptr<workers::ProcessEvaluator> evaluator_;
  std::unique_ptr<db::Store> store_;
  std::unique_ptr<ConfigurationRunner> runner_;
};

}  // namespace warptune::tuner::session
