#pragma once

#include <filesystem>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::session {

/// Whether a recording holds exactly what the request would measure. Another size, kernel, cache state, set
/// of counters or choice of GPUs is something else, and dropped rows have no complete times.
bool holds_exactly(const model::Recording& recording, const TuningRequest& request,
                   const kernel_templates::KernelInstance& instance);

/// Throws `base::InputError` if a recording of `recorded` cannot answer the request, because its kernel, the
/// cache state or a size differs. `file` is the recording, for the message.
void require_recording_fits(const TuningRequest& request, const std::string& kernel,
                            const std::filesystem::path& file, const model::Workload& recorded);

}  // namespace warptune::tuner::session
