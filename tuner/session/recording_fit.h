#pragma once

#include <filesystem>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::session {

/// Why a recording does not hold exactly what the request would measure, as the end of a sentence whose
/// subject is the recording's file: `holds N=1024 from a cold L2 cache`. Empty if it does. It does not if the
/// kernel, a size, the cache state or the choice of GPUs differs, or if a counter is missing. Dropped rows do
/// not answer a request for thorough measurements either, because their times are only lower bounds.
std::string why_not_held(const model::Recording& recording, const TuningRequest& request,
                         const kernel_templates::KernelInstance& instance);

/// Throws `base::InputError` if a recording cannot answer the request, because its kernel, the cache state or
/// a size differs. `recorded` is the recording's workload, and `file` is its path for the message.
void require_recording_fits(const TuningRequest& request, const std::string& kernel,
                            const std::filesystem::path& file, const model::Workload& recorded);

/// Throws `base::InputError` if the request demands reproducible outputs (`SearchRequest::reproducible`) and
/// nothing compares outputs: a recording is to be replayed, or the objective has no final rounds.
void require_measured_demand(const TuningRequest& request);

/// Throws `base::InputError` if the bits of the default are demanded and the problem has no default.
void require_default_to_compare(const SessionPlan& plan);

}  // namespace warptune::tuner::session
