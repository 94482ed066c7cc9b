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

/// Lists the GPUs of this machine: `list_local_gpus`, or what a test has.
using GpuLister = std::function<profiling::GpuList()>;

/// Recognises the GPU of this machine among those known, without the driver: `recognise_local_gpu`, or what a
/// test has.
using GpuRecogniser =
    std::function<std::optional<model::GpuDescription>(const std::vector<model::GpuDescription>& known)>;

/// `profiling::recognise_gpu` in this process' environment.
std::optional<model::GpuDescription> recognise_local_gpu(const std::vector<model::GpuDescription>& known);

/// A GPU that something is asked for.
struct ChosenGpu {
  model::GpuDescription gpu;
  std::string origin;  ///< Why this one, in words.
};

/// The GPU that `wanted` names among those that the database knows; without a name the first GPU of this
/// machine, else that of the newest session. `list_gpus`, which starts the driver, is not called where a name
/// is given or `recognise` knows the GPU. Throws `base::InputError` when a name fits none or several, and
/// where there is no GPU at all.
ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const db::Store& store,
                     const GpuLister& list_gpus, const GpuRecogniser& recognise = {});

/// Whether `name` is the GPU's key in the database, or part of its marketing name in any case.
bool is_named(const model::GpuDescription& gpu, const std::string& name);

/// The roofs that a database holds of a GPU; none where there is no database.
std::vector<model::RoofReading> stored_roofs(const std::filesystem::path& database,
                                             const model::GpuDescription& gpu);

/// What the database holds of a GPU's roofs, else those of a session: one of an earlier version had two only,
/// and one that was replayed may have had none.
model::Roofs known_roofs(const db::Store& store, const model::GpuDescription& gpu,
                         const model::Roofs& of_session);

}  // namespace warptune::tuner::gpus
