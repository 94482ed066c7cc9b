#pragma once

#include <filesystem>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::explaining {

/// The input of `profiling::diagnosis::diagnose` for one row of a recording, or for a measurement of the same
/// workload.
///
/// `effects` belongs to the same recording and may be null. Then the diagnosis suggests no parameter changes.
/// Some remedies need the occupancy of configurations that were not measured. With an `instance` these
/// configurations are compiled by NVRTC, which needs no GPU. `compile_cache` is a folder that keeps the
/// compiled code; with an empty path nothing is kept. Without NVRTC or an instance their occupancy stays
/// unknown. All arguments must outlive the returned input.
profiling::diagnosis::DiagnosisInput diagnosis_input(
    const model::Recording& recording, const model::Measurement& measurement,
    const search::analysis::ParameterEffects* effects = nullptr,
    const kernel_templates::KernelInstance* instance = nullptr,
    const std::filesystem::path& compile_cache = {});

}  // namespace warptune::tuner::explaining
