#pragma once

#include <filesystem>
#include <memory>

#include "profiling/gpu.h"
#include "profiling/roofs/roofs.h"

namespace warptune::tuner::processes {
class WorkerProcess;
}  // namespace warptune::tuner::processes

namespace warptune::tuner::gpus {

/// The GPUs of this machine. They are asked of a worker process, as the coordinator itself never touches the
/// driver. That worker has loaded the driver, which takes 0.2 s, so it goes on as the first GPU worker of
/// whoever takes it.
class LocalGpus {
 public:
  LocalGpus();
  ~LocalGpus();
  LocalGpus(LocalGpus&&) noexcept;
  LocalGpus& operator=(LocalGpus&&) noexcept;

  /// Starts the worker, which enumerates the GPUs while the caller does something else.
  void start();
  /// Waits for the list the first time, and starts the worker where nobody did. An empty list has the reason
  /// with it, also where the worker ended.
  const profiling::GpuList& list();
  /// The worker that enumerated them; null where it is gone or was taken before.
  std::unique_ptr<processes::WorkerProcess> take_worker();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The GPUs of this machine, where nothing is measured afterwards.
profiling::GpuList list_local_gpus();

/// What a GPU's memory and arithmetic pipes reach, measured by a worker. Throws what the worker reports,
/// `base::MachineError` when it ends instead.
profiling::roofs::RoofMeasurements measure_roofs(LocalGpus& gpus, const model::GpuDescription& gpu,
                                                 int ordinal, const std::filesystem::path& compile_cache);

}  // namespace warptune::tuner::gpus
