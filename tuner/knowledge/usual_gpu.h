#pragma once

#include <filesystem>
#include <optional>

#include "model/gpu_description.h"
#include "tuner/gpus/known_gpus.h"

namespace warptune::tuner::knowledge {

/// The GPU that is meant when a question about a definition names none: the first GPU of this machine, or a
/// fictional one if it has none.
///
/// `recognise` looks for it among the GPUs of `database`. Only if it does not find the GPU there, `list_gpus`
/// starts the driver, which takes 0.2 s or more. Without a path, the default database is meant. If the
/// database is missing or cannot be read, no GPU is known from it.
model::GpuDescription usual_gpu(const gpus::GpuLister& list_gpus, const gpus::GpuRecogniser& recognise,
                                const std::optional<std::filesystem::path>& database = std::nullopt);

}  // namespace warptune::tuner::knowledge
