#pragma once

#include <nlohmann/json.hpp>

#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::json_output {

/// A diagnosis as a JSON object: {"findings": [{rule, severity, title, gain, gain_basis, evidence, remedy,
/// parameters, follows_from}], "not_checked": [{rule, metrics}]}.
nlohmann::ordered_json diagnosis_json(const profiling::diagnosis::Diagnosis& diagnosis);

}  // namespace warptune::tuner::json_output
