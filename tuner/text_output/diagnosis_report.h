#pragma once

#include <filesystem>
#include <string>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::text_output {

/// What a recording knows of one of its rows (or of a measurement of the same subject), for
/// `profiling::diagnose`. `effects`, of the same recording, may be null: then no remedies in parameters are
/// looked for. With an `instance` what nobody measured is compiled (NVRTC, no GPU) where its occupancy is
/// asked for, or taken from the folder `compile_cache`, unless that is empty; without NVRTC nothing is known
/// of it. All must outlive the input.
profiling::diagnosis::DiagnosisInput diagnosis_input(
    const model::Recording& recording, const model::Measurement& measurement,
    const search::analysis::ParameterEffects* effects = nullptr,
    const kernel_templates::KernelInstance* instance = nullptr,
    const std::filesystem::path& compile_cache = {});

/// Findings for people: faults, hints, limits, each with its evidence, bound on the gain and remedies, then
/// what could not be checked. Lines end with a newline.
std::string diagnosis_text(const profiling::diagnosis::Diagnosis& diagnosis);

}  // namespace warptune::tuner::text_output
