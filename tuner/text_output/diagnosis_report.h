#pragma once

#include <string>

#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::text_output {

/// The text of a diagnosis for people. It lists faults, hints and limits, each with its evidence, the bound
/// on the gain and remedies. Then it lists the rules that could not be checked. Each line ends with a
/// newline.
std::string diagnosis_text(const profiling::diagnosis::Diagnosis& diagnosis);

}  // namespace warptune::tuner::text_output
