#pragma once

#include <string>

#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::text_output {

/// Findings for people: faults, hints, limits, each with its evidence, bound on the gain and remedies, then
/// what could not be checked. Lines end with a newline.
std::string diagnosis_text(const profiling::diagnosis::Diagnosis& diagnosis);

}  // namespace warptune::tuner::text_output
