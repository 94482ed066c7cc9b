#pragma once

#include <filesystem>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::explaining {

/// What a recording knows of one of its rows (or of a measurement of the same workload), for
/// `profiling::diagnose`. `effects`, of the same recording, may be null: then no remedies in parameters are
/// looked for. With an `instance` what nobody measured is compiled (NVRTC, no GPU) where its occupancy is
/// asked for, or taken from the folder `compile_cache`, unless that is empty; without NVRTC nothing is known
/// of it. All must outlive the input.
profiling::diagnosis::DiagnosisInput diagnosis_input(
    const model::Recording& recording, const model::Measurement& measurement,
    const search::analysis::ParameterEffects* effects = nullptr,
    const kernel_templates::KernelInstance* instance = nullptr,
    const std::filesystem::path& compile_cache = {});

}  // namespace warptune::tuner::explaining
