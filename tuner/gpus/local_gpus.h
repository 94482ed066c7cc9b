#pragma once

#include <filesystem>
#include <memory>

#include "profiling/gpu.h"
#include "profiling/roofs/roofs.h"

namespace warptune::tuner::processes {
class WorkerProcess;
}  // namespace warptune::tuner::processes

namespace warptune::tuner::gpus {

/// The GPUs of this machine. A worker process enumerates them, because the coordinator itself never uses the
/// driver. Loading the driver takes 0.2 s. Therefore this worker is kept and becomes the first GPU worker.
class LocalGpus {
 public:
  LocalGpus();
  ~LocalGpus();
  LocalGpus(LocalGpus&&) noexcept;
  LocalGpus& operator=(LocalGpus&&) noexcept;

  /// Starts the worker, which enumerates the GPUs in the background.
  void start();
  /// Returns the list. Waits for it the first time, and starts the worker if `start` was not called. An empty
  /// list comes with the reason, also if the worker ended.
  const profiling::GpuList& list();
  /// The worker that enumerated them. Null if it ended or was already taken.
  std::unique_ptr<processes::WorkerProcess> take_worker();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The GPUs of this machine, for callers that measure nothing afterwards.
profiling::GpuList list_local_gpus();

/// Lets a worker measure the throughput that a GPU's memory and arithmetic pipes reach. Throws the error that
/// the worker reports, or `base::MachineError` if it ends.
profiling::roofs::RoofMeasurements measure_roofs(LocalGpus& gpus, const model::GpuDescription& gpu,
                                                 int ordinal, const std::filesystem::path& compile_cache);

}  // namespace warptune::tuner::gpus
