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

/// How named configurations are measured, whatever for.
struct MeasurementRequest {
  profiling::MeasuringOptions measuring;  ///< Every configuration is timed to the end.
  std::optional<int> device;              ///< Which GPU; nothing: the first of the model asked for.
  std::size_t compile_workers = 0;        ///< 0: by cores and memory.
  /// Of one evaluation; nothing: it follows what the best takes.
  std::optional<std::chrono::milliseconds> timeout{};
  Budget budget = Budget::parse("all");
  std::filesystem::path database;
};

/// The GPU of this machine that `device` names, else the first of a model; nothing where there is none of it.
/// Throws `base::InputError` when the one named is of another model, `base::MachineError` when it is not
/// there.
std::optional<int> find_device(const profiling::GpuList& list, std::optional<int> device,
                               const model::GpuDescription& wanted);

/// Measures named configurations on one GPU of this machine and stores them in a session of their own. The
/// GPU is set up when it is made. The references must outlive it.
class MeasurementSession {
 public:
  /// `purpose` is what the session is stored as in place of a strategy: "profile", "explain", "lab".
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
