#pragma once

#include <optional>

#include "tuner/cli/options.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::cli {

/// Measures all that an experiment asks for on one GPU, and stores it in the database as `profile` does. A
/// kernel that cannot be set up gives rows that failed, with the reason. Nothing where an interrupt came
/// first. Throws `base::MachineError` where the GPU cannot be used.
std::optional<LabResult> measure_experiment(const Options& options,
                                            const kernel_templates::Experiment& experiment,
                                            const search::GpuDescription& gpu, int ordinal);

}  // namespace warptune::tuner::cli
