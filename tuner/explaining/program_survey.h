#pragma once

#include "model/gpu_description.h"
#include "profiling/tracing/program_timeline.h"
#include "survey/records/survey.h"

namespace warptune::tuner::explaining {

/// The runs of a traced program as a survey, so that the findings of surveys apply to it. The runs follow
/// each other without a pause, as in a program that calls the steps in a loop. A run ends with its last work,
/// or with the host's last call if that is later. Waits of the host after the last work are left out, because
/// any caller waits for the result.
///
/// If the program is timed by the GPU, a run begins with its first work: the steps are submitted before. All
/// indices of `timeline` must be within its tables.
survey::records::Survey survey_of(const profiling::tracing::ProgramTimeline& timeline,
                                  const model::GpuDescription& gpu);

}  // namespace warptune::tuner::explaining
