#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "model/roof_reading.h"
#include "tuner/gpus/device_choice.h"

namespace warptune::tuner::nodes {

/// A GPU on which a node runs sessions.
struct OfferedGpu {
  model::GpuDescription gpu;
  int ordinal = 0;  ///< The index among the GPUs of this machine or of the recordings.
  std::vector<model::RoofReading> roofs{};
};

/// The chosen GPUs of this machine, with the roofs that an earlier process has kept in the file `kept`.
/// Throws `base::MachineError` if there is none, or if a chosen one does not exist.
std::vector<OfferedGpu> local_offer(const gpus::DeviceChoice& devices, const std::filesystem::path& kept);
/// Keeps the roofs of each GPU for `local_offer` of a later process. GPUs of one model differ, so each has
/// its own. Throws `base::MachineError` if the file cannot be written.
void keep_roofs(const std::filesystem::path& kept, const std::vector<OfferedGpu>& gpus);
/// Measures the roofs of a GPU. Those that cannot be measured are logged. Throws `base::MachineError` if the
/// GPU cannot be used.
std::vector<model::RoofReading> measure_roofs_of(const OfferedGpu& gpu,
                                                 const std::filesystem::path& compile_cache);

/// Recordings that stand for GPUs, for tests and for trying out.
class RecordedOffer {
 public:
  /// Reads all recordings (`*.wtrec.zst`) of a folder. Throws `base::InputError` if there is none, or if one
  /// cannot be read.
  explicit RecordedOffer(const std::filesystem::path& folder);

  /// Each GPU of the recordings once, with the roofs of its first recording.
  std::vector<OfferedGpu> gpus(const gpus::DeviceChoice& devices) const;
  struct Recorded {
    std::filesystem::path file;
    model::Workload workload;
    model::Roofs roofs;
  };
  /// The recording of a problem on a GPU, or null. `problem` has all entries (`KernelInstance::problem`).
  const Recorded* find(const std::string& kernel, const model::NamedValues& problem,
                       const model::GpuDescription& gpu, model::CacheState cache) const;

 private:
  std::vector<Recorded> recorded_;
};

}  // namespace warptune::tuner::nodes
