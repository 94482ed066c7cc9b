#pragma once

#include <optional>

#include "tuner/lab/lab_result.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::lab {

/// Measures all that an experiment asks for on the GPU `ordinal`, and stores it in the request's database as
/// `profile` does. A kernel that cannot be set up gives rows that failed, with the reason; the rest of the
/// experiment goes on. Nothing where a cancellation came first. Throws `base::MachineError` where the GPU
/// cannot be used.
std::optional<LabResult> measure_experiment(const kernel_templates::Experiment& experiment,
                                            const session::MeasurementRequest& request, int ordinal,
                                            gpus::LocalGpus& gpus, session::SessionListener& listener,
                                            const base::Cancellation& cancellation);

}  // namespace warptune::tuner::lab
