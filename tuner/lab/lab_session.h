#pragma once

#include <optional>

#include "tuner/lab/lab_result.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::lab {

/// Measures all rows of an experiment on the GPU `ordinal`, and stores them in the request's database as
/// `profile` does. If a kernel cannot be set up, its rows fail with the reason, and the rest of the
/// experiment continues. Returns `std::nullopt` when it is cancelled. Throws `base::MachineError` when the
/// GPU cannot be used.
std::optional<LabResult> measure_experiment(const kernel_templates::Experiment& experiment,
                                            const session::MeasurementRequest& request, int ordinal,
                                            gpus::LocalGpus& gpus, session::SessionListener& listener,
                                            const base::Cancellation& cancellation);

}  // namespace warptune::tuner::lab
