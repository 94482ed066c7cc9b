#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/gpu_description.h"
#include "model/roof_reading.h"
#include "profiling/gpu.h"

namespace warptune::tuner::gpus {

/// Lists the GPUs of this machine: `list_local_gpus`, or a function of a test.
using GpuLister = std::function<profiling::GpuList()>;

/// Recognises the GPU of this machine among the known ones, without the driver: `recognise_local_gpu`, or a
/// function of a test.
using GpuRecogniser =
    std::function<std::optional<model::GpuDescription>(const std::vector<model::GpuDescription>& known)>;

/// `profiling::recognise_gpu` with the environment of this process.
std::optional<model::GpuDescription> recognise_local_gpu(const std::vector<model::GpuDescription>& known);

/// The GPU for which results are wanted.
struct ChosenGpu {
  model::GpuDescription gpu;
  std::string origin;    ///< Why this GPU was chosen, in words.
  bool is_here = false;  ///< It was chosen because this machine has it.
};

/// Each GPU of the database once. That of the newest session is the first.
std::vector<model::GpuDescription> distinct_gpus(const db::Store& store);

/// The GPU that `wanted` names or describes (`DescribedGpu`) among the known ones. Throws `base::InputError`
/// when a name fits no GPU or several.
ChosenGpu wanted_gpu(const std::string& wanted, const std::vector<model::GpuDescription>& known);

/// Chooses a GPU. With a name, it is the GPU of the database that `wanted` names. `wanted` may also describe
/// one (`DescribedGpu`), which the database need not have. Without `wanted`, it is the
/// first GPU of this machine, otherwise the GPU of the newest session. `list_gpus` starts the driver. It is
/// called only if no name is given and `recognise` does not know the GPU. `recognise` may be empty. Throws
/// `base::InputError` when a name fits no GPU or several, and when there is no GPU at all.
ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const db::Store& store,
                     const GpuLister& list_gpus, const GpuRecogniser& recognise);

/// The same among the GPUs that are given, the newest first.
ChosenGpu choose_gpu(const std::optional<std::string>& wanted,
                     const std::vector<model::GpuDescription>& known, const GpuLister& list_gpus,
                     const GpuRecogniser& recognise);

/// Whether `name` is the GPU's key in the database, or part of its marketing name in any case. An empty name
/// only fits a GPU without a name.
bool is_named(const model::GpuDescription& gpu, const std::string& name);

/// The roofs of a GPU in a database. Empty if the file does not exist.
std::vector<model::RoofReading> stored_roofs(const std::filesystem::path& database,
                                             const model::GpuDescription& gpu);

/// The roofs of a GPU in the database, otherwise those of a session. A session of an earlier version stored
/// only two roofs, and a replayed session may have none.
model::Roofs known_roofs(const db::Store& store, const model::GpuDescription& gpu,
                         const model::Roofs& of_session);

}  // namespace warptune::tuner::gpus
